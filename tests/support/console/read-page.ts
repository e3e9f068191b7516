import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { assertFits, type Console, readings, violationsOf } from './console.js';

/**
 * Folder for screenshots; if undefined, no screenshots are written. Those of docs/console.md are in `docs/console`.
 */
const pictures = process.env.CHAINFOLD_TEST_PICTURES;

export type Reading = {
  /** File name of the screenshot without extension; no screenshot is written if absent. */
  readonly name?: string;
  readonly path: string;
  /** Waits until the page shows the content that is to be checked. */
  readonly isReady: (page: Page) => Promise<unknown>;
  /** Height of the screenshot in pixels. */
  readonly height?: number;
};

/**
 * Returns a function that opens a page in every width and colour scheme, and checks that it is accessible and no wider
 * than the screen. All pages share one browser context, which signs in once.
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
