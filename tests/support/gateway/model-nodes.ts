import type { Cancellation } from '../../../application/async/cancellation.js';
import { NodeFault } from '../../../infrastructure/nodes/node-fault.js';
import { addressOf, digestOf, hex } from '../chains/evm-chain.js';
import type { VirtualClock } from '../virtual-clock.js';

/** Contracts of the model chain. Every block has one log of each contract. */
export const contracts = [addressOf('one'), addressOf('other')] as const;
const someBloom = `0x${'01'.repeat(256)}`;

export type ModelBlock = { readonly number: number; readonly hash: string; readonly parentHash: string };
type Path = readonly ModelBlock[];

export const blockAnswer = ({ number, hash, parentHash }: ModelBlock, isFull: boolean) => ({
  number: hex(number),
  hash,
  parentHash,
  logsBloom: someBloom,
  transactions: isFull ? [{ hash: digestOf(hash, 'transaction') }] : [digestOf(hash, 'transaction')],
});
export const logAnswers = ({ number, hash }: ModelBlock) =>
  contracts.map((address, i) => ({ address, topics: [], blockNumber: hex(number), blockHash: hash, logIndex: hex(i) }));

export const transactionOf = ({ hash }: ModelBlock) => digestOf(hash, 'transaction');
export const receiptAnswer = (block: ModelBlock) => ({
  transactionHash: transactionOf(block),
  transactionIndex: '0x0',
  blockHash: block.hash,
  blockNumber: hex(block.number),
  logs: [],
});

/** Number of blocks by which the newest final block is below the head. */
const finalDepth = 6;

/** Makes a chain on which a test mines blocks and replaces the newest ones; final blocks are never replaced. */
export const createModelChain = (clock: VirtualClock, id = 1, length = 10) => {
  const blocks = new Map<string, ModelBlock>();
  const byTransaction = new Map<string, ModelBlock>();
  const listeners = new Set<() => void>();
  let path: Path = [];
  let serial = 0;
  let final = 0;
  /** Height of the newest final block after each change of the chain, with the clock's time of the change. */
  const finals: { readonly height: number; readonly at: number }[] = [];

  const append = (given: Path): Path => {
    const parentHash = given.at(-1)?.hash ?? digestOf('nothing');
    const block = { number: given.length, hash: digestOf('model', id, serial++), parentHash };
    blocks.set(block.hash, block);
    byTransaction.set(transactionOf(block), block);
    return [...given, block];
  };
  const become = (next: Path) => {
    path = next;
    final = Math.max(final, path.length - 1 - finalDepth);
    finals.push({ height: final, at: clock.now() });
    for (const listener of listeners) listener();
  };
  for (let i = 0; i < length; i++) become(append(path));
  return {
    id,
    path: () => path,
    head: () => path.at(-1) as ModelBlock,
    blockByHash: (hash: string) => blocks.get(hash),
    blockOf: (transaction: string) => byTransaction.get(transaction),
    final: () => final,
    /** Returns the greatest height that has been final for more than `ms`. */
    finalFor: (ms: number) => finals.findLast(({ at }) => at < clock.now() - ms)?.height ?? 0,
    onChange: (listener: () => void) => void listeners.add(listener),
    mine: () => become(append(path)),
    /**
     * Replaces up to `depth` of the newest blocks, but no final block and no block below height `floor`, with a longer
     * branch.
     */
    reorganize: (depth: number, floor: number) => {
      const kept = Math.max(path.length - depth, final + 1, floor);
      let branch = path.slice(0, kept);
      while (branch.length <= path.length) branch = [...append(branch)];
      become(branch);
    },
  };
};

export type ModelChain = ReturnType<typeof createModelChain>;

const refuse = (code: number, message: string): never => {
  throw Object.assign(new Error(message), { code });
};
const broken = (message: string) => (): never => {
  throw new NodeFault('failing', message);
};
const breaks = broken('answered with status 503');

/** Faults of a node: each returns the answer to a call, or null if the fault does not affect the call. */
const faults = {
  none: () => null,
  /** Fails two of every three calls. */
  flaky: (_: string, __: readonly unknown[], nth: number) => (nth % 3 === 0 ? null : breaks()),
  /** Ignores new blocks: the node lags, or stays on a branch that the others have left. */
  frozen: () => null,
  hung: () => 'hung' as const,
  revoked: broken('answered with status 403'),
  truncated: broken('answered with something that is not JSON-RPC'),
  refusing: () => refuse(-32_005, 'limit exceeded'),
  'without methods': () => refuse(-32_601, 'the method does not exist'),
  'without logs': (method: string, params: readonly unknown[]) =>
    method === 'eth_getLogs' && (params[0] as { blockHash?: string }).blockHash ? [] : null,
} as const satisfies Record<string, (method: string, params: readonly unknown[], nth: number) => unknown>;
export type ModelFault = keyof typeof faults;
export const modelFaults = Object.keys(faults) as ModelFault[];

