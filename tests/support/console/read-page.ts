import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { assertFits, type Console, readings, violationsOf } from './console.js';

/** Folder for pictures of the pages; the pictures of docs/console.md are written with docs/console. */
const pictures = process.env.CHAINFOLD_TEST_PICTURES;

export type Reading = {
  /** Name of the picture; without one there is no picture. */
  readonly name?: string;
  readonly path: string;
  /** Waits until the page shows what it was opened for. */
  readonly isReady: (page: Page) => Promise<unknown>;
  /** Height of the picture. */
  readonly height?: number;
};

/**
 * Returns a function that opens a page in every size and colour, and checks that it is accessible and fits. All pages are
 * read by one reader, who signs in once.
 */
export const usePageReader = (console: () => Console) => {
  let reader: BrowserContext | undefined;
  const open = async (path: string) => {
    if (reader === undefined) {
      const page = await console().openSignedIn(path);
      reader = page.context();
      return page;
    }
    const page = await reader.newPage();
    await page.goto(`${console().origin}${path}`);
    return page;
  };
  return async ({ name, path, isReady, height = 480 }: Reading): Promise<void> => {
    const page = await open(path);
    await isReady(page);
    assert.match(await page.title(), /· chainfold$/);
    for (const { width, colorScheme } of readings) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violationsOf(page), [], `${path} at ${width}, ${colorScheme}`);
      await assertFits(page);
    }
    if (pictures && name) {
      await page.setViewportSize({ width: 760, height });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.screenshot({ path: `${pictures}/${name}.png` });
    }
    await page.close();
  };
};
