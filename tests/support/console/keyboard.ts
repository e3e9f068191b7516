import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Presses Tab until an element has the focus, as a reader without a mouse does. */
export const tabTo = async (page: Page, name: RegExp | string): Promise<void> => {
  for (let count = 0; count < 300; count++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(
      "(document.activeElement?.ariaLabel ?? document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '').trim()",
    );
    if (typeof name === 'string' ? focused === name : name.test(String(focused))) return;
  }
  assert.fail(`${name} cannot be reached by keyboard`);
};

/** Moves to an element by keyboard and presses Enter there. */
export const pressOn = async (page: Page, name: RegExp | string): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};
