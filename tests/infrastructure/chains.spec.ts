import assert from 'node:assert/strict';
import type { RpcAnswer } from '../../application/ports/node.js';
import { connectChains } from '../../infrastructure/chains/chains.js';
import { developmentNode } from '../../infrastructure/chains/development/development-node.js';
import { readConfig } from '../../infrastructure/config.js';
import { silent } from '../support/silent.js';

const off = Object.fromEntries(['T', 'S', 'P', 'C', 'Q'].map((tag) => [`CHAIN_${tag}_URL`, 'off']));
const connect = (settings: Record<string, string>) => connectChains(readConfig({ ...off, ...settings }), silent, false);

describe('the chains that are configured', () => {
  it('are reached by what the scheme says, whatever the variant', async () => {
    const { chains, close } = await connect({
      CHAIN_S_URL: 'sui+grpcs://a.example,sui+grpc://b.example:9000',
      CHAIN_P_URL: 'sui+grpcs://c.example:443?x-token=secret',
      CHAIN_C_URL: 'https://d.example,evm+wss://e.example',
    });
    assert.deepEqual([...chains.keys()], ['S', 'P', 'C']);
    await close();
  });

  it('stop the start with a line that names the setting where there is no such connector', async () => {
    const refused = (url: string, message: RegExp) =>
      assert.rejects(connect({ CHAIN_P_URL: url }), { name: 'BadSetting', message });
    await refused('cosmos+https://a.example', /^CHAIN_P_URL names nodes of a kind that is not known: cosmos/);
    await refused('sui+grpc://a.example,https://b.example', /^CHAIN_P_URL must hold nodes of one kind/);
  });
});

describe('the node of the development chains', () => {
  const asked: string[] = [];
  const evm = {
    isDevelopment: true,
    call: async (calls: readonly { method: string }[]): Promise<RpcAnswer[]> =>
      calls.map(({ method }) => {
        asked.push(method);
        return method === 'dev_reorg' ? { error: { code: -32602, message: 'too deep' } } : { result: method };
      }),
    close: async () => undefined,
  };
  let made = 0;
  const other = {
    transfer: async ({ to }: { readonly [field: string]: unknown }) => ({ sent: to }),
    mine: async (blocks: number) => {
      made += blocks;
    },
  };
  const node = developmentNode(evm, new Map([['S', other]]));
  const transfer = (variant: string) => ({ method: 'dev_transfer', params: [{ variant, to: 'x' }] });

  it('gives each chain what is meant for it, in order, and mines on all', async () => {
    const calls = [transfer('s'), transfer('c'), transfer('S'), { method: 'dev_mine', params: [3] }];
    assert.deepEqual(await node.call([...calls, { method: 'dev_reorg', params: [99] }]), [
      { result: { sent: 'x' } },
      { result: 'dev_transfer' },
      { result: { sent: 'x' } },
      { result: 'dev_mine' },
      { error: { code: -32602, message: 'too deep' } },
    ]);
    assert.equal(made, 3);
    assert.deepEqual(await node.call([{ method: 'eth_chainId', params: [] }]), [{ result: 'eth_chainId' }]);
    assert.deepEqual(asked, ['dev_transfer', 'dev_mine', 'dev_reorg', 'eth_chainId']);
  });
});
