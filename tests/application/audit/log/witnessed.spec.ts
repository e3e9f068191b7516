import assert from 'node:assert/strict';
import { createAudit } from '../../../../application/audit/audit.js';
import { anchorData } from '../../../../application/audit/log/anchor.js';
import { toHeadRecord } from '../../../../application/audit/log/head-record.js';
import { createLogProofs } from '../../../../application/audit/log/log-proofs.js';
import {
  firstDiscontinuity,
  firstRemoteDiscontinuity,
  parseWitnessedHead,
  type WitnessedHead,
} from '../../../../application/audit/log/witnessed.js';
import { createSealLog } from '../../../../application/audit/seals/seal-log.js';
import { createHandle } from '../../../../application/commands/handle.js';
import type { EventStore } from '../../../../application/ports/event-store.js';
import type { StateStore } from '../../../../application/ports/state.js';
import { createPageTokens } from '../../../../application/read-models/page-tokens.js';
import { createNotary } from '../../../../infrastructure/keys/notary.js';
import { sha256 } from '../../../../infrastructure/system.js';
import { copyStores } from '../../../support/audit/copied-stores.js';
import { appendEvents, manualSystem, notary, sealAll } from '../../../support/audit/sealed-history.js';
import { eventStores, states } from '../../../support/engines/adapters.js';
import { usePlace } from '../../../support/engines/places.js';

const organizationId = `org_${'a'.repeat(32)}`;
type Stores = { readonly events: EventStore; readonly state: StateStore };

describe('a witness of the seal log', () => {
  const system = manualSystem();
  const places = [0, 1].map(() => ({ events: usePlace(eventStores.sqlite), state: usePlace(states.sqlite) }));
  let stores: Stores;
  let others: Stores;
  beforeEach(async () => {
    const open = places.map(async ({ events, state }) => ({ events: await events.open(), state: await state.open() }));
    [stores, others] = (await Promise.all(open)) as [Stores, Stores];
  });

  const trust = { publicKey: notary.publicKey, isSigned: notary.isSigned, sha256 };
  const logIn = ({ events, state }: Stores) =>
    createSealLog({ events, state, handle: createHandle(events, system), notary, system });
  const proofsIn = (of: Stores) => createLogProofs({ events: of.events, sealLog: logIn(of), system });
  const seal = async (of: Stores, from: number) => {
    await appendEvents(of.events, organizationId, 11, from);
    await sealAll(of);
  };
  const lineOf = async (of: Stores) => JSON.stringify(toHeadRecord(await proofsIn(of).head()));
  const seenIn = (line: string): WitnessedHead => parseWitnessedHead(line) ?? assert.fail(`no head is in ${line}`);
  /** Verifies the history from the stores alone, like the service's own command, without heads kept by a witness. */
  const flawWithoutWitness = async ({ events, state }: Stores) => {
    const handle = createHandle(events, system);
    const pageTokens = createPageTokens(system);
    const audit = createAudit({ events, stored: events, state, handle, notary, system, pageTokens });
    return (await audit.verify(organizationId)).flaw;
  };
  const reasonIn = async (of: Stores, ...lines: readonly string[]) =>
    (await firstDiscontinuity(lines.map(seenIn), logIn(of), trust))?.reason ?? null;
  /** Requests proofs from the service, like a verifier without access to the stores. */
  const remoteReasonIn = async (of: Stores, ...lines: readonly string[]) => {
    const proofs = proofsIn(of);
    const remote = {
      head: async () => toHeadRecord(await proofs.head()),
      consistency: async (from: number, to: number) => (await proofs.consistency(from, to)).path,
    };
    return (await firstRemoteDiscontinuity(lines.map(seenIn), remote, trust))?.reason ?? null;
  };

  it('accepts a log that has only grown since', async () => {
    await seal(stores, 0);
    const first = await lineOf(stores);
    await seal(stores, 11);
    const second = await lineOf(stores);
    await seal(stores, 22);
    assert.equal(await reasonIn(stores, second, first), null);
    assert.equal(await remoteReasonIn(stores, second, first), null);
  });

  it('detects that all stores were rolled back together, which nothing in them shows', async () => {
    await seal(stores, 0);
    await copyStores(stores, others);
    await seal(stores, 11);
    const seen = await lineOf(stores);
    assert.equal(await flawWithoutWitness(others), null);
    assert.match(String(await reasonIn(others, seen)), /taken back to an earlier moment/);
    assert.match(String(await remoteReasonIn(others, seen)), /taken back to an earlier moment/);
  });

  it('detects that stores were rolled back and have grown again since', async () => {
    await seal(stores, 0);
    await copyStores(stores, others);
    await seal(stores, 11);
    const seen = await lineOf(stores);
    for (const from of [11, 22]) await seal(others, from);
    assert.equal(await flawWithoutWitness(others), null);
    assert.match(String(await reasonIn(others, seen)), /not a continuation/);
    assert.match(String(await remoteReasonIn(others, seen)), /not a continuation/);
  });

  it('detects a history forged with the master key and all stores, which nothing in them shows', async () => {
    await seal(stores, 0);
    const seen = await lineOf(stores);
    await seal(others, 5);
    await seal(others, 16);
    assert.equal(await flawWithoutWitness(others), null);
    assert.match(String(await reasonIn(others, seen)), /not a continuation/);
    assert.match(String(await remoteReasonIn(others, seen)), /not a continuation/);
  });

  it('proves nothing about changes made before it saw a head', async () => {
    await seal(others, 0);
    assert.equal(await reasonIn(others, await lineOf(others)), null);
  });

  it('is rejected if its head is not signed with the trusted key', async () => {
    await seal(stores, 0);
    const head = toHeadRecord(await proofsIn(stores).head());
    const forged = JSON.stringify({ ...head, time: '2026-01-01T00:00:00.000Z' });
    assert.match(String(await reasonIn(stores, forged)), /not signed by the trusted key/);
    const stranger = createNotary(new Uint8Array(32).fill(9));
    const seen = [seenIn(JSON.stringify(head))];
    const found = await firstDiscontinuity(seen, logIn(stores), { ...trust, publicKey: stranger.publicKey });
    assert.match(String(found?.reason), /not signed by the trusted key/);
  });

  it('may be the data of a transaction that anchored a head', async () => {
    await seal(stores, 0);
    await copyStores(stores, others);
    await seal(stores, 11);
    const data = anchorData(await proofsIn(stores).head());
    assert.equal(await reasonIn(stores, data), null);
    assert.match(String(await reasonIn(others, data)), /taken back/);
  });

  it('may be a line of a file, the body of a webhook or the page of the head, and nothing else', () => {
    const head = { size: 3, root: 'ab'.repeat(32), time: '2026-01-01T00:00:00.000Z', key_id: 'k', signature: 's' };
    const seen = { size: 3, root: head.root, signed: head };
    assert.deepEqual(parseWitnessedHead(JSON.stringify(head)), seen);
    assert.deepEqual(parseWitnessedHead(JSON.stringify({ webhook_id: 'whk_1', data: { head } })), seen);
    assert.deepEqual(parseWitnessedHead(JSON.stringify({ head }, null, 2)), seen);
    for (const none of ['', '{"size":3', '[]', 'null', '{"size":-1}', JSON.stringify({ ...head, size: 1.5 }), '0x00'])
      assert.equal(parseWitnessedHead(none), null, none);
  });
});
