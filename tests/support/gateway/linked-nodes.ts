import { setImmediate as turn } from 'node:timers/promises';
import { NodeFault } from '../../../infrastructure/nodes/node-fault.js';
import { throwRpcError } from '../chains/answering-node.js';
import { addressOf, digestOf, hex } from '../chains/evm-chain.js';

export const hashAt = (height: number) => digestOf('block', height);
export const blockAt = (height: number, isFull = false) => ({
  number: hex(height),
  hash: hashAt(height),
  transactions: isFull ? [{ hash: hashAt(-height) }] : [hashAt(-height)],
});
export const logAt = (height: number) => ({
  address: addressOf('log'),
  topics: [],
  blockNumber: hex(height),
  blockHash: hashAt(height),
  transactionIndex: '0x0',
  logIndex: '0x0',
});

const blockSeconds = 12;

/**
 * Makes a node within this process, which has blocks up to the height `head` with one log each, and answers after
 * `turns` turns of the event loop.
 */
export const linkedNode = (head: number, turns = 0) => {
  const state = {
    head,
    turns,
    /** Height of the block with the tag `finalized`. */
    final: 0,
    chainId: '0x1',
    /** Unix time of the newest block, in seconds; null for blocks without a time. */
    headTime: null as number | null,
    isDown: false,
    lacks: [] as string[],
    asked: [] as string[],
    loses: 'nothing',
  };
  const heightOf = (block: unknown) => (block === 'latest' || block === undefined ? state.head : Number(block));
  const timeOf = (height: number) =>
    state.headTime === null ? {} : { timestamp: hex(state.headTime - blockSeconds * (state.head - height)) };
  const found = (height: number) => (height <= state.head ? height : null);
  const logs = ({ blockHash, fromBlock, toBlock }: Record<string, unknown>) => {
    if (state.loses === 'logs') return [];
    const [from, to] = [heightOf(fromBlock), Math.min(heightOf(toBlock), state.head)];
    const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
    const all = Array.from({ length: state.head + 1 }, (_, height) => height);
    return (blockHash ? all.filter((height) => hashAt(height) === blockHash) : heights).map(logAt);
  };
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => state.chainId,
    eth_blockNumber: () => hex(state.head),
    eth_getBlockByNumber: ([block, isFull]) => {
      const height = block === 'finalized' ? state.final : found(heightOf(block));
      return height === null ? null : { ...blockAt(height, isFull === true), ...timeOf(height) };
    },
    eth_getLogs: ([filter]) => logs(filter as Record<string, unknown>),
    // The balance of every address is the height of the block.
    eth_getBalance: ([, block]) => hex(found(heightOf(block)) ?? throwRpcError(-32_000, 'header not found')),
  };
  const answer = (method: string, params: string): object => {
    try {
      const ask =
        (!state.lacks.includes(method) && answers[method]) || throwRpcError(-32_601, 'the method does not exist');
      return { result: Buffer.from(JSON.stringify(ask(JSON.parse(params)))) };
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      return { error: Buffer.from(JSON.stringify({ code, message })) };
    }
  };
  const exchange = async (method: string, params: string) => {
    state.asked.push(method);
    const answered = answer(method, params);
    const { isDown }: { isDown: boolean } = state;
    if (isDown) throw new NodeFault('failing', 'is down');
    for (let i = 0; i < state.turns; i++) await turn();
    return { id: '1', ...answered } as never;
  };
  return { state, link: { exchange, close: async () => undefined } };
};

export type LinkedNode = ReturnType<typeof linkedNode>;