/** Messages with which nodes reject a call because of its content. */
const callErrors = [
  'execution reverted',
  'stack limit reached 1024 (1023)',
  'max code size exceeded',
  'exceeds block gas limit',
  'query returned more than 10000 results',
] as const;

type Filter = { blockHash?: string; fromBlock?: string; toBlock?: string; address?: string };

type NodeOptions = {
  readonly blockMs: number;
  readonly answerMs: number;
  /** True for a node that has no receipts. */
  readonly isPruned?: boolean;
};

/** Makes a node of a chain. The node learns of blocks after `blockMs` and answers calls after `answerMs`. */
export const modelNode = (first: ModelChain, clock: VirtualClock, { blockMs, answerMs, isPruned }: NodeOptions) => {
  let chain = first;
  const hearing = new Set<(header: unknown) => void>();
  let fault: ModelFault = 'none';
  let view: Path = chain.path();
  let asked = 0;

  const see = (path: Path) => {
    // Ignores an older path, which may arrive after the node has already seen a longer one.
    if (path.length <= view.length) return;
    view = path;
    for (const notice of hearing) notice(blockAnswer(path.at(-1) as ModelBlock, false));
  };
  const isOrphaned = () => view.slice(0, chain.final() + 1).some(({ hash }, i) => chain.path()[i]?.hash !== hash);
  const follow = (followed: ModelChain) =>
    followed.onChange(() => {
      const path = followed.path();
      clock.later(() => fault !== 'frozen' && chain === followed && see(path), blockMs);
      // No node keeps a branch that contradicts a final block, so the node leaves such a branch without delay.
      if (chain === followed && isOrphaned()) see(path);
    });
  follow(first);

  const at = (block: unknown): ModelBlock | undefined => {
    if (block === 'latest' || block === undefined) return view.at(-1);
    return view[block === 'finalized' ? Math.min(chain.final(), view.length - 1) : Number(block)];
  };
  const logs = ({ blockHash, fromBlock, toBlock, address }: Filter) => {
    const known = blockHash === undefined ? undefined : chain.blockByHash(blockHash);
    if (blockHash && !(known && known.number < view.length)) return refuse(-32_000, 'unknown block');
    const [from, to] = [at(fromBlock)?.number ?? Number(fromBlock), at(toBlock)?.number ?? Number(toBlock)];
    const searched = known ? [known] : view.slice(from, to + 1);
    return searched.flatMap(logAnswers).filter((log) => address === undefined || log.address === address);
  };
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => hex(chain.id),
    eth_blockNumber: () => hex(view.length - 1),
    eth_getBlockByNumber: ([block, isFull]) => {
      const found = at(block);
      return found ? blockAnswer(found, isFull === true) : null;
    },
    eth_getBlockByHash: ([hash, isFull]) => {
      const found = chain.blockByHash(String(hash));
      return found && found.number < view.length ? blockAnswer(found, isFull === true) : null;
    },
    eth_getBalance: ([, block]) => (at(block) ?? refuse(-32_000, 'header not found')).hash,
    eth_getLogs: ([filter]) => logs(filter as Filter),
    eth_getTransactionReceipt: ([hash]) => {
      const block = isPruned ? undefined : chain.blockOf(String(hash));
      return block && view[block.number]?.hash === block.hash ? receiptAnswer(block) : null;
    },
    eth_call: ([call]) => {
      const { data } = call as { data: string };
      return refuse(-32_000, callErrors[Number(data) % callErrors.length] as string);
    },
  };
  const answer = (method: string, params: readonly unknown[]): unknown =>
    faults[fault](method, params, asked++) ?? answers[method]?.(params) ?? null;

  const exchange = (method: string, params: string, cancellation: Cancellation) =>
    new Promise<never>((resolve, reject) => {
      const reply = (settle: () => void) => clock.later(settle, answerMs);
      cancellation.onCancel(() => reject(new NodeFault('failing', 'was left')));
      try {
        const result = answer(method, JSON.parse(params));
        if (result !== 'hung') reply(() => resolve({ id: '1', result: Buffer.from(JSON.stringify(result)) } as never));
      } catch (error) {
        const { code, message } = error as { code?: number; message: string };
        if (code === undefined) reply(() => reject(error as Error));
        else reply(() => resolve({ id: '1', error: Buffer.from(JSON.stringify({ code, message })) } as never));
      }
    });
  const listen = (_: string, notice: (header: unknown) => void, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      hearing.add(notice);
      const end = () => {
        hearing.delete(notice);
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
    });
  return {
    link: { exchange, listen, close: async () => undefined },
    height: () => view.length - 1,
    /** Serves another chain from now on. */
    switchTo: (other: ModelChain) => {
      chain = other;
      view = other.path();
      follow(other);
    },
    suffer: (given: ModelFault) => {
      fault = given;
      if (given !== 'frozen') see(chain.path());
    },
  };
};

export type ModelNode = ReturnType<typeof modelNode>;
