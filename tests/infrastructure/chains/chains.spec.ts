import assert from 'node:assert/strict';
import type { Node, RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { chainFamilies, variants } from '../../../domain/variant.js';
import { connectChains } from '../../../infrastructure/chains/chains.js';
import { developmentNode } from '../../../infrastructure/chains/development/development-node.js';
import { schemesOf } from '../../../infrastructure/chains/families.js';
import { readConfig } from '../../../infrastructure/config.js';
import { silent } from '../../support/silent.js';

const off = Object.fromEntries(variants.map(({ tag }) => [`CHAIN_${tag}_URL`, 'off']));
const connect = (settings: Record<string, string>) =>
  connectChains(readConfig({ ...off, ...settings }), silent, 'none');

describe('the configured chains', () => {
  it('are connected by the scheme of their URLs, whatever the variant', async () => {
    const { chains, close } = await connect({
      CHAIN_S_URL: 'sui+grpcs://a.example,sui+grpc://b.example:9000',
      CHAIN_P_URL: 'sui+grpcs://c.example:443?x-token=secret',
      CHAIN_C_URL: 'https://d.example,evm+wss://e.example',
    });
    assert.deepEqual([...chains.keys()], ['S', 'P', 'C']);
    await close();
  });

  it('fail the start with the name of the setting if its nodes are of two kinds', () =>
    assert.rejects(connect({ CHAIN_P_URL: 'sui+grpc://a.example,https://b.example' }), {
      name: 'BadSetting',
      message: 'CHAIN_P_URL must list nodes of one chain family, found sui and evm',
    }));

  for (const scheme of schemesOf(chainFamilies))
    it(`are connected at ${scheme}://…`, async () => {
      const { chains, close } = await connect({ CHAIN_P_URL: `${scheme}://a.example` });
      assert.equal(chains.size, 1);
      await close();
    });
});

describe('the node of the development chains', () => {
  const asked: string[] = [];
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const evm = {
    isDevelopment: true,
    answer: async ({ method }: RpcCall): Promise<RpcAnswer> => {
      asked.push(method);
      return method === 'dev_reorg'
        ? { error: bytes({ code: -32602, message: 'too deep' }) }
        : { result: bytes(method) };
    },
  } as unknown as Node;
  let made = 0;
  const other = {
    transfer: async ({ to }: { readonly [field: string]: unknown }) => ({ sent: to }),
    mine: async (blocks: number) => {
      made += blocks;
    },
  };
  const node = developmentNode(evm, new Map([['S', other]]));
  const transfer = (variant: string) => ({ method: 'dev_transfer', params: [{ variant, to: 'x' }] });

  it('passes each call to the chain it names, in order, and mines on all chains', async () => {
    const calls = [transfer('s'), transfer('c'), transfer('S'), { method: 'dev_mine', params: [3] }];
    const answers: unknown[] = [];
    for (const call of [...calls, { method: 'dev_reorg', params: [99] }, { method: 'eth_chainId', params: [] }])
      for (const answer of Object.values(await node.answer(call))) answers.push(JSON.parse(String(answer)));
    assert.deepEqual(answers, [
      { sent: 'x' },
      'dev_transfer',
      { sent: 'x' },
      'dev_mine',
      { code: -32602, message: 'too deep' },
      'eth_chainId',
    ]);
    assert.equal(made, 3);
    assert.deepEqual(asked, ['dev_transfer', 'dev_mine', 'dev_reorg', 'eth_chainId']);
  });

  it('lists every variant that supports a control when it is called for another', async () => {
    const before = asked.length;
    const deploy = { method: 'dev_deployToken', params: [{ variant: 'S', type: 'ERC-20' }] };
    const listed: [RpcCall, string][] = [
      [transfer('x'), 'C, P, Q, S'],
      [transfer('T'), 'C, P, Q, S'],
      [deploy, 'C, P, Q'],
    ];
    for (const [call, able] of listed)
      assert.deepEqual(await node.answer(call), {
        error: bytes({ code: -32602, message: `variant must be one of ${able}` }),
      });
    assert.equal(asked.length, before);
  });
});
