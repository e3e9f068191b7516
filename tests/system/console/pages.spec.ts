import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { assertFits, markup, readings, useConsole, violationsOf } from '../../support/console/console.js';

/** Folder for pictures of the pages; the pictures of docs/console.md are written with docs/console. */
const pictures = process.env.CHAINFOLD_TEST_PICTURES;

describe('the pages of the console', () => {
  const console = useConsole();
  let reader: BrowserContext;
  let origin: string;
  before(async () => {
    const page = await console().openSignedIn('/console');
    reader = page.context();
    ({ origin } = new URL(page.url()));
    await page.close();
  });

  /** Opens a page in every size and colour, and checks that it is accessible and fits. */
  const read = async (name: string, path: string, isReady: (page: Page) => Promise<void>, height = 480) => {
    const page = await reader.newPage();
    await page.goto(`${origin}${path}`);
    await isReady(page);
    assert.match(await page.title(), /· chainfold$/);
    for (const { width, colorScheme } of readings) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violationsOf(page), [], `${path} at ${width}, ${colorScheme}`);
      await assertFits(page);
    }
    if (pictures) {
      await page.setViewportSize({ width: 760, height });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.screenshot({ path: `${pictures}/${name}.png` });
    }
    await page.close();
  };

  it('show the overview', () =>
    read('overview', '/console', async (page) => {
      await page.getByText('is retrying notifications').waitFor();
      await page.getByRole('heading', { name: 'Last events' }).waitFor();
    }));

  it('show the history, with markup as text', () =>
    read('history', '/console/history', async (page) => {
      await page.getByRole('button', { name: `registered wallet ${markup} on C` }).waitFor();
    }));

  it('show the wallets, with markup as text', () =>
    read('wallets', '/console/wallets', async (page) => {
      await page.getByRole('link', { name: markup }).waitFor();
    }));

  it('show a wallet, with markup as text', () =>
    read('wallet', `/console/wallets/c/${console().scene.walletId}`, async (page) => {
      await page.getByRole('heading', { name: markup }).waitFor();
      await page.getByRole('button', { name: 'Copy address' }).waitFor();
    }));

  it('show a statement', () => {
    const subject = {
      api: 'c',
      wallet: console().scene.walletId,
      from: '2026-01-01T00:00:00Z',
      to: '2100-01-01T00:00:00Z',
    };
    const isReady = async (page: Page) => {
      await page.getByText(/^From block \d+/).waitFor();
      await page.getByRole('region', { name: 'Balances' }).waitFor();
    };
    return read('statements', `/console/statements?${new URLSearchParams(subject)}`, isReady, 900);
  });

  it('show the webhooks', () =>
    read('webhooks', `/console/webhooks?api=c&webhook=${console().scene.webhookId}`, async (page) => {
      await page.getByRole('button', { name: /TEST · \d+ attempts/ }).waitFor();
    }));

  it('show an operation', () =>
    read('api', '/console/api/c/GetWallet', async (page) => {
      await page.getByRole('heading', { name: 'GetWallet' }).waitFor();
    }));

  it('make no request to another origin, no violation of the policy, and no error', () =>
    assert.deepEqual(console().reports, []));
});
