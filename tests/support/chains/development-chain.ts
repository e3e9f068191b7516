import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { HDNodeWallet, JsonRpcProvider, Network } from 'ethers';
import { WebSocket } from 'ws';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { skip } from '../run/skip.js';
import { silent } from '../silent.js';

export type Named = { block_hash: string; block_number: number; transaction_hashes: string[] };
export type Sent = { transaction_hash: string; block_hash: string; block_number: number };
export type Reorganized = Named & { blocks: Named[]; replaced: Named[]; dropped_transaction_hashes: string[] };
export type Block = { number: string; hash: string; parentHash: string; timestamp: string; transactions: string[] };
type Notice = { subscription: string; result: Record<string, unknown> };

export const someone = '0x00000000000000000000000000000000000000aa';
export const hex = (value: number) => `0x${value.toString(16)}`;
const phrase = 'test test test test test test test test test test test junk';
const accounts = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0");

/**
 * Starts a development chain for each test, and returns clients of the chain. By default, the chain mines every
 * transaction at once.
 */
export const useDevelopmentChain = () => {
  let chain: DevelopmentChain;
  let provider: JsonRpcProvider;
  const closing: (() => unknown)[] = [];

  const start = async (blockMs: number) => {
    const started =
      (await startDevelopmentEvm({ blockMs, log: silent })) ??
      assert.fail('EDR, the development EVM, is not installed');
    closing.push(started.close);
    return started;
  };
  const restart = async (blockMs: number) => {
    chain = await start(blockMs);
    const network = Network.from(31337);
    provider = new JsonRpcProvider(chain.url, network, { staticNetwork: network, cacheTimeout: -1 });
    closing.push(() => provider.destroy());
  };
  const ask = <T>(method: string, ...params: unknown[]) => chain.request(method, params) as Promise<T>;

  before(async function () {
    const first = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!first) skip(this, 'the development chain (EDR is not there for this machine)');
    await first?.close();
  });
  beforeEach(() => restart(0));
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  return {
    start,
    restart,
    ask,
    chain: () => chain,
    provider: () => provider,
    closeLater: (close: () => unknown) => closing.push(close),
    account: (index: number) => accounts.deriveChild(index).connect(provider),
    deploy: async (type: string) =>
      (await ask<{ contract_address: string }>('dev_deployToken', { type })).contract_address,
    blockAt: (height: number | string) =>
      ask<Block>('eth_getBlockByNumber', typeof height === 'string' ? height : hex(height), false),
    refused: (code: number, message: RegExp, method: string, ...params: unknown[]) =>
      assert.rejects(ask(method, ...params), (error: Error & { code?: number }) => {
        assert.equal(error.code, code, error.message);
        assert.match(error.message, message);
        return true;
      }),
    /**
     * Opens a WebSocket to the chain. Each call of `next` returns the next received message: an answer or a
     * notification.
     */
    connect: async () => {
      const socket = new WebSocket(chain.wsUrl);
      closing.push(() => socket.terminate());
      const messages = on(socket, 'message');
      await once(socket, 'open');
      const next = async () => JSON.parse(String((await messages.next()).value[0]));
      const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
      return {
        send,
        next,
        call: async (method: string, ...params: unknown[]) => {
          send({ jsonrpc: '2.0', id: 1, method, params });
          return (await next()).result;
        },
        notices: async (count: number) => {
          const notices: Notice[] = [];
          while (notices.length < count) notices.push((await next()).params);
          return notices;
        },
      };
    },
  };
};
