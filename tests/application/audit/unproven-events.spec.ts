import assert from 'node:assert/strict';
import { createStoreProof } from '../../../application/audit/store-proof.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { appendEvents, manualSystem, notary, sealAll } from '../../support/audit/sealed-history.js';
import { useSealedStores } from '../../support/audit/sealed-stores.js';

const organizationId = `org_${'a'.repeat(32)}`;
const hourMs = 3_600_000;

describe('the proof of a history that no seal covers yet', () => {
  const { stores } = useSealedStores();
  const proof = (events: EventStore = stores().events, ahead = 0) =>
    createStoreProof({ ...stores(), events, notary, system: manualSystem(() => ahead) });

  it('counts the events that neither a seal nor the progress of the sealer covers', async () => {
    await appendEvents(stores().events, organizationId, 3);
    assert.deepEqual((({ flaw, events, unproven }) => [flaw, events, unproven])(await proof().verify(organizationId)), [
      null,
      3,
      3,
    ]);
    await sealAll(stores());
    assert.equal((await proof().verify(organizationId)).unproven, undefined);
    await appendEvents(stores().events, organizationId, 2, 3);
    assert.equal((await proof().verify(organizationId)).unproven, 2);
    await appendEvents(stores().events, organizationId, 7, 5);
    await sealAll(stores());
    assert.equal((await proof().verify(organizationId)).unproven, undefined);
  });

  it('does not take the unsigned progress of an earlier version for a proof', async () => {
    await appendEvents(stores().events, organizationId, 3);
    const { hash } = await proof().verify(organizationId);
    await stores().state.put('processes', `audit-chain:${organizationId}`, JSON.stringify({ count: 3, hash }), 0);
    const { flaw, unproven } = await proof().verify(organizationId);
    assert.deepEqual([flaw, unproven], [null, 3]);
  });

  it('fails for an unsealed event that was committed in the future', async () => {
    await appendEvents(stores().events, organizationId, 1);
    for (const ahead of [-1.5, 1.5]) {
      const { flaw } = await proof(undefined, ahead * hourMs).verify(organizationId);
      assert.match(flaw?.reason ?? '', /^not sealed, though committed at /);
      assert.ok(flaw?.isLate);
    }
  });

  it('lists organizations that hold a domain and were never sealed', async () => {
    assert.deepEqual(await proof().organizations(), []);
    await appendEvents(stores().events, organizationId, 1);
    const { events } = stores();
    await events.append([
      {
        stream: 'system.domain-acme',
        expected: -1,
        events: [
          {
            id: '6f1c1c0e-7c9e-4f0a-9f44-2a1f5f6b7c11',
            type: 'DomainReserved',
            data: { domain: 'acme', organizationId },
            metadata: {
              organizationId: 'system',
              variant: 'global',
              actor: { kind: 'operator', id: 'test' },
              requestId: 'r',
              causationId: 'r',
              correlationId: 'r',
              occurredAt: '2026-01-05T09:00:12.345Z',
            },
          },
        ],
      },
    ]);
    assert.deepEqual(await proof().organizations(), [organizationId, 'system']);
  });
});
