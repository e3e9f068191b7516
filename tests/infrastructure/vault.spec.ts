import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { StateStore } from '../../application/ports/state.js';
import { stateVault } from '../../infrastructure/vault.js';
import { states } from '../support/adapters.js';

describe('vault', () => {
  const masterKey = randomBytes(32);
  let state: StateStore;
  beforeEach(async () => {
    state = await (await states.sqlite()).open();
  });
  afterEach(() => state.close());

  it('opens what it sealed, for the same context only', async () => {
    const vault = stateVault(state, masterKey);
    const sealed = await vault.seal('key', 'the secret', 'org|key');
    assert.ok(!sealed.includes('secret'));
    assert.equal(await vault.open('key', sealed, 'org|key'), 'the secret');
    await assert.rejects(vault.open('key', sealed, 'org|other'));
  });

  it('never seals twice alike, and notices a changed byte', async () => {
    const vault = stateVault(state, masterKey);
    const sealed = await vault.seal('key', 'the secret', 'c');
    assert.notEqual(await vault.seal('key', 'the secret', 'c'), sealed);
    const bytes = Buffer.from(sealed, 'base64url');
    for (const at of [0, 12, 28]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await assert.rejects(vault.open('key', changed.toString('base64url'), 'c'));
    }
  });

  it('opens nothing once the key is destroyed, and leaves other keys alone', async () => {
    const vault = stateVault(state, masterKey);
    const [one, two] = [await vault.seal('one', 'secret one', 'c'), await vault.seal('two', 'secret two', 'c')];
    await vault.destroyKey('one');
    assert.equal(await vault.open('one', one, 'c'), null);
    assert.equal(await vault.open('two', two, 'c'), 'secret two');
  });

  it('makes one key when many seal at once', async () => {
    const [first, second] = [stateVault(state, masterKey), stateVault(state, masterKey)];
    const sealed = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).seal('key', String(n), 'c')),
    );
    for (const [n, one] of sealed.entries()) assert.equal(await first.open('key', one, 'c'), String(n));
  });

  it('says so when the master key is another one', async () => {
    const sealed = await stateVault(state, masterKey).seal('key', 'the secret', 'c');
    await assert.rejects(
      stateVault(state, randomBytes(32)).open('key', sealed, 'c'),
      /is not the key that the vault was written under/,
    );
  });
});
