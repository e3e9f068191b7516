import assert from 'node:assert/strict';
import { EventStoreDBClient } from '@eventstore/db-client';
import { eventStoreDbChecks } from '../../../infrastructure/doctor/eventstoredb.js';
import { createSharedConnections } from '../../../infrastructure/doctor/shared-connections.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { event, write } from '../../support/engines/counted-events.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';

describe('the EventStoreDB doctor', () => {
  let double: EventStoreDouble;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    client = EventStoreDBClient.connectionString(double.url);
    const store = await eventStoreDb(double.url, ['thing']);
    for (const n of [1, 2, 3]) await store.append([write(`org_a.thing-${n}`, [event(n), event(n)])]);
    await store.close();
  });
  afterEach(async () => {
    await client.dispose();
    await double.close();
  });
  const examine = async () => {
    const opened = createSharedConnections();
    const check = eventStoreDbChecks(double.url, '', opened).find(({ name }) => name === 'streams');
    const findings = await check?.run();
    await opened.close();
    return findings?.map(({ level, found }) => `${level}: ${found}`);
  };

  it('reports nothing if no stream was deleted or truncated', async () => {
    await client.setStreamMetadata('org_a.thing-1', { cacheControl: 1 });
    await client.setStreamMetadata('$projections-x', { maxCount: 1 });
    assert.deepEqual(await examine(), [`ok: none deleted or truncated within the last ${double.log.length} records`]);
  });

  it('reports streams and categories that were deleted or truncated, until that is undone', async () => {
    await client.deleteStream('org_a.thing-1');
    await client.tombstoneStream('org_a.thing-2');
    await client.setStreamMetadata('org_a.thing-3', { truncateBefore: 1 });
    await client.setStreamMetadata('$ce-org_a.thing', { maxCount: 2 });
    const named = (names: readonly string[]) => names.map((name) => `fail: stream ${name} was deleted or truncated`);
    assert.deepEqual(await examine(), named(['$ce-org_a.thing', 'org_a.thing-3', 'org_a.thing-2', 'org_a.thing-1']));
    await client.setStreamMetadata('$ce-org_a.thing', {});
    assert.deepEqual(await examine(), named(['org_a.thing-3', 'org_a.thing-2', 'org_a.thing-1']));
  });
});
