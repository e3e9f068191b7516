import type { Node } from '../../../application/ports/node.js';
import { hex } from '../chains/evm-chain.js';
import { blockAnswer, contracts, logAnswers, type ModelBlock, type ModelChain } from './model-nodes.js';

export type ToldLog = { readonly blockHash: string; readonly logIndex: string; readonly removed: boolean };
export type ToldHeader = { readonly number: string; readonly hash: string };

const [mine] = contracts;
/** Time for which callers share a question about unsettled blocks while the gateway does not know what is final. */
const sharedMs = 500;

/**
 * Asks as clients do, and notes in `wrong` each answer that contradicts the chain or what any client was told before.
 * State tells no height, so a node that lags may give it where no other answers, as `isStaleAllowed` says.
 */
export const createWitness = (pool: Node, chain: ModelChain, isStaleAllowed: () => boolean) => {
  const wrong: string[] = [];
  let highest = 0;
  const check = (isRight: boolean, what: string) => {
    if (!isRight) wrong.push(what);
  };
  const hear = (height: number) => {
    highest = Math.max(highest, height);
  };
  /** Asks like a client that may be refused but not deceived. */
  const ask = async <T>(method: string, params: readonly unknown[], judge: (answer: T) => void) => {
    const answer = (await pool.ask(method, params).catch(() => undefined)) as T | undefined;
    if (answer !== undefined) judge(answer);
  };
  const heard = (height: number, before: number, what: string) => {
    check(height >= before, `${what} went back from ${before} to ${height}`);
    hear(height);
  };
  const same = (answer: unknown, expected: unknown, what: string) =>
    check(JSON.stringify(answer) === JSON.stringify(expected), `${what} is ${JSON.stringify(answer)}`);
  /** Chooses a block among those that are final, also for questions that callers still share, and known to clients. */
  const finalBlock = (nth: number) =>
    chain.path()[Math.max(0, Math.min(chain.finalFor(sharedMs), highest) - nth)] as ModelBlock;

  const askHead = () => {
    const before = highest;
    return ask<string>('eth_blockNumber', [], (height) => heard(Number(height), before, 'the head'));
  };
  const questions: Record<string, (nth: number) => Promise<void>> = {
    'the head': askHead,
    'the latest block': (nth) => {
      const before = highest;
      const judge = ({ number }: ToldHeader) => heard(Number(number), before, 'latest');
      return ask<ToldHeader>('eth_getBlockByNumber', ['latest', nth % 2 === 0], judge);
    },
    'the state': () => {
      const before = highest;
      const mayLag = isStaleAllowed();
      const judge = (hash: string) =>
        check(
          (chain.of(hash)?.number ?? -1) >= before || mayLag || isStaleAllowed(),
          `the state is older than block ${before}`,
        );
      return ask<string>('eth_getBalance', [mine, 'latest'], judge);
    },
    'logs of a head that was told': async (nth) => {
      await askHead();
      const height = highest;
      const filter = { fromBlock: hex(height), toBlock: nth % 2 === 0 ? hex(height) : 'latest' };
      const judge = (logs: readonly ToldLog[]) =>
        check(logs.length > 0, `block ${height}, which was told, has no logs`);
      if (height > 0) await ask<readonly ToldLog[]>('eth_getLogs', [filter], judge);
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
  return { wrong, hear, highest: () => highest, questions: Object.values(questions) };
};

/** Applies removals and returns the logs that remain; notes a log added twice, or removed without being there. */
export const remaining = (heard: readonly ToldLog[], wrong: string[]): readonly string[] => {
  const standing = new Set<string>();
  for (const { blockHash, logIndex, removed } of heard) {
    const key = `${blockHash} ${logIndex}`;
    if (standing.has(key) !== removed) wrong.push(`${removed ? 'removed without being there' : 'added twice'}: ${key}`);
    if (removed) standing.delete(key);
    else standing.add(key);
  }
  return [...standing];
};
