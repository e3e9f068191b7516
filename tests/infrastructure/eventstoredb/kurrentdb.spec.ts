import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ManyCall } from '../../support/eventstoredb-double/many-append.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { isFull } from '../../support/run/tier.js';

/**
 * Matches the tests on the server at EVENTSTORE_URL, but not those "over its wire", which use the other client and
 * their own double.
 */
const onServer = 'on eventstoredb (?!over)';
const contract = (part: string) => `tests/contracts/event-${part}.spec.ts`;
/** Contract files that do not depend on how the server appends to several streams. */
const otherParts = isFull ? ['size', 'histories', 'adoption'].map(contract) : [];

/** Runs the contract against the double in a separate process, because the two clients cannot share one. */
const run = async (double: EventStoreDouble, contracts: readonly string[]) => {
  const args = ['node_modules/mocha/bin/mocha.js', '--no-parallel', '--grep', onServer, ...contracts];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, EVENTSTORE_URL: double.url.replace('esdb:', 'kurrentdb:') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part));
  const [code] = await once(child, 'close');
  return { code, said };
};

const appendModes: readonly (readonly [string, readonly ManyCall[]])[] = [
  ['append records', ['AppendSession', 'AppendRecords']],
  ['append sessions', ['AppendSession']],
  ['reservations', []],
];

const tried = isFull ? appendModes : appendModes.slice(0, 1);

describe('the event store on KurrentDB', () => {
  let runs: Map<string, { readonly double: EventStoreDouble; readonly ended: ReturnType<typeof run> }>;
  // All modes run concurrently, because each spends part of its time waiting for timers.
  before(async () => {
    const started = tried.map(async ([mode, manyStreams], n) => {
      const double = await startEventStoreDouble({ manyStreams });
      return [mode, { double, ended: run(double, [contract('store'), ...(n === 0 ? otherParts : [])]) }] as const;
    });
    runs = new Map(await Promise.all(started));
  });
  after(() => Promise.all([...runs.values()].map(({ double }) => double.close())));

  for (const [mode] of tried)
    it(`fulfills the event store contract with ${mode}, and makes reservations only if the server has no multi-stream append`, async () => {
      const { double, ended } = runs.get(mode) ?? assert.fail(mode);
      const { code, said } = await ended;
      assert.equal(code, 0, said);
      assert.match(said, /appends to many streams or to none/);
      const reserved = double.log.some(({ type }) => type === 'chainfold.Reserved');
      assert.equal(reserved, mode === 'reservations');
    }).timeout(600_000);
});
