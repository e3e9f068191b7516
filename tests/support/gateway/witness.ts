import type { Node } from '../../../application/ports/node.js';
import { hex } from '../chains/evm-chain.js';
import { blockAnswer, contracts, logAnswers, type ModelBlock, type ModelChain } from './model-nodes.js';

export type ReceivedLog = { readonly blockHash: string; readonly logIndex: string; readonly removed: boolean };
export type ReceivedHeader = { readonly number: string; readonly hash: string };

const [mine] = contracts;
/** Time for which callers share a request about unsettled blocks while the gateway does not know the final block. */
const sharedMs = 500;

/**
 * Asks as clients do, and records in `violations` each answer that contradicts the chain or an earlier answer. State
 * has no height, so a node that lags may return it where no other node answers, if `isStaleAllowed` returns true.
 */
export const createWitness = (pool: Node, chain: ModelChain, isStaleAllowed: () => boolean) => {
  const violations: string[] = [];
  let highest = 0;
  const check = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  const noteHeight = (height: number) => {
    highest = Math.max(highest, height);
  };
  /** Asks like a client: an error is allowed, a false answer is not. */
  const ask = async <T>(method: string, params: readonly unknown[], verify: (answer: T) => void) => {
    const answer = (await pool.ask(method, params).catch(() => undefined)) as T | undefined;
    if (answer !== undefined) verify(answer);
  };
  const checkHeight = (height: number, before: number, what: string) => {
    check(height >= before, `${what} went back from ${before} to ${height}`);
    noteHeight(height);
  };
  const same = (answer: unknown, expected: unknown, what: string) =>
    check(JSON.stringify(answer) === JSON.stringify(expected), `${what} is ${JSON.stringify(answer)}`);
  /** Chooses a block that clients know and that is final, even for requests that callers still share. */
  const finalBlock = (nth: number) =>
    chain.path()[Math.max(0, Math.min(chain.finalFor(sharedMs), highest) - nth)] as ModelBlock;

  const askHead = () => {
    const before = highest;
    return ask<string>('eth_blockNumber', [], (height) => checkHeight(Number(height), before, 'the head'));
  };
  const questions: Record<string, (nth: number) => Promise<void>> = {
    'the head': askHead,
    'the latest block': (nth) => {
      const before = highest;
      const verify = ({ number }: ReceivedHeader) => checkHeight(Number(number), before, 'latest');
      return ask<ReceivedHeader>('eth_getBlockByNumber', ['latest', nth % 2 === 0], verify);
    },
    'the state': () => {
      const before = highest;
      const mayLag = isStaleAllowed();
      const verify = (hash: string) =>
        check(
          (chain.blockByHash(hash)?.number ?? -1) >= before || mayLag || isStaleAllowed(),
          `the state is older than block ${before}`,
        );
      return ask<string>('eth_getBalance', [mine, 'latest'], verify);
    },
    'logs of a known head': async (nth) => {
      await askHead();
      const height = highest;
      const filter = { fromBlock: hex(height), toBlock: nth % 2 === 0 ? hex(height) : 'latest' };
      const verify = (logs: readonly ReceivedLog[]) =>
        check(logs.length > 0, `block ${height}, which a client knows, has no logs`);
      if (height > 0) await ask<readonly ReceivedLog[]>('eth_getLogs', [filter], verify);
    },
    'a final block': (nth) => {
      const block = finalBlock(nth);
      const expected = blockAnswer(block, false);
      return ask('eth_getBlockByNumber', [hex(block.number), false], (answer) =>
        same(answer, expected, 'a final block'),
      );
    },
    'final logs of an address': (nth) => {
      const block = finalBlock(nth);
      const expected = logAnswers(block).filter(({ address }) => address === mine);
      const filter = { fromBlock: hex(block.number), toBlock: hex(block.number), address: mine };
      return ask('eth_getLogs', [filter], (answer) => same(answer, expected, 'final logs'));
    },
    // Nodes ignore a member that they do not know, and give every log.
    'final logs with a member that nodes ignore': (nth) => {
      const number = hex(finalBlock(nth).number);
      return ask('eth_getLogs', [{ fromBlock: number, toBlock: number, ADDRESS: mine }], () => undefined);
    },
    'a block that may become final': (nth) =>
      ask('eth_getBlockByNumber', [hex(chain.final() + 1 + nth), false], () => undefined),
  };
  return { violations, noteHeight, highest: () => highest, questions: Object.values(questions) };
};

/** Applies removals and returns the remaining logs; records a log that is added twice or removed while absent. */
export const remainingLogs = (logs: readonly ReceivedLog[], violations: string[]): readonly string[] => {
  const standing = new Set<string>();
  for (const { blockHash, logIndex, removed } of logs) {
    const key = `${blockHash} ${logIndex}`;
    if (standing.has(key) !== removed)
      violations.push(`${removed ? 'removed without being there' : 'added twice'}: ${key}`);
    if (removed) standing.delete(key);
    else standing.add(key);
  }
  return [...standing];
};
