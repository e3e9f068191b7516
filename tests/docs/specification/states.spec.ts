import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { stateOf as transferStateOf, transferStatuses } from '../../../application/assets/wire-records.js';
import { stateOf as transactionStateOf } from '../../../application/transactions/wire-record.js';
import { roles } from '../../../domain/aggregates/credential.js';
import { retryDelays, retryJitter } from '../../../domain/aggregates/delivery/retry-schedule.js';
import { assetTypeOf, contractTypeOf, standardsOf, tokenStandards } from '../../../domain/asset.js';
import { defaultLimits } from '../../../domain/rate-limit.js';
import { variants } from '../../../domain/variant.js';
import { transferTypes } from '../../../infrastructure/chains/ton/movements.js';
import { commands } from '../../../interfaces/cli/run.js';
import { problems } from '../../../interfaces/http/problems.js';
import { webhookStatusOf } from '../../../interfaces/operations/webhooks/webhook-records.js';
import { deliveryStatuses } from '../../../projections/deliveries.js';
import { transactionStates } from '../../../projections/transactions.js';
import { transferStates } from '../../../projections/transfers.js';
import { readPage } from '../../support/docs/markdown.js';
import { coded, sectionAt } from '../../support/docs/specification.js';
import { senderWith } from '../../support/webhooks/webhook-sender.js';

const sections = readPage('docs/specification.md');
const tables = sections.flatMap((section) => section.tables.map((table) => ({ ...table, anchor: section.anchor })));

const plain = (cell: string | undefined) => (cell ?? '').replaceAll('`', '');
/** Returns the rows of the section's only table with the given first column. */
const tableAt = (anchor: string, first: string) => {
  const [found, another] = tables.filter((table) => table.anchor === anchor && table.columns[0] === first);
  assert.ok(found && !another, `one table of ${first} at #${anchor}`);
  return found.rows;
};
const columnAt = (anchor: string, first: string) => tableAt(anchor, first).map((row) => plain(row[first]));
const pairsAt = (anchor: string, first: string, second: string) =>
  tableAt(anchor, first).map((row) => [plain(row[first]), plain(row[second])]);

const wallets = variants.filter(({ surface }) => surface === 'wallet');
const read = (file: string) => readFileSync(file, 'utf8');
const sourcesIn = (room: string) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(`${room}/${file}`));

describe('docs/specification.md', () => {
  it('lists every API with its chain', () => {
    const inCode = variants.map(({ segment, tag, surface }) => [segment, surface === 'admin' ? 'none' : tag]);
    assert.deepEqual(pairsAt('11-the-apis', 'api', 'chain'), inCode);
  });

  it('lists every state, status and type of a transfer', () => {
    assert.deepEqual(columnAt('31-transfers', 'transfer_state'), transferStates.map(transferStateOf));
    assert.deepEqual(columnAt('31-transfers', 'status'), Object.values(transferStatuses));
    assert.deepEqual(columnAt('31-transfers', 'transfer_type'), Object.values(transferTypes));
  });

  it('lists every state of a managed transaction', () =>
    assert.deepEqual(
      columnAt('32-managed-transactions', 'transaction_state'),
      transactionStates.map(transactionStateOf),
    ));

  it('lists every status of a delivery', () =>
    assert.deepEqual(columnAt('33-webhook-deliveries', 'webhook_status'), deliveryStatuses.map(webhookStatusOf)));

  it('lists the asset types of each API, and the contract types', () => {
    const inCode = wallets.map((variant) => {
      const types = standardsOf(variant).map((standard) => assetTypeOf(variant, standard));
      return [variant.segment, types.join(', ')];
    });
    assert.deepEqual(pairsAt('27-asset-types-and-contract-types', 'api', 'asset_type'), inCode);
    const types = columnAt('27-asset-types-and-contract-types', 'contract_type');
    assert.deepEqual(types, tokenStandards.map(contractTypeOf));
  });

  it('lists the notification type of each API', () =>
    assert.deepEqual(
      pairsAt('82-what-is-sent', 'api', 'notification_type'),
      wallets.map(({ segment, notificationType }) => [segment, notificationType]),
    ));

  it('states the confirmation depth of APIs whose wallets cannot set it', () => {
    const silent = wallets.filter(({ can }) => !can.includes('confirmation'));
    assert.deepEqual(
      pairsAt('42-confirmations', 'api', 'confirmations that count'),
      silent.map(({ segment, depth }) => [segment, String(depth)]),
    );
  });

  it('lists every problem code, with its HTTP status and whether it is retryable', () => {
    const onPage = tableAt('72-problems', 'code').map(({ code, status, retryable }) => [
      plain(code),
      { status: Number(status), retryable: retryable === 'yes' },
    ]);
    const inCode = Object.entries(problems).map(([code, { status, retryable }]) => [code, { status, retryable }]);
    assert.deepEqual(onPage, inCode);
  });

  it('lists every role', () => assert.deepEqual(columnAt('62-roles', 'role'), roles));

  it('lists the default rate limits', () =>
    assert.deepEqual(
      pairsAt('10-rate-limits', 'window', 'default'),
      Object.entries(defaultLimits).map(([window, limit]) => [window, String(limit)]),
    ));

  it('lists the retry schedule of deliveries', () => {
    const written = (ms: number) => {
      if (ms < 60_000) return `${ms / 1000} s`;
      return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
    };
    const inCode = [...retryDelays.map(written), 'never'].map((after, i) => [String(i + 1), after]);
    assert.deepEqual(pairsAt('84-attempts', 'failed attempts', 'next after'), inCode);
    assert.match(read('docs/specification.md'), new RegExp(`each delay ± ${retryJitter * 100} %`));
  });

  it('names only webhook headers that are rejected', async () => {
    const text = sectionAt('86-custom-headers').lines.join(' ');
    const [, exact = '', prefixes = ''] = /are reserved: (.+), and all names that begin with (.+?)\./.exec(text) ?? [];
    const names = [...coded(exact), ...coded(prefixes).map((prefix) => `${prefix}any`)];
    assert.ok(names.length > 10);
    const sender = senderWith();
    for (const name of names)
      assert.equal(
        sender.checkHeader(name, 'x')?.reason,
        'the name is reserved for HTTP and for the service itself',
        name,
      );
    await sender.close();
  });

  it('lists every command of the command line', () =>
    assert.deepEqual(
      columnAt('14-running-it', 'command'),
      commands.map(({ words }) => words),
    ));

  it('lists every page of the console', () => {
    const inCode = [...read('interfaces/pages/pages.ts').matchAll(/pages\.get\(\s*'([^']+)'/g)].map(
      ([, path = '']) => path,
    );
    assert.deepEqual(new Set(columnAt('13-pages', 'path')), new Set(inCode));
  });

  it('names only headers and id prefixes that exist in the code', () => {
    const sources = ['application', 'infrastructure', 'interfaces'].flatMap(sourcesIn).join('\n');
    const anchors = ['61-signed-requests', '73-headers-of-requests', '74-headers-of-answers', '83-signatures'];
    const headers = anchors.flatMap((anchor) => columnAt(anchor, 'header'));
    assert.ok(headers.length > 10);
    for (const header of headers) assert.ok(sources.includes(`'${header}'`), header);
    for (const beginning of columnAt('13-ids', 'begins with'))
      assert.ok(new RegExp(`['\`]${beginning.slice(0, -1)}[_']`).test(sources), beginning);
  });
});
