import type { Block, Chain, Header, Movement, Sending } from '../../application/ports/chain.js';

const finalDepth = 64;
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
const numberOf = (hash: string) => Number.parseInt(hash.slice(2), 16);

/**
 * Creates a fake chain without nodes. The caller mines blocks. Every contract is a token, and no transaction is mined.
 */
export const createFakeChain = () => {
  const blocks: (readonly Movement[])[] = [[]];
  let hint = () => {};
  const headerAt = (number: number): Header => ({
    number,
    hash: hashOf(number),
    parentHash: hashOf(Math.max(0, number - 1)),
    time: number,
  });
  const known = (number: number) => (number < blocks.length ? headerAt(number) : null);
  const blockAt = (number: number): Block | null => {
    const movements = blocks[number];
    return movements ? { ...headerAt(number), movements, touches: [] } : null;
  };
  const sending: Partial<Sending> = {
    chainId: async () => 1,
    estimateGas: async () => '21000',
    gasPrice: async () => '1000000000',
    pendingCount: async () => 0,
    broadcast: async () => ({ kind: 'taken' }),
    countsAt: async (senders) => senders.map(() => 0),
    inclusionsAt: async (hashes) => hashes.map(() => null),
    knows: async (hashes) => hashes.map(() => true),
  };
  const chain: Partial<Chain> = {
    genesis: async () => headerAt(0),
    head: async () => headerAt(blocks.length - 1),
    finalized: async () => Math.max(0, blocks.length - 1 - finalDepth),
    hints: async function* (signal) {
      signal.addEventListener('abort', () => hint(), { once: true });
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          hint = resolve;
        });
        yield;
      }
    },
    headerAt: async (number) => known(number),
    headerOf: async (hash) => known(numberOf(hash)),
    block: async (hash) => blockAt(numberOf(hash)),
    balances: async (holdings) => holdings.map(() => '5'),
    contract: async () => ({ name: 'Coin', symbol: 'COIN', decimals: 18 }),
    sending: sending as Sending,
  };
  const transfer = (to: string, n: number): Movement => ({
    transaction: `0x${(n + 1).toString(16).padStart(64, 'a')}`,
    index: '0',
    from: `0x${'f'.repeat(40)}`,
    to,
    asset: { standard: 'native' },
    value: '5',
    failed: false,
    fee: '1',
    details: {},
  });
  return {
    chain: chain as Chain,
    /** Mines one block with a transfer to the address `to` for each of the numbers. */
    mine: (to: string, numbers: readonly number[]) => {
      blocks.push(numbers.map((n) => transfer(to, n)));
      hint();
    },
  };
};
