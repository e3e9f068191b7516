import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { StateStore } from '../../../application/ports/state.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { stateVault } from '../../../infrastructure/keys/vault.js';
import { states } from '../../support/engines/adapters.js';

describe('the vault', () => {
  const key = randomBytes(32);
  const ring = givenKeyRing(key, undefined);
  let state: StateStore;
  beforeEach(async () => {
    state = await (await states.sqlite()).open();
  });
  afterEach(() => state.close());

  it('opens a sealed secret only for the same context', async () => {
    const vault = stateVault(state, ring);
    const sealed = await vault.seal('key', 'the secret', 'org|key');
    assert.ok(!sealed.includes('secret'));
    assert.equal(await vault.open('key', sealed, 'org|key'), 'the secret');
    await assert.rejects(vault.open('key', sealed, 'org|other'));
  });

  it('encrypts the same secret differently each time, and detects a changed byte', async () => {
    const vault = stateVault(state, ring);
    const sealed = await vault.seal('key', 'the secret', 'c');
    assert.notEqual(await vault.seal('key', 'the secret', 'c'), sealed);
    const bytes = Buffer.from(sealed, 'base64url');
    for (const at of [0, 12, 28]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await assert.rejects(vault.open('key', changed.toString('base64url'), 'c'));
    }
  });

  it('opens no secret of a destroyed key, and still opens those of other keys', async () => {
    const vault = stateVault(state, ring);
    const [one, two] = [await vault.seal('one', 'secret one', 'c'), await vault.seal('two', 'secret two', 'c')];
    await vault.destroyKey('one');
    assert.equal(await vault.open('one', one, 'c'), null);
    assert.equal(await vault.open('two', two, 'c'), 'secret two');
  });

  it('creates one key when many secrets are sealed under it concurrently', async () => {
    const [first, second] = [stateVault(state, ring), stateVault(state, ring)];
    const sealed = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).seal('key', String(n), 'c')),
    );
    for (const [n, one] of sealed.entries()) assert.equal(await first.open('key', one, 'c'), String(n));
  });

  it('reports a wrong master key', async () => {
    const sealed = await stateVault(state, ring).seal('key', 'the secret', 'c');
    await assert.rejects(
      stateVault(state, givenKeyRing(randomBytes(32), undefined)).open('key', sealed, 'c'),
      /is not the key that the vault was written with/,
    );
  });

  it('rotates to another master key, and no longer needs the old one', async () => {
    const old = stateVault(state, ring);
    const sealed = await Promise.all(Array.from({ length: 30 }, (_, n) => old.seal(`key ${n}`, `secret ${n}`, 'c')));
    const next = randomBytes(32);
    const both = stateVault(state, givenKeyRing(next, key));
    assert.equal(await both.open('key 3', sealed[3] ?? '', 'c'), 'secret 3');
    assert.equal(await both.changeMasterKey(), 30);
    assert.equal(await both.changeMasterKey(), 0);
    const after = stateVault(state, givenKeyRing(next, undefined));
    for (const [n, one] of sealed.entries()) assert.equal(await after.open(`key ${n}`, one, 'c'), `secret ${n}`);
    await assert.rejects(old.open('key 3', sealed[3] ?? '', 'c'), /is not the key/);
  });
});
