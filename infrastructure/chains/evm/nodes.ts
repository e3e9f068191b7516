import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { createMember, type Member } from './member.js';
import { NodeFault, wrong } from './node-fault.js';
import { createSearch, isUnreachable } from './search.js';
import { type Outcome, type RpcCall, resultOf, type Transport } from './transport.js';
import { hash, inHex, nullIfMissing, record } from './wire.js';

/** One node for the time of one piece of work. */
export type Node = {
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Faults of single calls are among the outcomes; what says that the node is overloaded rejects. */
  batch(calls: readonly RpcCall[]): Promise<readonly Outcome[]>;
  /** What was found out about this node; absent while unknown. */
  readonly can: Member['can'];
};

type Work<T> = (node: Node) => Promise<T>;
type Terms = {
  /** Some answers take a node longer: how many times the usual deadline. */
  readonly patience?: number;
  readonly among?: (can: Member['can']) => boolean;
};

export type Nodes = {
  /** What the first node says that gives a usable answer; others are asked while there is time. */
  use<T>(work: Work<T>, terms?: Terms): Promise<T>;
  /** As `use`, but null is believed only when every other node that answers says the same. */
  find<T>(work: Work<T | null>, terms?: Terms): Promise<T | null>;
  /** What every node says that answers about as fast as the fastest, in the order of the nodes; at least one answer. */
  poll<T>(work: Work<T>): Promise<readonly T[]>;
  /** What each node says, also one that rests; `silent` stands for one that gives no usable answer. */
  each<T>(work: Work<T>, silent: (reason: string) => T): Promise<readonly T[]>;
  /** Whether any node may still turn out to be able to. */
  some(test: (can: Member['can']) => boolean): boolean;
  readonly headWatchers: readonly NonNullable<Transport['watchHeads']>[];
  readonly closed: AbortSignal;
  close(): Promise<void>;
};

export type NodeOptions = {
  /** In all, for one piece of work on whichever nodes. */
  readonly deadlineMs: number;
  /** For one answer of one node. */
  readonly answerMs: number;
  readonly mostBytes: number;
  readonly batchSize: number;
};

const firstPauseMs = 100;
/** How much later than the fastest node another may answer a poll. */
const graceMs = 500;

const nodeFor = (member: Member, until: number, options: NodeOptions, patience: number): Node => {
  const exchange = async (calls: readonly RpcCall[]) => {
    const left = until - performance.now();
    if (left <= 0) throw new NodeFault('late', 'took too long altogether');
    const outcomes = await member.transport.exchange(calls, Math.min(options.answerMs * patience, left));
    for (const outcome of outcomes) if ('fault' in outcome && isUnreachable(outcome.fault)) throw outcome.fault;
    return outcomes;
  };
  return {
    can: member.can,
    call: async (method, params) => {
      const [outcome] = await exchange([{ method, params }]);
      return resultOf(outcome);
    },
    batch: async (calls) => {
      const outcomes: Outcome[] = [];
      for (let i = 0; i < calls.length; i += options.batchSize)
        outcomes.push(...(await exchange(calls.slice(i, i + options.batchSize))));
      return outcomes;
    },
  };
};

/** A node of another chain answers everything well and is never to be asked; the first node that answers names the chain. */
const createVet = (members: readonly Member[]) => {
  let genesis: string | null = null;
  return async (member: Member, node: Node) => {
    // A node alone has nobody to differ from; whether it still is the chain it was is asked with `genesis`.
    if (member.isVetted() || members.length === 1) return;
    const first = await nullIfMissing(node.call('eth_getBlockByNumber', [inHex(0), false]));
    if (first !== null) {
      const found = hash(record(first, 'the first block').hash, 'the hash of the first block');
      genesis ??= found;
      if (found !== genesis) wrong('serves another chain than the nodes beside it');
    }
    member.vouch();
  };
};

const askEach = <T>(
  members: readonly Member[],
  ask: (member: Member) => Promise<T>,
  silent: (reason: string) => T,
): Promise<T[]> =>
  Promise.all(
    members.map((member) =>
      ask(member).catch((error: unknown) => {
        if (error instanceof NodeFault) return silent(`${member.name}: ${error.message}`);
        throw error;
      }),
    ),
  );

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const members = urls.map((url) => createMember(url, log, { ...options, connectMs: options.answerMs }));
  const closing = new AbortController();
  const vet = createVet(members);

  const attempt = <T>(member: Member, work: Work<T>, until: number, patience = 1) =>
    member.watch(async () => {
      const node = nodeFor(member, until, options, patience);
      await vet(member, node);
      return await work(node);
    });

  const find: Nodes['find'] = async (work, { patience = 1, among = () => true } = {}) => {
    const until = performance.now() + options.deadlineMs * patience;
    // No node is asked when there is no time for it to answer.
    const lastStart = until - (options.answerMs * patience) / 4;
    const search = createSearch(members.filter(({ can }) => among(can)));
    for (let i = 0; !closing.signal.aborted; i++) {
      const found = await search.round((member) => attempt(member, work, until, patience));
      if (found !== null) return found;
      const pauseMs = Math.min(...search.left().map((member) => member.restLeft() || firstPauseMs * (i + 1)));
      if (performance.now() + pauseMs > lastStart) break;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    return search.isDenied() ? null : search.verdict();
  };

  const use: Nodes['use'] = async (work, terms) => {
    const found = await find(async (node) => ({ answer: await work(node) }), terms);
    return found ? found.answer : refuse('UNAVAILABLE', 'no node of the chain answered');
  };

  const poll: Nodes['poll'] = async (work) => {
    const until = performance.now() + options.deadlineMs;
    const answers: { [place: number]: Awaited<ReturnType<typeof work>> } = {};
    const asked = members
      .filter((member) => member.restLeft() === 0)
      .map(async (member, place) => {
        answers[place] = await attempt(member, work, until);
      });
    const all = Promise.allSettled(asked);
    const first = await Promise.any(asked).catch(() => null);
    if (first === null) return [await use(work)];
    await Promise.race([all, sleep(graceMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)]);
    return Object.values(answers);
  };

  return {
    use,
    find,
    poll,
    each: (work, silent) => {
      const until = performance.now() + options.deadlineMs;
      return askEach(members, (member) => attempt(member, work, until), silent);
    },
    some: (test) => members.some(({ can }) => test(can)),
    headWatchers: members.flatMap(({ transport }) => transport.watchHeads ?? []),
    closed: closing.signal,
    close: async () => {
      closing.abort();
      await Promise.all(members.map(({ transport }) => transport.close()));
    },
  };
};
