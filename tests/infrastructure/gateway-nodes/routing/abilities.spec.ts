import assert from 'node:assert/strict';
import { createAbilities } from '../../../../infrastructure/gateway-nodes/routing/abilities.js';
import { NodeFault } from '../../../../infrastructure/nodes/node-fault.js';

const balanceAt = (height: number) => ({ method: 'eth_getBalance', params: ['0x0', `0x${height.toString(16)}`] });
const lacksAt = (abilities: ReturnType<typeof createAbilities>, method: string, height: number) =>
  abilities.lacks({ method, params: [] }, { kind: 'height', height });
const pruned = new NodeFault('missing', 'missing trie node 00 (-32000)');
const unknown = new NodeFault('missing', 'header not found (-32000)');
const tenMinutes = 600_000;

describe('the capabilities of a node', () => {
  let now = 0;
  const open = () => createAbilities(() => now);

  it('exclude states up to the highest height that the node rejected, for ten minutes', () => {
    const abilities = open();
    abilities.noteError(balanceAt(50), pruned);
    abilities.noteError(balanceAt(20), pruned);
    assert.deepEqual(
      [0, 20, 50, 51].map((height) => lacksAt(abilities, 'eth_getBalance', height)),
      [true, true, true, false],
    );
    assert.equal(lacksAt(abilities, 'eth_call', 50), true);
    // Nodes keep blocks longer than states, so a node that lacks a state may still have the block.
    assert.equal(lacksAt(abilities, 'eth_getBlockByNumber', 50), false);
    now += tenMinutes;
    assert.equal(lacksAt(abilities, 'eth_getBalance', 50), false);
  });

  it('include a state again once the node returns it', () => {
    const abilities = open();
    abilities.noteError(balanceAt(50), pruned);
    abilities.noteAnswer(balanceAt(40));
    assert.equal(lacksAt(abilities, 'eth_getBalance', 50), false);
  });

  it('do not exclude a block that the node may not have yet or may see on another branch', () => {
    const abilities = open();
    abilities.noteError(balanceAt(1000), unknown, 900);
    abilities.noteError(balanceAt(800), unknown, 900);
    abilities.noteNull({ method: 'eth_getBlockByNumber', params: ['0x320', false] }, 900);
    abilities.noteNull({ method: 'eth_getBlockByNumber', params: ['0x1', false] });
    abilities.noteNull({ method: 'eth_getTransactionByBlockNumberAndIndex', params: ['0x1', '0x9'] }, 900);
    assert.equal(lacksAt(abilities, 'eth_getBalance', 1), false);
    assert.equal(lacksAt(abilities, 'eth_getBlockByNumber', 1), false);
    abilities.noteError(balanceAt(700), unknown, 900);
    assert.equal(lacksAt(abilities, 'eth_getBalance', 1), true);
  });

  it('exclude a range of logs that begins in blocks which the node has pruned', () => {
    const abilities = open();
    const logsFrom = (fromBlock: string) => ({ method: 'eth_getLogs', params: [{ fromBlock, toBlock: '0x60' }] });
    const lacks = (fromBlock: string) => abilities.lacks(logsFrom(fromBlock), { kind: 'height', height: 0x60 });
    abilities.noteNull({ method: 'eth_getBlockByNumber', params: ['0x32', false] }, 900);
    assert.deepEqual(['earliest', '0x32', '0x33'].map(lacks), [true, true, false]);
    // A rejected range shows that its first blocks are missing, but not that its last blocks are missing.
    abilities.noteError(logsFrom('0x40'), pruned, 900);
    assert.deepEqual(['0x40', '0x41'].map(lacks), [true, false]);
    abilities.noteAnswer(logsFrom('0x41'));
    assert.deepEqual(['0x40', '0x41'].map(lacks), [true, false]);
  });

  it('exclude a method that the node does not support, for ten minutes, and at most a hundred methods', () => {
    const abilities = open();
    const without = (method: string) =>
      abilities.noteError({ method, params: [] }, new NodeFault('unsupported', 'the method does not exist'));
    const lacks = (method: string) => abilities.lacks({ method, params: [] }, { kind: 'open' });
    without('trace_block');
    assert.deepEqual([lacks('trace_block'), lacks('trace_call')], [true, false]);
    for (let i = 0; i < 200; i++) without(`made_up${i}`);
    assert.equal(lacks('made_up150'), false);
    now += tenMinutes;
    assert.equal(lacks('trace_block'), false);
  });
});
