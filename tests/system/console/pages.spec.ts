import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { markup, useConsole } from '../../support/console/console.js';
import { pressOn } from '../../support/console/keyboard.js';
import { type Reading, usePageReader } from '../../support/console/read-page.js';
import { eventually } from '../../support/eventually.js';

describe('the pages of the console', () => {
  const console = useConsole();
  const readPage = usePageReader(console);
  const read = (name: string, path: string, isReady: Reading['isReady'], height?: number) =>
    readPage({ name, path, isReady, ...(height && { height }) });

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

  it('have the focus at their content after a link is followed, and the title of the new page', async () => {
    const page = await console().openSignedIn('/console');
    await pressOn(page, 'Wallets');
    await page.getByRole('link', { name: markup }).waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.evaluate('[document.title, document.activeElement?.id]'), [
        'Wallets · chainfold',
        'main',
      ]),
    );
    await page.context().close();
  });

  it('make no request to another origin, no violation of the policy, and no error', () =>
    assert.deepEqual(console().reports, []));
});
