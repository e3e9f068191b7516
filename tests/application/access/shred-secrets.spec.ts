import assert from 'node:assert/strict';
import { credentialKeyId } from '../../../application/access/credential-cache.js';
import { createShredder } from '../../../application/access/shred-secrets.js';
import { apiKeyFor } from '../../../application/commands/api-key.js';
import { createHandle, globalContext, step } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { Vault } from '../../../application/ports/vault.js';
import { type CredentialEvent, credential } from '../../../domain/aggregates/credential.js';
import type { Decider } from '../../../domain/decider.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { stateVault } from '../../../infrastructure/keys/vault.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { testSystem } from '../../support/silent.js';

type Command = typeof credential extends Decider<infer C, CredentialEvent, infer _> ? C : never;
const organizationId = `org_${'a'.repeat(32)}`;
const by = { actor: { kind: 'operator', id: 'me' }, requestId: 'r' } as const;

describe('the secret shredder', () => {
  let events: EventStore;
  let state: StateStore;
  let vault: Vault;
  let stop: AbortController;
  beforeEach(async () => {
    events = await (await eventStores.sqlite()).open();
    state = await (await states.sqlite()).open();
    vault = stateVault(state, givenKeyRing(new Uint8Array(32).fill(7), undefined));
    stop = new AbortController();
  });
  afterEach(() => Promise.all([events.close(), state.close()]));

  const issue = async (letter: string) => {
    const apiKey = apiKeyFor(organizationId, letter.repeat(32));
    const sealedSecret = await vault.seal(credentialKeyId(apiKey), 'secret', 'context');
    await decide(apiKey, { type: 'Issue', data: { apiKey, role: 'client', sealedSecret } });
    return { apiKey, opened: () => vault.open(credentialKeyId(apiKey), sealedSecret, 'context') };
  };
  const decide = (apiKey: string, command: Command) =>
    createHandle(events, testSystem)(globalContext(by, organizationId), [
      step(credential, organizationId, apiKey, command),
    ]);
  /** Runs the shredder until it has handled every stored event. */
  const shred = async () => {
    const last = await events.head();
    const watched: EventStore = {
      ...events,
      subscribe: async function* (after, signal) {
        for await (const batch of events.subscribe(after, signal)) {
          yield batch;
          if ((batch.at(-1)?.position ?? 0) >= last) return;
        }
      },
    };
    await createShredder({ events: watched, state, vault, system: testSystem })(stop.signal);
  };

  it('destroys the key of a deleted credential and no other key', async () => {
    const [dead, alive] = [await issue('a'), await issue('b')];
    await decide(dead.apiKey, { type: 'Delete', data: { apiKey: dead.apiKey } });
    assert.equal(await dead.opened(), 'secret');
    await shred();
    assert.equal(await dead.opened(), null);
    assert.equal(await alive.opened(), 'secret');
  });

  it('continues from its checkpoint after a restart', async () => {
    const [first, second] = [await issue('a'), await issue('b')];
    await decide(first.apiKey, { type: 'Delete', data: { apiKey: first.apiKey } });
    await shred();
    await decide(second.apiKey, { type: 'Delete', data: { apiKey: second.apiKey } });
    const seen: number[] = [];
    const counting: EventStore = {
      ...events,
      subscribe: (after, signal) => {
        seen.push(after);
        return events.subscribe(after, signal);
      },
    };
    stop.abort();
    await createShredder({ events: counting, state, vault, system: testSystem })(stop.signal);
    assert.ok((seen[0] ?? 0) > 0);
    stop = new AbortController();
    await shred();
    assert.equal(await second.opened(), null);
  });
});
