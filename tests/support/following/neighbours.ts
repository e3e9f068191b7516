import assert from 'node:assert/strict';
import type { Context } from '../../../application/commands/handle.js';
import type { Chain, Header } from '../../../application/ports/chain.js';
import type { System } from '../../../application/ports/system.js';
import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { createEvmChain } from '../chains/evm-chain.js';
import { startEvmNode } from '../chains/evm-node.js';
import { silent, testSystem } from '../silent.js';
import { contextOf, type openStores, type Running, startFollowing } from './following.js';

type Stores = Awaited<ReturnType<typeof openStores>>;

type Pace = {
  /** True to return the head without a request to the node, so that even a slow machine misses no deadline. */
  readonly isHeadAtHand?: boolean;
  /** True to advance the clock only by `script.clockMs`, so that no pause ends early on a slow machine. */
  readonly isClockStill?: boolean;
};

/**
 * Starts a service that follows a scripted chain for several organizations. Calls to the chain are counted, and can be
 * made to fail.
 */
export const startNeighbourhood = async (
  stores: Stores,
  name: string,
  { isHeadAtHand = false, isClockStill = false }: Pace = {},
) => {
  const chain = createEvmChain(name);
  const node = await startEvmNode({ chain });
  const connected = await evmChain([node.url], silent);
  const counts = { head: 0, headerAt: 0, balances: 0, failed: 0, searched: [] as number[] };
  const script: {
    isAway: boolean;
    /** Returns whether a read of balances fails. A promise makes the read hang until the promise resolves. */
    fails(holdings: readonly Holding[]): boolean | Promise<boolean>;
    clockMs: number;
    /** Number of the last block for which the nodes return logs of received tokens. */
    searchesUpTo: number;
  } = {
    isAway: false,
    searchesUpTo: Number.POSITIVE_INFINITY,
    fails: () => false,
    clockMs: 0,
  };
  const headAtHand = async (): Promise<Header> => {
    const { number, hash, parentHash, time } = chain.head();
    return { number, hash, parentHash, time };
  };
  const counted: Chain = {
    ...connected,
    head: () => {
      counts.head++;
      return isHeadAtHand ? headAtHand() : connected.head();
    },
    headerAt: (number) => {
      counts.headerAt++;
      return connected.headerAt(number);
    },
    block: (hash, interest) =>
      script.isAway ? Promise.reject(new Error('no node gives a block')) : connected.block(hash, interest),
    tokensReceived: async (asked) => {
      const to = Math.min(asked.to, script.searchesUpTo);
      // Advances the clock by one second for each call. A turn of the search for received tokens ends after a second,
      // so each turn makes one call.
      script.clockMs += 1000;
      if (to < asked.from) throw new Error('no node gives older logs');
      counts.searched.push(asked.from);
      return (await connected.tokensReceived?.({ ...asked, to })) ?? assert.fail('the chain has no token ids');
    },
    balances: async (holdings, at) => {
      counts.balances++;
      if (!(await script.fails(holdings))) return connected.balances(holdings, at);
      counts.failed++;
      throw new Error('the node gave no answer in time');
    },
  };
  const startedAt = testSystem.now();
  const now = () => (isClockStill ? startedAt : testSystem.now()) + script.clockMs;
  const system: System = { ...testSystem, now };
  const start = () => startFollowing(stores, counted, { system });
  let running: Running = start();

  return {
    chain,
    node,
    counts,
    script,
    app: () => running.app,
    context: (organization: string) => contextOf(`org_${organization}`),
    restart: async () => {
      await running.stop();
      running = start();
    },
    /**
     * Registers a wallet with addresses, and the given number of webhooks, all with a confirmation depth of one block.
     */
    join: async (organization: string, addresses: readonly string[], webhooks = 0): Promise<Context> => {
      const by = contextOf(`org_${organization}`);
      const { app } = running;
      const wallet = { name: organization, confirmation: 1, address: undefined, importAsset: undefined };
      const { answer } = await app.wallets.register(by, wallet);
      const inputs = addresses.map((text) => ({ text, path: '' }));
      await app.addresses.register(by, { walletId: answer.wallet_id, inputs });
      const hook = { walletId: undefined, endpoint: 'https://example.com/hook', confirmation: 1 };
      for (let n = 0; n < webhooks; n++) await app.webhooks.register(by, hook);
      return by;
    },
    close: async () => {
      await running.stop();
      await connected.close();
      await node.close();
    },
  };
};
