import assert from 'node:assert/strict';
import type { Handle } from '../../../application/commands/handle.js';
import type { Chain, Header, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { DocumentKey, ReadModels } from '../../../application/ports/read-models.js';
import { createTransactionWatcher } from '../../../application/transactions/watch.js';
import { scopeOf } from '../../../projections/define.js';
import { type OpenTransactionDocument, openTransactions } from '../../../projections/transactions.js';
import { followedVariant } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';
import { openDocument } from '../../support/transactions/open-document.js';

const header = (number: number): Header => ({ number, hash: `0xb${number}`, parentHash: `0xb${number - 1}`, time: 9 });
const start = Date.parse('2026-01-01T00:00:00Z');
const pageSize = 500;
const many = 4000;
/** Maximum number of transactions that one round checks at the nodes. */
const maxChecks = 256;

const document = (n: number, given: Partial<OpenTransactionDocument> = {}) =>
  openDocument(n, { chain: header(0).hash, ...given });

/** Starts a watcher that stops after each round until the next call of `round`, and counts the documents it reads. */
const startWatcher = () => {
  const documents = new Map<string, OpenTransactionDocument>();
  const stored: object[] = [];
  const state = {
    head: 9,
    now: start,
    /** Number of stored events that the documents include. */
    included: 0,
    stopped: {} as Record<string, number>,
    /** Number of used nonces of each sender. */
    count: 0,
    isMined: (_hash: string) => true,
    failing: null as string | null,
    isScanBroken: false,
  };
  const seen = { documents: 0, histories: 0, nodes: 0, observed: [] as string[], known: [] as string[] };
  const readModels = {
    scan: async (_: unknown, after?: DocumentKey) => {
      if (state.isScanBroken) throw new Error('the read models are unavailable');
      const all = [...documents.entries()];
      const from = after ? all.findIndex(([id]) => id === `${after.scope} ${after.id}`) + 1 : 0;
      const page = all.slice(from, from + pageSize);
      seen.documents += page.length;
      return page.map(([key, one]) => ({ scope: key.split(' ')[0], id: one.transaction_id, document: one }));
    },
    getMany: async (collection: unknown, keys: readonly DocumentKey[]) => {
      if (collection !== openTransactions) return keys.map(() => ({ confirmation: 1 }));
      seen.documents += keys.length;
      return keys.map(({ scope, id }) => documents.get(`${scope} ${id}`) ?? null);
    },
    checkpoint: async () => ({
      revision: state.included,
      positions: { [openTransactions.name]: state.included, ...state.stopped },
    }),
  } as unknown as ReadModels;
  const sending = {
    countsAt: async (senders: readonly string[]) => senders.map(() => state.count),
    inclusionsAt: async (hashes: readonly string[]) =>
      hashes.map((hash) => (state.isMined(hash) ? { block: header(9), failed: false } : null)),
    knows: async (hashes: readonly string[]) => {
      seen.known.push(...hashes);
      return hashes.map(() => true);
    },
  } as unknown as Sending;
  const node = (number: () => number) => async () => {
    seen.nodes++;
    return header(number());
  };
  const chain = {
    genesis: node(() => 0),
    head: node(() => state.head),
    headerOf: async () => null,
    finalized: async () => 0,
  } as unknown as Chain;
  const handle: Handle = async ({ organizationId, requestId }) => {
    if (organizationId === state.failing) throw new Error('this stream cannot be read');
    return seen.observed.push(requestId.replace('transaction ', ''));
  };
  const events = {
    readAll: async function* (after: number) {
      seen.histories++;
      yield stored.slice(after);
    },
  } as unknown as EventStore;

  const stop = new AbortController();
  let proceed = () => {};
  let ended = () => {};
  const sleep = () => {
    const paused = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    ended();
    return paused;
  };
  const system = { ...testSystem, sleep, now: () => state.now };
  const watch = createTransactionWatcher({ chain, sending, events, readModels, handle, system }, followedVariant);
  let running: Promise<void> | null = null;
  /** Runs one round, and returns what it did. */
  const round = async () => {
    Object.assign(seen, { documents: 0, histories: 0, nodes: 0, observed: [], known: [] });
    const over = new Promise<void>((resolve) => {
      ended = resolve;
    });
    if (running === null) running = watch(stop.signal);
    else proceed();
    await over;
    return { ...seen };
  };
  const keyOf = (transactionId: string, owner: string) => `${scopeOf(owner, followedVariant.tag)} ${transactionId}`;
  const put = (one: OpenTransactionDocument, owner = 'org_a') => documents.set(keyOf(one.transaction_id, owner), one);
  const remove = (transactionId: string) => documents.delete(keyOf(transactionId, 'org_a'));
  /** Stores an event about a transaction, which the documents include once `state.included` is advanced. */
  const store = (transactionId: string, organizationId = 'org_a') => {
    const metadata = { organizationId, variant: followedVariant.tag };
    stored.push({ position: stored.length + 1, type: 'TransactionSent', data: { transactionId }, metadata });
  };
  const close = async () => {
    stop.abort();
    proceed();
    await running;
  };
  return { state, round, put, remove, store, close };
};

describe('a round of the transaction watcher without a new head', () => {
  let scene: ReturnType<typeof startWatcher>;
  beforeEach(() => {
    scene = startWatcher();
  });
  afterEach(() => scene.close());
  const open = (count: number, given: Partial<OpenTransactionDocument> = {}) => {
    for (let n = 0; n < count; n++) scene.put(document(n, given));
  };

  it('reads no document, and a bounded number while transactions are due, however many are open', async () => {
    open(many);
    assert.ok((await scene.round()).documents >= many);
    for (let n = 0; n < 5; n++) assert.equal((await scene.round()).documents, 0);
    scene.state.now += 10_000;
    const known = new Set<string>();
    for (let checked = 0; checked < many; checked += maxChecks) {
      const found = await scene.round();
      assert.ok(found.documents <= maxChecks, `${found.documents} documents were read`);
      for (const hash of found.known) known.add(hash);
    }
    assert.equal(known.size, many);
    assert.equal((await scene.round()).documents, 0);
    scene.state.head++;
    assert.equal((await scene.round()).documents, many);
  });

  it('finds the outcome of a transaction once the read models include that it was sent, and reads no other', async () => {
    open(many);
    scene.state.isMined = (hash) => hash === '0xnew';
    await scene.round();
    scene.store('tx_new');
    assert.deepEqual((await scene.round()).observed, []);
    scene.put(document(0, { transaction_id: 'tx_new', hash: '0xnew', from: '0xbb', seen: null }));
    scene.state.count = 1;
    scene.state.included = 1;
    const found = await scene.round();
    assert.deepEqual([found.observed, found.documents], [['tx_new'], 1]);
    assert.equal((await scene.round()).documents, 0);
  });

  it('checks those that are due as their documents are now', async () => {
    open(4);
    await scene.round();
    scene.remove('tx_0');
    scene.put(document(1, { seen: { kind: 'replaced' } }));
    scene.put(document(2, { is_canceling: true }));
    scene.state.now += 10_000;
    assert.deepEqual((await scene.round()).known, ['0x3']);
    scene.state.now += 9999;
    assert.deepEqual((await scene.round()).known, []);
    scene.state.now++;
    assert.deepEqual((await scene.round()).known, ['0x3']);
  });

  it('tries again what could not be recorded, and reads no other transaction', async () => {
    scene.state.count = many;
    open(many);
    scene.put(document(0, { transaction_id: 'tx_failing' }), 'org_b');
    scene.state.failing = 'org_b';
    assert.equal((await scene.round()).observed.length, many);
    for (let n = 0; n < 2; n++) assert.equal((await scene.round()).documents, 1);
    scene.state.failing = null;
    assert.deepEqual((await scene.round()).observed, ['tx_failing']);
    assert.equal((await scene.round()).documents, 0);
  });

  it('asks again about a transaction on which the nodes disagree', async () => {
    open(1, { seen: { kind: 'replaced' } });
    assert.deepEqual((await scene.round()).observed, []);
    scene.state.isMined = () => false;
    assert.deepEqual((await scene.round()).observed, ['tx_0']);
  });

  it('reads all after a round that failed', async () => {
    open(many);
    await scene.round();
    scene.state.isScanBroken = true;
    scene.state.head++;
    await scene.round();
    scene.state.isScanBroken = false;
    assert.equal((await scene.round()).documents, many);
    assert.equal((await scene.round()).documents, 0);
  });

  it('reads all once an organization that was stopped has continued, and once the read models were rebuilt', async () => {
    open(many);
    scene.store('tx_0');
    scene.state.included = 1;
    scene.state.stopped = { [`${openTransactions.name} org_b`]: 0 };
    await scene.round();
    assert.equal((await scene.round()).documents, 0);
    scene.state.stopped = {};
    assert.equal((await scene.round()).documents, many);
    scene.state.included = 0;
    assert.equal((await scene.round()).documents, many);
    assert.equal((await scene.round()).documents, 0);
  });

  it('leaves changes at a lower head to the next round at a head that is not lower', async () => {
    open(1);
    await scene.round();
    scene.put(document(1, { from: '0xbb' }));
    scene.store('tx_1');
    Object.assign(scene.state, { included: 1, count: 2, head: 8 });
    assert.deepEqual((await scene.round()).observed, []);
    scene.state.head = 9;
    assert.deepEqual((await scene.round()).observed, ['tx_1']);
  });

  it('asks no node while no transaction is open', async () => {
    for (let n = 0; n < 2; n++) assert.equal((await scene.round()).nodes, 0);
    scene.put(document(0));
    scene.store('tx_0');
    scene.state.included = 1;
    Object.assign(scene.state, { count: 1 });
    assert.deepEqual((await scene.round()).observed, ['tx_0']);
  });

  it('reads no events while no transaction is open, and all open ones as soon as there are any', async () => {
    await scene.round();
    scene.store('tx_0');
    scene.state.included = 1;
    assert.equal((await scene.round()).histories, 0);
    open(1);
    scene.state.count = 1;
    assert.deepEqual((await scene.round()).observed, ['tx_0']);
  });
});
