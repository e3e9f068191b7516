import assert from 'node:assert/strict';
import type { Handle } from '../../../application/commands/handle.js';
import type { Chain, Header, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { DocumentKey, ReadModels } from '../../../application/ports/read-models.js';
import { createTransactionWatcher } from '../../../application/transactions/watch.js';
import { scopeOf } from '../../../projections/define.js';
import { type OpenTransactionDocument, openTransactions } from '../../../projections/transactions.js';
import { countScans } from '../../support/array-scans.js';
import { followedVariant } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';
import { openDocument } from '../../support/transactions/open-document.js';

const head: Header = { number: 9, hash: '0xb9', parentHash: '0xb8', time: 9 };
const document = (n: number, given: Partial<OpenTransactionDocument> = {}) =>
  openDocument(n, { chain: head.hash, ...given });
type Owned = { readonly owner: string; readonly document: OpenTransactionDocument };

/**
 * Runs one round of the watcher. Transactions with a nonce below `count` are mined in the head; transactions of the
 * organization `failing` can be neither recorded nor looked up.
 */
const watchOnce = async (open: readonly Owned[], count: number, failing = '') => {
  const failingHashes = new Set(open.flatMap(({ owner, document: { hash } }) => (owner === failing ? [hash] : [])));
  const warnings: object[] = [];
  const observed: string[] = [];
  const known: string[] = [];
  const found = open.map(({ owner, document: one }) => ({
    scope: scopeOf(owner, followedVariant.tag),
    id: one.transaction_id,
    document: one,
  }));
  const documents = new Map(found.map(({ scope, id, document: one }) => [`${scope} ${id}`, one]));
  const readModels = {
    scan: async (_: unknown, after?: object) => (after ? [] : found),
    getMany: async (collection: unknown, keys: readonly DocumentKey[]) =>
      keys.map(({ scope, id }) =>
        collection === openTransactions ? documents.get(`${scope} ${id}`) : { confirmation: 1 },
      ),
    checkpoint: async () => ({ revision: 1, positions: {} }),
  } as unknown as ReadModels;
  const sending = {
    countsAt: async (senders: readonly string[]) => senders.map(() => count),
    inclusionsAt: async (hashes: readonly string[]) => hashes.map(() => ({ block: head, failed: false })),
    knows: async (hashes: readonly string[]) => {
      if (hashes.some((hash) => failingHashes.has(hash))) throw new Error('no node answers about this transaction');
      known.push(...hashes);
      return hashes.map(() => true);
    },
  } as unknown as Sending;
  const chain = { genesis: async () => head, head: async () => head, finalized: async () => 0 } as unknown as Chain;
  const handle: Handle = async ({ organizationId }) => {
    if (organizationId === failing) throw new Error('this stream cannot be read');
    return observed.push(organizationId);
  };
  const stop = new AbortController();
  let turns = 0;
  const breathe = async () => void turns++;
  const log = { ...testSystem.log, warn: (facts: object) => void warnings.push(facts) };
  const system = { ...testSystem, log, breathe, sleep: async () => stop.abort() };
  const ports = { chain, sending, events: {} as EventStore, readModels, handle, system };
  await createTransactionWatcher(ports, followedVariant)(stop.signal);
  return { observed, known, turns, warnings };
};

describe('the watcher of many open transactions', () => {
  it('visits each of them a bounded number of times, however many there are', async () => {
    const many = 4000;
    const open = Array.from({ length: many }, (_, n) => ({ owner: 'org_a', document: document(n) }));
    const scanned = await countScans(() => watchOnce(open, many / 2));
    assert.ok(scanned < 100 * many, `${scanned} elements were passed over`);
  });

  it('visits at most a thousand of them in one turn of the event loop', async () => {
    const many = 4000;
    const open = Array.from({ length: many }, (_, n) => ({ owner: 'org_a', document: document(n) }));
    const { turns } = await watchOnce(open, 0);
    assert.ok(turns >= (2 * many) / 1000, `${turns} turns to find their outcomes and those that nodes lost`);
  });

  it('alternates between organizations when it records and broadcasts, over several rounds', async () => {
    const greedy = Array.from({ length: 1000 }, (_, n) => ({ owner: 'org_a', document: document(n) }));
    const modest = [{ owner: 'org_b', document: document(5000, { from: '0xbb' }) }];
    const mined = await watchOnce([...greedy, ...modest], 10_000);
    assert.ok(mined.observed.indexOf('org_b') <= 1, `after ${mined.observed.indexOf('org_b')} of another`);
    const waiting = await watchOnce([...greedy, ...modest], 0);
    assert.ok(waiting.known.indexOf('0x5000') <= 1, `after ${waiting.known.indexOf('0x5000')} of another`);
    assert.ok(waiting.known.length <= 256, `${waiting.known.length} were looked up in one round`);
  });

  it('records and broadcasts the others when those of one organization fail, and logs the failures', async () => {
    const owned = (owner: string, n: number, from: string) => ({ owner, document: document(n, { from }) });
    const others = Array.from({ length: 100 }, (_, n) => owned(`org_b${n}`, n, '0xbb'));
    const failing = Array.from({ length: 40 }, (_, n) => owned('org_a', 200 + n, '0xaa'));
    const waiting = [owned('org_c', 20_000, '0xcc'), owned('org_a', 20_001, '0xaa')];
    const { observed, known, warnings } = await watchOnce([...failing, ...waiting, ...others], 10_000, 'org_a');
    assert.deepEqual(new Set(observed), new Set(others.map(({ owner }) => owner)));
    assert.deepEqual(known, ['0x20000']);
    const failures = warnings.map((one) => one as { failed: number; organization: string; transaction: string });
    assert.deepEqual(
      failures.map(({ failed, organization, transaction }) => [failed, organization, transaction]),
      [
        [40, 'org_a', 'tx_200'],
        [1, 'org_a', 'tx_20001'],
      ],
    );
  });
});
