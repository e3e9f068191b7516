import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Context } from '../../../application/commands/handle.js';
import type { WalletApis } from '../../../application/composition/wallet-apis.js';
import type { EventStore, Moment, Position } from '../../../application/ports/event-store.js';
import { now } from '../../../application/ports/event-store.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { allEvents, contextOf, openStores } from '../../support/following/following.js';
import { type Happened, histories } from '../../support/histories/histories.js';
import { tags } from '../../support/histories/history-asks.js';
import { answers, openHistory, ownersOf, readAnswer, renamed, type WalletPage } from '../../support/histories/past.js';
import { aboutAt } from '../../support/histories/project.js';

const { signal } = new AbortController();
const variant = variants.find(({ tag }) => tag === tags[0]) as Variant;

type History = ReturnType<typeof openHistory>;
type Noted = { readonly by: Context; readonly position: Position; readonly found: readonly string[] };

/** Appends the history in parts, and notes the result of every query after each part. */
const play = async (
  { app, append }: History,
  owners: readonly Context[],
  history: readonly Happened[],
  every: number,
) => {
  const noted: Noted[] = [];
  for (let i = 0; i < history.length; i += every) {
    const position = await append(history.slice(i, i + every));
    for (const by of owners) noted.push({ by, position, found: await answers(app, by) });
  }
  return noted;
};

/**
 * Lists the moments that identify a position: the position itself, and its time if the next event has a later time.
 */
const momentsOf = (times: ReadonlyMap<Position, number>, position: Position): Moment[] => {
  const time = times.get(position) ?? 0;
  const next = times.get(position + 1) ?? Number.POSITIVE_INFINITY;
  return next > time ? [{ position }, { time }] : [{ position }];
};

