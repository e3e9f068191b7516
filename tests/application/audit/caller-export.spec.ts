import assert from 'node:assert/strict';
import { createCallerExport } from '../../../application/audit/caller-export.js';
import { actorIn } from '../../../application/commands/api-key.js';
import type { Actor, EventStore, Recorded } from '../../../application/ports/event-store.js';

const owner = `org_${'a'.repeat(32)}`;
const ownKey = `ck_${'a'.repeat(32)}_${'1'.repeat(32)}`;
const foreignKey = `ck_${'b'.repeat(32)}_${'2'.repeat(32)}`;

const eventBy = (position: number, actor: Actor, data: object = {}): Recorded => ({
  position,
  time: 0,
  id: `e${position}`,
  stream: `${owner}.wallet-1`,
  type: 'WalletRegistered',
  bytes: 0,
  data,
  metadata: {
    organizationId: owner,
    variant: 'C',
    actor,
    requestId: 'r',
    causationId: 'r',
    correlationId: 'r',
    occurredAt: '2026-01-31T12:00:00.000Z',
  },
});
const by = (id: string): Actor => ({ kind: 'credential', id });

/**
 * Exports a history that is read in batches of 150 events. Each chunk of the result lists the positions of its events.
 */
const exportOf = (history: readonly Recorded[]) => {
  const events = [...history];
  let scanned = 0;
  const read: EventStore['readOrganization'] = async function* () {
    for (let at = 0; at < events.length; at += 150) {
      scanned++;
      yield events.slice(at, at + 150);
    }
  };
  const write = async function* (_: string, batches: AsyncIterable<readonly Recorded[]>) {
    for await (const batch of batches) yield batch.map(({ position }) => position).join(' ');
  };
  const ports = { read, inTurn: <T>(_: string, work: () => Promise<T>) => work(), breathe: async () => undefined };
  const positionsIn = async (lines: AsyncIterable<string>) => {
    const found: number[] = [];
    for await (const line of lines) found.push(...line.split(' ').map(Number));
    return found;
  };
  return { events, scans: () => scanned, start: createCallerExport(ports, write), positionsIn };
};

describe('the export of a history for a caller', () => {
  const history = Array.from({ length: 400 }, (_, i) => eventBy(i + 1, by(ownKey)));

  it('charges for every event before the first line, and ends where the scan ended', async () => {
    const { events, start, positionsIn } = exportOf(history);
    let charged = 0;
    const touch = (count: number) => {
      charged += count;
    };
    const lines = await start(owner, { showsForeignKeys: false, touch });
    assert.equal(charged, 400);
    events.push(eventBy(401, by(foreignKey)));
    assert.deepEqual(
      await positionsIn(lines),
      history.map(({ position }) => position),
    );
  });

  it('is refused to clients and auditors if an event holds a full key of another organization', async () => {
    for (const foreign of [eventBy(401, by(foreignKey)), eventBy(401, by(ownKey), { note: `by ${foreignKey}.` })]) {
      const { start, positionsIn } = exportOf([...history, foreign]);
      await assert.rejects(start(owner, { showsForeignKeys: false }), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'FAILED_PRECONDITION');
        assert.match(error.message, /^The event at position 401 contains an api_key of another organization/);
        return !error.message.includes(foreignKey);
      });
      assert.equal((await positionsIn(await start(owner, { showsForeignKeys: true }))).length, 401);
    }
  });

  it('ends when the caller disconnects', async () => {
    const { start, scans } = exportOf(history);
    await assert.rejects(start(owner, { showsForeignKeys: false, isCancelled: () => true }), { code: 'UNAVAILABLE' });
    assert.equal(scans(), 1);
  });
});

describe('the actor in the history of an organization', () => {
  it('keeps its own keys, operators and processes, and shortens keys of other organizations', () => {
    for (const actor of [by(ownKey), { kind: 'operator', id: 'ann' }, { kind: 'process', id: 'projector' }] as Actor[])
      assert.deepEqual(actorIn(owner, actor), actor);
    assert.deepEqual(actorIn(owner, by(foreignKey)), by('ck_22222222'));
  });
});
