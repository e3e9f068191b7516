import assert from 'node:assert/strict';
import { createCredentialCache, unknownTtlMs } from '../../../application/access/credential-cache.js';
import { maxUnknownLookups } from '../../../application/access/lookup-budget.js';
import { apiKeyFor } from '../../../application/commands/api-key.js';
import { type EventStore, noStream, type Recorded } from '../../../application/ports/event-store.js';
import type { Vault } from '../../../application/ports/vault.js';
import { testSystem } from '../../support/silent.js';

const keyOf = (letter: string) => apiKeyFor(`org_${'a'.repeat(32)}`, letter.repeat(32));

describe('the credential cache', () => {
  let [clock, reads] = [1_000_000, 0];
  const issued = new Map<string, { type: string; data: { apiKey: string } }>();
  const events = {
    read: async (stream: string) => {
      reads++;
      const found = [...issued.values()].find(({ data }) => stream.endsWith(data.apiKey));
      return { revision: noStream, events: found ? [found] : [] };
    },
  } as unknown as EventStore;
  const vault = { open: async () => 'secret', seal: async () => '' } as unknown as Vault;
  const system = { ...testSystem, now: () => clock };
  const open = () => createCredentialCache({ events, vault, system, isProven: async () => false });
  const issue = (apiKey: string) => {
    const event = { type: 'CredentialIssued', data: { apiKey, role: 'client', sealedSecret: '' } };
    issued.set(apiKey, event);
    return event as unknown as Recorded;
  };
  beforeEach(() => {
    reads = 0;
    issued.clear();
  });

  it('reads an unknown key from the store at a limited rate, however often it is requested', async () => {
    const cache = open();
    for (let i = 0; i < 50; i++) assert.equal(await cache.find(keyOf('1')), null);
    assert.equal(reads, 1);
    clock += unknownTtlMs;
    assert.equal(await cache.find(keyOf('1')), null);
    assert.equal(reads, 2);
  });

  const unknownKeys = (count: number) =>
    Array.from({ length: count }, (_, i) => apiKeyFor(`org_${'b'.repeat(32)}`, i.toString(16).padStart(32, '0')));

  it('reads a limited number of different unknown keys from the store', async () => {
    const cache = open();
    const isRefused = (key: string) =>
      (async () => (await cache.find(key)) !== null)().catch(({ code }: { code: string }) => code === 'UNAVAILABLE');
    const refused = (await Promise.all(unknownKeys(5000).map(isRefused))).filter(Boolean).length;
    assert.equal(reads, 5000 - refused);
    assert.equal(reads, maxUnknownLookups);
    clock += 1000;
    for (const key of unknownKeys(6000).slice(5000)) await isRefused(key);
    assert.ok(reads > maxUnknownLookups && reads < 2 * maxUnknownLookups, `${reads} reads`);
  });

  it('answers cached and newly issued keys, however many unknown keys are requested', async () => {
    const cache = open();
    const [cached, fresh] = [keyOf('4'), keyOf('5')];
    issue(cached);
    assert.equal((await cache.find(cached))?.secret, 'secret');
    await Promise.allSettled(unknownKeys(5000).map(async (key) => cache.find(key)));
    assert.equal((await cache.find(cached))?.secret, 'secret');
    cache.onEvent(issue(fresh));
    assert.equal((await cache.find(fresh))?.secret, 'secret');
    // A request with a known key and a wrong signature must get the same response as one with an unknown key.
    await assert.rejects(cache.repeatLookup(cached), { code: 'UNAVAILABLE' });
  });

  it('does not count lookups of existing keys', async () => {
    const cache = open();
    const keys = unknownKeys(maxUnknownLookups + 1);
    for (const key of keys) issue(key);
    for (const key of keys) assert.equal((await cache.find(key))?.secret, 'secret');
  });

  it('knows a key as soon as its CredentialIssued event arrives, even during a lookup of that key', async () => {
    const cache = open();
    assert.equal(await cache.find(keyOf('2')), null);
    cache.onEvent(issue(keyOf('2')));
    assert.equal((await cache.find(keyOf('2')))?.secret, 'secret');
    const looking = cache.find(keyOf('3'));
    cache.onEvent(issue(keyOf('3')));
    await looking;
    assert.equal((await cache.find(keyOf('3')))?.secret, 'secret');
  });
});
