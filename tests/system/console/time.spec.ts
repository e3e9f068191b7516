import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { markup, useConsole } from '../../support/console/console.js';
import { pressOn, tabTo } from '../../support/console/keyboard.js';
import { usePageReader } from '../../support/console/read-page.js';

describe('the time page of the console', () => {
  const console = useConsole();
  const read = usePageReader(console);
  /** Commit time of the registration of the scene's address, before the address was paid. */
  let beforePayment = '';
  before(async () => {
    const types = ['AddressRegistered'];
    const { events } = await console().client.admin.listEvents({ types, wallet_id: console().scene.walletId });
    beforePayment = events[0]?.commit_time ?? '';
  });

  const walletsAt = async (at: string) =>
    (await console().client.c.listWallets({ page_size: 100 }, { 'x-as-of': at })).wallets.map(({ name }) => name);
  const shownWallets = (page: Page, column: string) =>
    page.getByRole('region', { name: column, exact: true }).locator('.wallets button').allTextContents();
  const balances = (page: Page, column: string) =>
    page.getByRole('region', { name: column, exact: true }).locator('.balances dd').allTextContents();
  const isCompared = (page: Page) => page.getByText(/^\d+ records on this page$/).waitFor();

  it('moves to any moment by keyboard, and shows the wallets as of then under a banner', async () => {
    const page = await console().openSignedIn('/console/time');
    await tabTo(page, 'Moment');
    await page.keyboard.press('Home');
    const moment = page.getByRole('region', { name: 'Moment', exact: true });
    await moment.getByText('0 wallets').waitFor();
    await moment.getByText('The past:').waitFor();
    const first = new URL(page.url()).searchParams.get('at') ?? '';
    const { first_time } = await console().client.admin.getHistoryBounds({});
    assert.equal(first, first_time);
    // The slider still has the focus, so the next key press moves it.
    await page.keyboard.press('End');
    await moment.getByText(/^[1-9]\d* wallets$/).waitFor();
    const last = new URL(page.url()).searchParams.get('at') ?? '';
    assert.deepEqual(await shownWallets(page, 'Moment'), await walletsAt(last));
    await page.context().close();
  });

  it('shows balances of two moments side by side as the API answers them, and what changed', async () => {
    const query = new URLSearchParams({ at: beforePayment, wallet: console().scene.walletId });
    const page = await console().openSignedIn(`/console/time?${query}`);
    await page.getByRole('region', { name: 'Compared with' }).getByText('Now', { exact: true }).waitFor();
    await isCompared(page);
    const wanted = { wallet_id: console().scene.walletId, asset_type: 'ASSET_TYPE_C', is_aggregated: true } as const;
    const balanceAt = async (headers: Record<string, string>) =>
      (await console().client.c.listAssets(wanted, headers)).assets.map(({ balance }) => balance);
    await page.getByRole('region', { name: 'Moment', exact: true }).getByText('Last transfers').waitFor();
    await page.getByRole('region', { name: 'Compared with' }).getByText('Last transfers').waitFor();
    assert.deepEqual(await balances(page, 'Moment'), await balanceAt({ 'x-as-of': beforePayment }));
    assert.deepEqual(await balances(page, 'Compared with'), await balanceAt({}));
    assert.notDeepEqual(await balances(page, 'Moment'), await balances(page, 'Compared with'));
    const { differences } = await console().client.admin.diffHistory({ from: beforePayment, page_size: 25 });
    const rows = await page.getByRole('region', { name: 'Changes' }).locator('tbody th code').all();
    const ids = await Promise.all(rows.map((row) => row.getAttribute('title')));
    assert.deepEqual(
      ids,
      differences.map(({ id }) => id),
    );
    await page.context().close();
  });

  it('compares two past moments, in either order, and returns to the present, by keyboard', async () => {
    const query = new URLSearchParams({ at: beforePayment });
    const page = await console().openSignedIn(`/console/time?${query}`);
    await tabTo(page, 'Compared with');
    await page.keyboard.press('Home');
    const compared = page.getByRole('region', { name: 'Compared with' });
    await compared.getByText('0 wallets').waitFor();
    await isCompared(page);
    await page.getByRole('cell', { name: 'added' }).first().waitFor();
    await pressOn(page, 'Compare with now');
    await compared.getByText('Now', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Moment', exact: true })
      .getByRole('button', { name: markup })
      .press('Enter');
    await compared.getByText('Last transfers').waitFor();
    await page.context().close();
  });

  it('counts the events of the organization', async () => {
    const { first_position } = await console().client.admin.getHistoryBounds({});
    const page = await console().openSignedIn('/console/time');
    const text = (await page.locator('figcaption').textContent()) ?? '';
    const { events } = await console().client.admin.listEvents({ page_size: 100, from: first_position, order: 'asc' });
    const [, counted = ''] = /^Events a (?:second|minute): (\d+) counted/.exec(text) ?? [];
    // Opening the page may have appended an event about the session.
    assert.ok(Number(counted) > 0 && Number(counted) <= events.length, `${text} ${events.length}`);
    assert.ok((await page.locator('.activity rect').count()) > 0);
    await page.context().close();
  });

  it('is shown in every size and colour, with markup as text', () =>
    read({
      name: 'time',
      path: `/console/time?${new URLSearchParams({ at: beforePayment, wallet: console().scene.walletId })}`,
      isReady: async (page) => {
        await page.getByRole('region', { name: 'Compared with' }).getByRole('button', { name: markup }).waitFor();
        await page.getByRole('region', { name: 'Compared with' }).getByText('Last transfers').waitFor();
        await page.getByText(/^Events a /).waitFor();
        await isCompared(page);
      },
      height: 1250,
    }));

  it('makes no request to another origin, no violation of the policy, and no error', () =>
    assert.deepEqual(console().reports, []));
});
