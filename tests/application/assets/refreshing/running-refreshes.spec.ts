import assert from 'node:assert/strict';
import { createRunningRefreshes } from '../../../../application/assets/refreshing/running-refreshes.js';
import type { Recorded } from '../../../../application/ports/event-store.js';
import { UnreadableEvent } from '../../../../domain/upcasters.js';
import { memoryReadModels } from '../../../../infrastructure/memory/read-models.js';
import { refreshes } from '../../../../projections/assets.js';
import { followedVariant, variantOf } from '../../../support/following/following.js';
import { testSystem } from '../../../support/silent.js';

const at = { number: 5, hash: '0x5', chain: '0x0' };
const own = { refreshId: 'ref_1', walletId: 'wal_1', standard: 'native' } as const;
const started = { type: 'RefreshStarted', data: { ...own, total: 300, done: 0, at, after: null } };
const advanced = (part: number) => ({
  type: 'RefreshAdvanced',
  data: { ...own, part, done: part * 100, at, after: null },
});
const ended = { type: 'RefreshEnded', data: own };

const recordedAt = (event: { type: string; data: object }, position: number, variant = followedVariant) =>
  ({
    ...event,
    position,
    bytes: 0,
    metadata: { organizationId: 'org_1', variant: variant.tag, occurredAt: '2026-01-31T12:00:00Z' },
  }) as unknown as Recorded;

/** Checkpoint positions of the read models that the index is loaded from; empty for new read models. */
type Positions = Readonly<Record<string, number>>;

/** Creates an index whose read models have no documents and whose store has the events in two halves: stored, and appended. */
const createIndex = (stored: readonly Recorded[], appended: readonly Recorded[] = [], positions: Positions = {}) => {
  const each = async function* (events: readonly Recorded[]) {
    for (const event of events) yield [event];
  };
  const readFrom: number[] = [];
  const readAll = (after: number) => {
    readFrom.push(after);
    return each(stored.filter(({ position }) => position > after));
  };
  const events = { readAll, subscribe: () => each(appended) };
  const readModels = { ...memoryReadModels(), checkpoint: async () => ({ revision: 1, positions }) };
  const running = createRunningRefreshes({ events, readModels, system: testSystem }, followedVariant);
  const jobs = () => [...running.byOrganization.values()].flatMap((some) => [...some.values()]);
  return { ...running, readFrom, jobs, parts: () => jobs().map(({ document }) => document.part) };
};

describe('the index of running refreshes', () => {
  const { signal } = new AbortController();

  it('contains refreshes that the read models do not include yet, with their progress', async () => {
    const index = createIndex([recordedAt(started, 1), recordedAt(advanced(1), 2)]);
    await index.load();
    assert.deepEqual(
      index.jobs().map(({ organizationId, startedAt, document }) => [organizationId, startedAt, document.part]),
      [['org_1', 1, 1]],
    );
  });

  it('reads the events after the position of its own projection, wherever other projections stand', async () => {
    const { name } = refreshes;
    const index = createIndex([recordedAt(started, 1001)], [], { [name]: 1000, wallets: 1000, 'wallets org_2': 3 });
    await index.load();
    const stopped = createIndex([recordedAt(started, 1001)], [], { [name]: 1000, [`${name} org_1`]: 7 });
    await stopped.load();
    assert.deepEqual([index.readFrom, stopped.readFrom], [[1000], [7]]);
    assert.deepEqual(index.parts(), [0]);
  });

  it('drops a refresh that another process ended', async () => {
    const index = createIndex([recordedAt(started, 1)], [recordedAt(advanced(1), 2), recordedAt(ended, 3)]);
    await index.load();
    await index.follow(signal);
    assert.deepEqual([...index.byOrganization], []);
  });

  it('keeps the progress of this process when the event of an earlier part arrives later', async () => {
    const index = createIndex([recordedAt(started, 1)], [recordedAt(advanced(1), 2)]);
    await index.load();
    const [job] = index.jobs();
    assert.ok(job);
    index.advance(job, { document: { ...job.document, part: 2 }, isEnded: false });
    await index.follow(signal);
    assert.deepEqual(index.parts(), [2]);
  });

  it('keeps a restarted refresh when a part of its predecessor ends', async () => {
    const restarted = { ...started, data: { ...started.data, refreshId: 'ref_2' } };
    const index = createIndex([recordedAt(started, 1)], [recordedAt(restarted, 2)]);
    await index.load();
    const [job] = index.jobs();
    assert.ok(job);
    await index.follow(signal);
    index.advance(job, { document: job.document, isEnded: true });
    assert.deepEqual(
      index.jobs().map(({ document }) => document.refresh_id),
      ['ref_2'],
    );
  });

  it('leaves out refreshes on other chains, and events that this release cannot read', async () => {
    const unreadable = Object.defineProperty(recordedAt(started, 1), 'data', {
      get: () => {
        throw new UnreadableEvent('org_1', { type: 'RefreshStarted', reason: 'has a newer version' });
      },
    });
    const index = createIndex([unreadable, recordedAt(started, 2, variantOf('t'))]);
    await index.load();
    assert.deepEqual(index.parts(), []);
  });
});
