import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Contents, contentsOf, openSealedFiles, writeEvidence } from '../../support/audit/evidence-folder.js';
import { namedIn, verifyByCommand, writeContents } from '../../support/audit/evidence-verifiers.js';
import { notary } from '../../support/audit/sealed-history.js';
import type { Files } from '../../support/audit/tampered-files.js';
import { useConsole } from '../../support/console/console.js';
import { pressOn, tabTo } from '../../support/console/keyboard.js';
import { usePageReader } from '../../support/console/read-page.js';
import { eventually } from '../../support/eventually.js';

/** Number of unsealed events at which the service seals a history without waiting for an hour. */
const enough = 1000;
const addresses = Array.from({ length: enough }, (_, n) => `0x${(n + 1_000_000).toString(16).padStart(40, '0')}`);

describe('the proofs in the console', () => {
  const console = useConsole();
  const read = usePageReader(console);
  let files: Files;
  let contents: Contents;
  const seals = async () => (await console().client.admin.listEvents({ types: ['AuditSealed'], page_size: 25 })).events;
  before(async () => {
    const { c } = console().client;
    const { wallet_id } = await c.registerWallet({ name: 'many addresses' });
    await c.batchRegisterAddresses({ wallet_id, addresses });
    files = await openSealedFiles(2);
    contents = contentsOf((await writeEvidence(files)).folder);
    await eventually(async () => assert.ok((await seals()).length > 0));
  });
  after(() => files?.close());

  const verdictOf = (page: Page) => page.locator('section.drop [role="status"] .note');
  const textOf = async (page: Page) => (await verdictOf(page).textContent()) ?? '';
  const openWithKey = async (key = notary.publicKey) => {
    const page = await console().openSignedIn('/console/proof');
    await tabTo(page, 'Public key that you trust');
    await page.keyboard.insertText(key);
    return page;
  };
  const verifyFolder = async (page: Page, folder: string) => {
    await page.getByLabel('Evidence folder').setInputFiles(folder);
    return textOf(page);
  };
  const altered = (file: string, from: string, to: string): Contents => {
    const text = contents.get(file) ?? '';
    assert.ok(text.includes(from), file);
    return new Map([...contents, [file, text.replace(from, () => to)]]);
  };

  it('show every seal that ListEvents answers, and the keys with their fingerprints', async () => {
    const page = await console().openSignedIn('/console/proof');
    const steps = page.getByRole('list', { name: 'Seals' }).locator('strong');
    await steps.first().waitFor();
    assert.deepEqual(
      await steps.allTextContents(),
      (await seals()).map(({ data }) => `${(data as { count: number }).count} events`),
    );
    const { keys } = (await (await fetch(`${console().service.url}/.well-known/audit-keys`)).json()) as {
      keys: { key_id: string; public_key: string }[];
    };
    const [key] = keys;
    await page.getByTitle(key?.public_key ?? '').waitFor();
    const fingerprint = (await page.locator('.fingerprint').textContent())?.replaceAll(' ', '') ?? '';
    // The id of a key is the beginning of its fingerprint.
    assert.match(fingerprint, /^[0-9a-f]{64}$/);
    assert.ok(fingerprint.startsWith(key?.key_id ?? 'no key'), `${fingerprint} ${key?.key_id}`);
    await page.context().close();
  });

  it('are checked in the browser for the whole history, by keyboard', async () => {
    const page = await console().openSignedIn('/console/proof');
    await pressOn(page, 'Use the key that the service publishes now');
    await pressOn(page, 'Export the whole history and verify it');
    await page.getByText('the history as it is now: valid: every event').waitFor();
    await page.context().close();
  });

  it('hold for an untouched evidence folder and its export, and ask nothing of the service', async () => {
    const page = await openWithKey();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    assert.match(await verifyFolder(page, writeContents(contents)), /^the folder with \d+ files: valid: /);
    const folder = writeContents(contents);
    await page.getByLabel('Export', { exact: true }).setInputFiles(join(folder, 'history.ndjson'));
    await page.getByText(/^history\.ndjson: valid: /).waitFor();
    assert.deepEqual(
      requests.filter((path) => path !== '/health/ready' && path !== '/v1/admin/ListEvents'),
      [],
    );
    await page.context().close();
  });

  it('name the same event as audit verify after tampering, and show it', async () => {
    const page = await openWithKey();
    for (const [file, from, to] of [
      ['history.ndjson', '"Acme', '"<b>Evil</b>'],
      ['seals.ndjson', '"count":11', '"count":12'],
      ['README.txt', 'None is left out', 'One is left out'],
      [[...contents.keys()].find((name) => name.startsWith('statement-')) ?? '', 'movement', 'moved'],
    ] as const) {
      const folder = writeContents(altered(file, from, to));
      const found = await verifyFolder(page, folder);
      const [expected] = await verifyByCommand([folder], notary.publicKey);
      assert.ok(expected, file);
      assert.deepEqual(namedIn(found.slice(found.indexOf(': ') + 2)), expected, file);
      if (expected.event > 0) await page.getByRole('region', { name: `Event ${expected.event}` }).waitFor();
      if (file === 'history.ndjson') await page.getByText('<b>Evil</b>').waitFor();
    }
    await page.context().close();
  });

  it('are checked for a folder or a file that is dropped on the page', async () => {
    const page = await openWithKey();
    const folder = writeContents(contents);
    const protocol = await page.context().newCDPSession(page);
    for (const [path, verdict] of [
      [folder, /^the folder with \d+ files: valid: /],
      [join(folder, 'history.ndjson'), /^history\.ndjson: valid: /],
    ] as const) {
      const { x = 0, y = 0 } =
        (await page.getByRole('heading', { name: 'Verify in this browser' }).boundingBox()) ?? {};
      const data = { items: [], files: [path], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await protocol.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data });
      await page.getByText(verdict).waitFor();
    }
    await page.context().close();
  });

  it('are not claimed without a key, for a mistyped one, or for a statement by itself', async () => {
    const page = await openWithKey('audpk_short');
    const folder = writeContents(contents);
    assert.match(await verifyFolder(page, folder), /That is not a key\./);
    await page.getByLabel('Public key that you trust').fill('');
    assert.match(await verifyFolder(page, folder), /NOT PROVEN: /);
    const statement = [...contents.keys()].find((name) => name.startsWith('statement-')) ?? '';
    await page.getByLabel('Export', { exact: true }).setInputFiles(join(folder, statement));
    await page.getByText(`${statement} carries no signature.`).waitFor();
    await page.context().close();
  });

  it('are shown in every size and colour', () =>
    read({
      name: 'proof',
      path: '/console/proof',
      isReady: async (page) => {
        await page.getByRole('list', { name: 'Seals' }).locator('li').first().waitFor();
        await page.getByLabel('Public key that you trust').fill(notary.publicKey);
        await page
          .getByLabel('Evidence folder')
          .setInputFiles(writeContents(altered('history.ndjson', '"Acme', '"Evil')));
        await page.getByRole('region', { name: /^Event \d+$/ }).waitFor();
      },
      height: 1320,
    }));

  it('make no request to another origin, no violation of the policy, and no error', () =>
    assert.deepEqual(console().reports, []));
});
