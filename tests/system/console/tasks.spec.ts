import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { markup, useConsole } from '../../support/console/console.js';
import { tabTo } from '../../support/console/keyboard.js';
import { eventually } from '../../support/eventually.js';

describe('the console', () => {
  const console = useConsole();

  it('keeps the route while it asks to sign in, and after signing out', async () => {
    const page = await console().open('/console/history?type=WalletRegistered');
    await page.getByRole('heading', { name: 'Sign in to chainfold' }).waitFor();
    await console().signIn(page);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    assert.match(page.url(), /\/console\/history\?type=WalletRegistered$/);
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByText('You have signed out.').waitFor();
    assert.match(page.url(), /\/console\/history\?type=WalletRegistered$/);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to chainfold' }).waitFor();
    await page.context().close();
  });

  it('says why a secret is rejected, and clears it', async () => {
    const page = await console().open('/console');
    await page.getByLabel('api_key').fill(console().credentials.key);
    await page.getByLabel('api_secret').fill('not the secret');
    await page.keyboard.press('Enter');
    await page.getByText('UNAUTHENTICATED').waitFor();
    assert.equal(await page.getByLabel('api_secret').inputValue(), '');
    await page.context().close();
  });

  it('stays signed in after a reload, and stores nothing that a script could read', async () => {
    const page = await console().openSignedIn('/console');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const stored = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
    assert.deepEqual(stored, [0, 0, '']);
    await page.context().close();
  });

  it('lists exactly the events that ListEvents answers, and unfolds one by keyboard', async () => {
    const page = await console().openSignedIn('/console/history?type=WalletRegistered');
    const { events } = await console().client.admin.listEvents({ types: ['WalletRegistered'], page_size: 50 });
    const sentences = page.locator('button.sentence');
    await sentences.first().waitFor();
    const names = events.map(({ data }) => (data as { name: string }).name);
    assert.deepEqual(
      await sentences.allTextContents(),
      names.map((name) => `registered wallet ${name} on C`),
    );
    await tabTo(page, /^registered wallet treasury/);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Causes and effects' }).getByText('this event').waitFor();
    await page.getByText('"name": "treasury"').waitFor();
    await page.context().close();
  });

  it('exports exactly what is filtered', async () => {
    const page = await console().openSignedIn('/console/history?type=WalletRegistered');
    const started = page.waitForEvent('download');
    await tabTo(page, 'Export these as NDJSON');
    await page.keyboard.press('Enter');
    const text = readFileSync(await (await started).path(), 'utf8');
    const { events } = await console().client.admin.listEvents({
      types: ['WalletRegistered'],
      order: 'asc',
      page_size: 100,
    });
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      events,
    );
    await page.context().close();
  });

  it('finds a wallet by name and by address with the keyboard', async () => {
    const page = await console().openSignedIn('/console/wallets');
    const { address } = console().scene;
    for (const [text, name] of [
      ['treas', 'treasury'],
      [address, markup],
    ] as const) {
      await tabTo(page, 'Name, address or transaction hash');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
      await page.keyboard.press('Enter');
      await page.getByText('1 wallets, 0 transfers').waitFor();
      // Waits, because the text above may still be about the first search, which finds one wallet too.
      await eventually(async () => assert.equal(await page.locator('tbody a').textContent(), name));
    }
    await page.context().close();
  });

  it('shows a statement as the API answers it, and saves it, by keyboard', async () => {
    const page = await console().openSignedIn('/console/statements');
    await tabTo(page, /^Wallet(?!s)/);
    await page.keyboard.type('<img');
    await tabTo(page, 'Show');
    await page.keyboard.press('Enter');
    await page.getByText(/^From block \d+/).waitFor();
    const { searchParams } = new URL(page.url());
    const [start_time = 0, end_time = 0] = ['from', 'to'].map((name) =>
      Math.floor(Date.parse(searchParams.get(name) ?? '') / 1000),
    );
    const wanted = { wallet_id: console().scene.walletId, start_time, end_time };
    const { statement, movements } = await console().client.c.getStatement(wanted);
    const amounts = await page.locator('section[aria-label="Balances"] td.number').allTextContents();
    assert.deepEqual(
      amounts,
      statement.lines.flatMap((line) => [
        line.opening_balance,
        line.incoming,
        line.outgoing,
        line.fees,
        line.in_transit,
        line.closing_balance,
        line.unexplained,
      ]),
    );
    const started = page.waitForEvent('download');
    await tabTo(page, 'Save all as CSV');
    await page.keyboard.press('Enter');
    const rows = readFileSync(await (await started).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(rows.length, 1 + 7 * statement.lines.length + movements.length);
    await page.context().close();
  });

  it('sends a signed command, and shows attempts with the answer of the receiver as text', async () => {
    const { webhookId } = console().scene;
    const page = await console().openSignedIn(`/console/webhooks?api=c&webhook=${webhookId}`);
    await tabTo(page, 'Send a test');
    await page.keyboard.press('Enter');
    await page.getByText(/^Sent the test /).waitFor();
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      assert.ok((await page.getByRole('button', { name: /TEST · [1-9]/ }).count()) >= 2);
    });
    await tabTo(page, /TEST · [1-9]/);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Attempts' }).getByText(markup).waitFor();
    await page.context().close();
  });

  it('asks for the secret again after 5 minutes without use, and sends nothing without it', async () => {
    const page = await console().open('/console/webhooks');
    await page.clock.install();
    await page.reload();
    await console().signIn(page);
    await page.clock.fastForward('05:01');
    await page.getByLabel('Webhook').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Sign this request' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing was sent').waitFor();
    await page.context().close();
  });

  it('sends an operation with own ids by keyboard, and shows what the API answers', async () => {
    const page = await console().openSignedIn('/console/api/c/ListWallets');
    await tabTo(page, 'Send');
    await page.keyboard.press('Enter');
    await page.getByText('Answer: 200').waitFor();
    const shown = JSON.parse((await page.getByRole('region', { name: 'Answer' }).textContent()) ?? '');
    assert.deepEqual(shown, await console().client.c.listWallets({}));
    await page.context().close();
  });

  it('fills in own ids, and writes the call in every language', async () => {
    const page = await console().openSignedIn('/console/api/c/SendTestWebhook');
    const body = page.getByLabel('JSON body');
    await eventually(async () => assert.ok((await body.inputValue()).includes(console().scene.webhookId)));
    for (const [language, text] of Object.entries({
      'Command line': 'npx chainfold call c SendTestWebhook',
      curl: 'openssl dgst -sha256 -hmac',
      TypeScript: 'client.c.sendTestWebhook(',
      Python: 'client.call("c", "SendTestWebhook"',
      Go: 'client.Call(ctx, "c", "SendTestWebhook"',
    })) {
      await page.getByLabel('The same call in').selectOption(language);
      const code = await page.getByRole('region', { name: `Code in ${language}` }).textContent();
      assert.ok(code?.includes(text), `${language}: ${code}`);
      assert.ok(code?.includes(console().scene.webhookId), language);
    }
    await page.getByText('Signed text').click();
    assert.match(
      (await page.locator('.signed-text').textContent()) ?? '',
      /\nPOST\n\/v1\/c\/SendTestWebhook\n[0-9a-f]{64}$/,
    );
    await page.context().close();
  });

  it('loads at most 80 kB of compressed JavaScript at first', async () => {
    const { url } = console().service;
    const html = await (await fetch(`${url}/console`)).text();
    const scripts = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path = '']) => path);
    assert.ok(scripts.length > 0);
    const sizes = await Promise.all(
      scripts.map(async (path) => gzipSync(new Uint8Array(await (await fetch(url + path)).arrayBuffer())).length),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total <= 80_000, `${total} bytes`);
  });

  it('reports no error and no violation of the policy', () => assert.deepEqual(console().reports, []));
});
