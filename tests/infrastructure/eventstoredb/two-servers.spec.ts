import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { noStream } from '../../../application/ports/event-store.js';
import { type Connection, connect } from '../../../infrastructure/eventstoredb/connection.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';

const record = (n: number) => ({ id: `00000000-0000-4000-8000-00000000000${n}`, type: 'E', data: { n }, metadata: {} });

describe('two event servers in one process', () => {
  let doubles: [EventStoreDouble, EventStoreDouble];
  let connections: [Connection, Connection];
  beforeEach(async () => {
    doubles = [await startEventStoreDouble(), await startEventStoreDouble()];
    connections = [await connect(doubles[0].url), await connect(doubles[1].url)];
  });
  afterEach(async () => {
    await Promise.all(connections.map((one) => one.close()));
    await Promise.all(doubles.map((one) => one.close()));
  });

  it('do not affect each other’s appends when one goes away before the other answers', async () => {
    const [[left, right], [here, there]] = [doubles, connections];
    left.holdAnswers(true);
    right.holdAnswers(true);
    const waiting = here.append('waiting', noStream, [record(1)]);
    const dropped = there.append('dropped', noStream, [record(2)]);
    await until('both answers are held back', () => left.heldAnswers === 1 && right.heldAnswers === 1);
    right.dropConnections();
    right.holdAnswers(false);
    await dropped;
    assert.equal(left.log.length, 1);
    left.holdAnswers(false);
    await waiting;
  });
});

describe('a process whose event store client throws outside every call', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'tests/support/eventstoredb-double/outlive.ts', ...args], {
      encoding: 'utf8',
    });

  it('stays alive and appends', () => {
    const { status, stdout, stderr } = run();
    assert.deepEqual([status, stdout], [0, '1 stored\n'], stderr);
    assert.match(stderr, /Event store client threw outside of a call/);
  });

  it('ends as usual when the error is its own', () => {
    const { status, stderr } = run('--own-mistake');
    assert.notEqual(status, 0);
    assert.match(stderr, /a mistake of this program/);
  });
});
