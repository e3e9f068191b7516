import assert from 'node:assert/strict';
import { createChainIdentity } from '../../../../infrastructure/gateway-nodes/final-answers/chain-identity.js';

const minute = 60_000;

describe('the identity of a chain', () => {
  const open = () => {
    const clock = { now: 0 };
    const nodes: { chain: string | null; reads: number } = { chain: 'one', reads: 0 };
    const read = async () => {
      nodes.reads++;
      if (nodes.chain === null) throw new Error('no node can be reached');
      return nodes.chain;
    };
    return { clock, nodes, identity: createChainIdentity(read, () => clock.now) };
  };

  it('is unknown until it was read, which no call waits for', async () => {
    const { identity, nodes } = open();
    assert.equal(identity.known(), null);
    assert.equal(identity.known(), null);
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(identity.known(), 'one');
    assert.equal(nodes.reads, 1);
  });

  it('is read again after half a minute, and unknown once it is a minute old', async () => {
    const { identity, nodes, clock } = open();
    await identity.readNow();
    clock.now = minute / 2;
    nodes.chain = 'two';
    assert.equal(identity.known(), 'one');
    await identity.readNow();
    assert.equal(identity.known(), 'two');
    clock.now += minute;
    nodes.chain = null;
    assert.equal(identity.known(), null);
  });

  it('is unknown while no node returns it', async () => {
    const { identity, nodes } = open();
    await identity.readNow();
    nodes.chain = null;
    assert.equal(await identity.readNow(), null);
    assert.equal(identity.known(), null);
  });

  it('is forgotten, even by a read in progress', async () => {
    const { identity } = open();
    const looking = identity.readNow();
    identity.forget();
    assert.equal(await looking, null);
    assert.equal(identity.known(), null);
  });
});