describe('an answer as of a past moment', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('equals the answer given at that moment, for every Get and List operation', async () => {
    const seen = new Set<string>();
    let played = 0;
    const checkNoted = async ({ app }: History, { by, position, found }: Noted, moments: readonly Moment[]) => {
      for (const moment of moments) {
        const { records } = await app.asOf.at(by.organizationId, moment, { maxEvents: app.asOf.maxEvents, signal });
        const description = `${by.organizationId} ${by.variant.tag} ${position} ${JSON.stringify(moment)}`;
        assert.deepEqual(await answers(records, by), found, description);
      }
      for (const text of [...found, ...moments.flatMap((one) => Object.keys(one))]) seen.add(text.slice(0, 9));
    };
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 20, max: 60 }), async (happened, every) => {
        const history = openHistory(stores);
        const name = `h${played++}x`;
        try {
          const noted = await play(history, ownersOf(name), renamed(happened, name), every);
          const times = new Map((await allEvents(history.events)).map(({ position, time }) => [position, time]));
          for (const one of noted) await checkNoted(history, one, momentsOf(times, one.position));
        } finally {
          await history.close();
        }
      }),
      { numRuns: 4, endOnFailure: true },
    );
    for (const kind of ['position', 'time', 'NOT_FOUND', 'FAILED_PR', '{"wallet_', '{"transac', '{"digest'])
      assert.ok(
        [...seen].some((text) => text.startsWith(kind)),
        kind,
      );
  });

  describe('within its bounds', () => {
    /** Registration of the n-th wallet of an organization. */
    const wallet = (organizationId: string, n: number): Happened => ({
      stream: `${organizationId}.wallet-${variant.tag}.wal_${n}`,
      type: 'WalletRegistered',
      data: { walletId: `wal_${n}`, name: `${n}` },
      about: aboutAt(organizationId, variant.tag, 0),
    });
    const wallets = (organizationId: string, count: number) =>
      Array.from({ length: count }, (_, n) => wallet(organizationId, n));
    let [mine, other, tests] = ['', '', 0];
    let by: Context;
    let history: History;
    /** Reads of histories, each with its organization and the number of its batches. */
    let reads: { organizationId: string; batches: number; ended: boolean }[];
    let onBatch: (batches: number) => void;
    const wrap = (events: EventStore): EventStore => ({
      ...events,
      readOrganization: async function* (organizationId, after) {
        const read = { organizationId, batches: 0, ended: false };
        reads.push(read);
        try {
          for await (const batch of events.readOrganization(organizationId, after)) {
            read.batches++;
            onBatch(read.batches);
            yield batch;
          }
        } finally {
          read.ended = true;
        }
      },
    });
    const open = (asOfEvents = 1_000_000) => {
      history = openHistory(stores, { asOfEvents, wrap });
    };
    const ask = (moment: Moment, gone: AbortSignal = signal, maxEvents = history.app.asOf.maxEvents) =>
      history.app.asOf.at(mine, moment, { maxEvents, signal: gone });
    const countOf = async ({ records }: Awaited<ReturnType<typeof ask>>) =>
      (await readAnswer<WalletPage>(records.wallets.list(by, { size: 100, token: undefined }))).wallets.length;
    beforeEach(() => {
      [mine, other] = [`org_mine${tests}`, `org_other${tests++}`];
      by = contextOf(mine, variant);
      reads = [];
      onBatch = () => undefined;
    });
    afterEach(() => history.close());

    it('reads only the events of its organization, and is rejected after one count if there are too many', async () => {
      open(3);
      const third = await history.append(wallets(mine, 3));
      await history.append(wallets(other, 20));
      assert.equal(await countOf(await ask(now)), 3);
      const fourth = await history.append([wallet(mine, 3)]);
      for (let times = 0; times < 2; times++)
        await assert.rejects(ask(now), {
          code: 'UNAVAILABLE',
          position: fourth,
          message: /more than 3 events, the limit set by CHAINFOLD_AS_OF_EVENTS/,
        });
      await assert.rejects(ask({ position: fourth }), { code: 'UNAVAILABLE' });
      assert.equal(await countOf(await ask({ position: fourth - 1 })), 3);
      assert.equal((await ask({ position: fourth - 1 })).position, third);
      assert.equal(await countOf(await ask(now, signal, Number.POSITIVE_INFINITY)), 4);
      assert.deepEqual(
        reads.map(({ organizationId }) => organizationId),
        [mine, mine, mine],
      );
    });

    it('is cached for all moments between the same two events, up to a limit of events', async () => {
      open(1500);
      const position = await history.append(wallets(mine, 600));
      const last = await history.append(wallets(other, 5));
      for (const moment of [{ position }, { position: last }, now]) assert.equal(await countOf(await ask(moment)), 100);
      assert.equal(reads.length, 1);
      await ask({ position: position - 1 });
      await ask({ position });
      assert.equal(reads.length, 3);
      await ask({ position });
      assert.equal(reads.length, 3);
    });

    it('is computed once for concurrent callers, as long as one of them waits', async () => {
      open();
      await history.append(wallets(mine, 1200));
      const [impatient, patient] = [new AbortController(), new AbortController()];
      onBatch = () => impatient.abort();
      const asked = [ask(now, impatient.signal), ask(now, patient.signal), ask(now, patient.signal)];
      for (const one of await Promise.all(asked)) assert.equal(await countOf(one), 100);
      assert.equal(reads.length, 1);
      assert.ok(reads[0] && reads[0].batches > 1);
    });

    it('is cancelled when no caller waits, and computed again for the next caller', async () => {
      open();
      await history.append(wallets(mine, 1200));
      const gone = new AbortController();
      onBatch = (batches) => batches === 2 && gone.abort();
      const asked = [ask(now, gone.signal), ask(now, gone.signal)];
      for (const one of asked) await assert.rejects(one, { code: 'UNAVAILABLE', message: /The request was canceled/ });
      assert.deepEqual(
        reads.map(({ batches, ended }) => ({ batches, ended })),
        [{ batches: 2, ended: true }],
      );
      assert.equal(await countOf(await ask(now)), 100);
      await assert.rejects(ask({ position: 7 }, gone.signal), /The request was canceled/);
    });

    it('waits only for the history in progress, not for the queued histories of another organization', async () => {
      open();
      const last = await history.append(wallets(other, 1200));
      await history.append(wallets(mine, 1200));
      const foldsOf = (organizationId: string) => reads.filter((one) => one.organizationId === organizationId).length;
      const askFor = (n: number) => {
        const bounds = { maxEvents: history.app.asOf.maxEvents, signal: new AbortController().signal };
        return history.app.asOf.at(other, { position: last - n }, bounds);
      };
      const asked = Array.from({ length: 30 }, (_, n) => askFor(n));
      assert.equal(await countOf(await ask(now)), 100);
      // Allows the other organization two reads of its history: one was in progress, and a second may start while the
      // history of `mine` is read.
      assert.equal(foldsOf(mine), 1);
      assert.ok(foldsOf(other) <= 2, `${foldsOf(other)} histories of the other organization were started`);
      await Promise.all(asked);
      assert.equal(foldsOf(other), 30);
    });

    it('accepts only page tokens of the same moment', async () => {
      open();
      const position = await history.append(wallets(mine, 9));
      const list = (records: WalletApis, token?: string) =>
        readAnswer<WalletPage>(records.wallets.list(by, { size: 2, token }));
      const [then, before] = [await ask({ position }), await ask({ position: position - 1 })];
      const { nextPageToken } = await list(then.records);
      assert.equal((await list((await ask({ position })).records, nextPageToken)).wallets[0]?.name, '6');
      for (const records of [before.records, history.app])
        await assert.rejects(list(records, nextPageToken), { code: 'INVALID_ARGUMENT' });
      await assert.rejects(list(then.records, (await list(history.app)).nextPageToken), { code: 'INVALID_ARGUMENT' });
    });

    it('rejects commands', async () => {
      open();
      const position = await history.append(wallets(mine, 1));
      const { records } = await ask(now);
      const wanted = { name: 'late', address: undefined, importAsset: undefined, confirmation: undefined };
      await assert.rejects(records.wallets.register(by, wanted), { code: 'FAILED_PRECONDITION' });
      assert.equal(await history.events.head(), position);
    });
  });
});
