import type { Node } from '../../../application/ports/node.js';
import { hex } from '../chains/evm-chain.js';
import {
  blockAnswer,
  contracts,
  logAnswers,
  type ModelBlock,
  type ModelChain,
  receiptAnswer,
  transactionOf,
} from './model-nodes.js';

export type ReceivedLog = { readonly blockHash: string; readonly logIndex: string; readonly removed: boolean };
export type ReceivedHeader = { readonly number: string; readonly hash: string };

const [mine] = contracts;
/** Time in ms for which callers share a request about blocks while the gateway does not know which block is final. */
const sharedMs = 500;

type Scene = {
  /** Gateways of one chain that share heads and final answers. The gateways are asked in turn. */
  readonly pools: readonly Node[];
  readonly chain: ModelChain;
  /** Returns whether a node has a fault. If so, the data of a lagging node may be the newest that a gateway can get. */
  isStaleAllowed(): boolean;
  /** Returns whether no node has a fault, and none is still avoided because of an earlier fault. */
  isHealthy(): boolean;
  /**
   * Returns a count that rises when a node begins to serve another chain, and again when both gateways have noticed it.
   */
  switches(): number;
  /** Returns whether a node has switched to another chain and at least one gateway has not noticed the switch yet. */
  isSwitching(): boolean;
  /** Returns the newest height that any node has. */
  tip(): number;
};

/**
 * Creates a witness, which asks the gateways as clients do and adds to `violations` each answer that contradicts the
 * chain or an earlier answer. State may be outdated if `isStaleAllowed` returns true: answers about state contain no
 * height, so a gateway cannot recognize an answer of a lagging node. After a node switched its chain, answers are
 * ignored until both gateways have noticed the switch.
 */
export const createWitness = ({ pools, chain, isStaleAllowed, isHealthy, switches, isSwitching, tip }: Scene) => {
  const violations: string[] = [];
  /** Highest head that each gateway returned. */
  const heights = pools.map(() => 0);
  let asked = 0;
  const check = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  const nextPlace = () => asked++ % pools.length;
  const noteHeight = (height: number, place = 0) => {
    heights[place] = Math.max(heights[place] ?? 0, height);
  };
  const highest = () => Math.max(...heights);
  /**
   * Returns the height that a gateway must know: the highest that any gateway returned or, after a switch of chains,
   * the highest that this gateway itself returned.
   */
  const knownAt = (place: number) => (switches() === 0 ? highest() : (heights[place] ?? 0));
  /** Asks like a client: an error is allowed, a false answer is not. */
  const ask = async <T>(
    method: string,
    params: readonly unknown[],
    verify: (answer: T) => void,
    place = nextPlace(),
  ) => {
    const [pool, before] = [pools[place] as Node, switches()];
    const answer = (await pool.ask(method, params).catch(() => undefined)) as T | undefined;
    if (answer !== undefined && before === switches() && !isSwitching()) verify(answer);
  };
  /** Asks as `ask` does, but verifies the answer only if the nodes were healthy before and after the call. */
  const askHealthy = async <T>(method: string, params: readonly unknown[], verify: (answer: T) => void) => {
    const wasHealthy = isHealthy();
    await ask<T>(method, params, (answer) => {
      if (wasHealthy && isHealthy()) verify(answer);
    });
  };
  /** Asks a gateway for a block or its height, which must not be below the head that the gateway knows. */
  const askHeight = <T>(method: string, params: readonly unknown[], heightIn: (answer: T) => string, place: number) => {
    const before = knownAt(place);
    const verify = (answer: T) => {
      const height = Number(heightIn(answer));
      check(height >= before, `${method} went back from ${before} to ${height}`);
      noteHeight(height, place);
    };
    return ask<T>(method, params, verify, place);
  };
  const same = (answer: unknown, expected: unknown, what: string) =>
    check(JSON.stringify(answer) === JSON.stringify(expected), `${what} is ${JSON.stringify(answer)}`);
  /**
   * Chooses a final block that clients know. The block has been final for longer than callers share a request, so no
   * shared answer is from the time before it was final.
   */
  const finalBlock = (nth: number) =>
    chain.path()[Math.max(0, Math.min(chain.finalFor(sharedMs), highest()) - nth)] as ModelBlock;

  const askHead = (place = nextPlace()) => askHeight<string>('eth_blockNumber', [], (height) => height, place);
  const questions: Record<string, (nth: number) => Promise<void>> = {
    'the head': () => askHead(),
    'the latest block': (nth) =>
      askHeight<ReceivedHeader>('eth_getBlockByNumber', ['latest', nth % 2 === 0], ({ number }) => number, nextPlace()),
    'the state': () => {
      const place = nextPlace();
      const before = knownAt(place);
      const mayLag = isStaleAllowed();
      const verify = (hash: string) =>
        check(
          (chain.blockByHash(hash)?.number ?? -1) >= before || mayLag || isStaleAllowed(),
          `the state is older than block ${before}`,
        );
      return ask<string>('eth_getBalance', [mine, 'latest'], verify, place);
    },
    'logs of a known head': async (nth) => {
      const place = nextPlace();
      await askHead(place);
      const height = knownAt(place);
      const filter = { fromBlock: hex(height), toBlock: nth % 2 === 0 ? hex(height) : 'latest' };
      const verify = (logs: readonly ReceivedLog[]) =>
        check(logs.length > 0, `block ${height}, which a client knows, has no logs`);
      if (height > 0) await ask<readonly ReceivedLog[]>('eth_getLogs', [filter], verify, place);
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
    // Asks with the filter member `ADDRESS`, which nodes do not know: they ignore it and return the logs of all
    // addresses.
    'final logs with a member that nodes ignore': (nth) => {
      const number = hex(finalBlock(nth).number);
      return ask('eth_getLogs', [{ fromBlock: number, toBlock: number, ADDRESS: mine }], () => undefined);
    },
    'a block that may become final': (nth) =>
      ask('eth_getBlockByNumber', [hex(chain.final() + 1 + nth), false], () => undefined),
    // Clients may know the newest block before the gateway does.
    'logs of the newest block': () => {
      const height = hex(tip());
      return askHealthy<readonly ReceivedLog[]>('eth_getLogs', [{ fromBlock: height, toBlock: height }], (logs) =>
        check(logs.length > 0, `block ${Number(height)}, which a node has, has no logs`),
      );
    },
    'a final receipt': (nth) => {
      const block = finalBlock(nth);
      return askHealthy('eth_getTransactionReceipt', [transactionOf(block)], (answer) =>
        same(answer, receiptAnswer(block), 'a final receipt'),
      );
    },
    'a call that every node rejects': (nth) => ask('eth_call', [{ data: hex(nth) }, 'latest'], () => undefined),
  };
  return {
    violations,
    noteHeight,
    highest,
    /**
     * Forgets the heads that clients received, because a gateway drops its heads when it notices that a node switched
     * its chain.
     */
    forget: () => {
      heights.fill(0);
    },
    questions: Object.values(questions),
  };
};

/**
 * Returns the logs that remain after removals. Adds a violation for a log that is added twice, or removed while absent.
 */
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
