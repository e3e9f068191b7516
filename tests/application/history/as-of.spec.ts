import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Context } from '../../../application/commands/handle.js';
import { now } from '../../../application/history/parse-moment.js';
import type { EventStore, Moment, Position } from '../../../application/ports/event-store.js';
import type { Records } from '../../../application/wallet-apis.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { allEvents, contextOf, openStores } from '../../support/following.js';
import { type Happened, histories } from '../../support/histories.js';
import { tags } from '../../support/history-asks.js';
import { answers, openHistory, ownersOf, renamed } from '../../support/past.js';

const { signal } = new AbortController();
const variant = variants.find(({ tag }) => tag === tags[0]) as Variant;

type History = ReturnType<typeof openHistory>;
type Noted = { readonly by: Context; readonly position: Position; readonly found: readonly string[] };

/** Lets everything happen, and notes what is answered on the way. */
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

/** The ways to name when it was: the time too, where the next event came later. */
const momentsOf = (times: ReadonlyMap<Position, number>, position: Position): Moment[] => {
  const time = times.get(position) ?? 0;
  const next = times.get(position + 1) ?? Number.POSITIVE_INFINITY;
  return next > time ? [{ position }, { time }] : [{ position }];
};

describe('the past', function () {
  this.timeout(120_000);
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('answers every Get and List as it was answered then', async () => {
    const seen = new Set<string>();
    let played = 0;
    const checkNoted = async ({ app }: History, { by, position, found }: Noted, moments: readonly Moment[]) => {
      for (const moment of moments) {
        const { records } = await app.past.at(by.organizationId, moment, { most: app.past.most, signal });
        const told = `${by.organizationId} ${by.variant.tag} ${position} ${JSON.stringify(moment)}`;
        assert.deepEqual(await answers(records, by), found, told);
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
    for (const kind of ['position', 'time', 'NOT_FOUND', 'FAILED_PR', '{"wallet_', '{"transac', '"0x'])
      assert.ok(
        [...seen].some((text) => text.startsWith(kind)),
        kind,
      );
  });

  describe('within bounds', () => {
    /** One wallet more, of an organization of the first API. */
    const wallet = (organizationId: string, n: number): Happened => ({
      stream: `${organizationId}.wallet-${variant.tag}.wal_${n}`,
      type: 'WalletRegistered',
      data: { walletId: `wal_${n}`, name: `${n}` },
      about: { organizationId, variant: variant.tag, position: 0, occurredAt: '2026-01-01T00:00:00.000Z' },
    });
    const wallets = (organizationId: string, count: number) =>
      Array.from({ length: count }, (_, n) => wallet(organizationId, n));
    let [mine, other, tests] = ['', '', 0];
    let by: Context;
    let history: History;
    /** Whose history was read, and in how many batches each time. */
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
    const ask = (moment: Moment, gone: AbortSignal = signal, most = history.app.past.most) =>
      history.app.past.at(mine, moment, { most, signal: gone });
    const countOf = async ({ records }: Awaited<ReturnType<typeof ask>>) =>
      (await records.wallets.list(by, { size: 100, token: undefined })).wallets.length;
    beforeEach(() => {
      [mine, other] = [`org_mine${tests}`, `org_other${tests++}`];
      by = contextOf(mine, variant);
      reads = [];
      onBatch = () => undefined;
    });
    afterEach(() => history.close());

    it('goes over its own events alone, and refuses when they are too many, having counted once', async () => {
      open(3);
      const third = await history.append(wallets(mine, 3));
      await history.append(wallets(other, 20));
      assert.equal(await countOf(await ask(now)), 3);
      const fourth = await history.append([wallet(mine, 3)]);
      for (let times = 0; times < 2; times++)
        await assert.rejects(ask(now), { code: 'UNAVAILABLE', position: fourth, message: /more than 3 events/ });
      await assert.rejects(ask({ position: fourth }), { code: 'UNAVAILABLE' });
      assert.equal(await countOf(await ask({ position: fourth - 1 })), 3);
      assert.equal((await ask({ position: fourth - 1 })).position, third);
      assert.equal(await countOf(await ask(now, signal, Number.POSITIVE_INFINITY)), 4);
      assert.deepEqual(
        reads.map(({ organizationId }) => organizationId),
        [mine, mine, mine],
      );
    });

    it('keeps what it made as long as that is not too much, for all moments between the same events', async () => {
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

    it('makes it once for all who ask at the same time, and goes on while one of them waits', async () => {
      open();
      await history.append(wallets(mine, 1200));
      const [impatient, patient] = [new AbortController(), new AbortController()];
      onBatch = () => impatient.abort();
      const asked = [ask(now, impatient.signal), ask(now, patient.signal), ask(now, patient.signal)];
      for (const one of await Promise.all(asked)) assert.equal(await countOf(one), 100);
      assert.equal(reads.length, 1);
      assert.ok(reads[0] && reads[0].batches > 1);
    });

    it('stops when nobody waits any more, and starts again for who comes then', async () => {
      open();
      await history.append(wallets(mine, 1200));
      const gone = new AbortController();
      onBatch = (batches) => batches === 2 && gone.abort();
      const asked = [ask(now, gone.signal), ask(now, gone.signal)];
      for (const one of asked) await assert.rejects(one, { code: 'UNAVAILABLE', message: /nobody waits/ });
      assert.deepEqual(
        reads.map(({ batches, ended }) => ({ batches, ended })),
        [{ batches: 2, ended: true }],
      );
      assert.equal(await countOf(await ask(now)), 100);
      await assert.rejects(ask({ position: 7 }, gone.signal), /nobody waits/);
    });

    it('takes page tokens of the same moment alone', async () => {
      open();
      const position = await history.append(wallets(mine, 9));
      const list = (records: Records, token?: string) => records.wallets.list(by, { size: 2, token });
      const [then, before] = [await ask({ position }), await ask({ position: position - 1 })];
      const { nextPageToken } = await list(then.records);
      assert.equal((await list((await ask({ position })).records, nextPageToken)).wallets[0]?.name, '6');
      for (const records of [before.records, history.app])
        await assert.rejects(list(records, nextPageToken), { code: 'INVALID_ARGUMENT' });
      await assert.rejects(list(then.records, (await list(history.app)).nextPageToken), { code: 'INVALID_ARGUMENT' });
    });

    it('cannot be changed', async () => {
      open();
      const position = await history.append(wallets(mine, 1));
      const { records } = await ask(now);
      const wanted = { name: 'late', address: undefined, importAsset: undefined, confirmation: undefined };
      await assert.rejects(records.wallets.register(by, wanted), { code: 'FAILED_PRECONDITION' });
      assert.equal(await history.events.head(), position);
    });
  });
});
