import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { type Configured, createMember, type Member } from './member.js';
import { NodeFault, wrong } from './node-fault.js';
import { createSearch } from './search.js';

type Work<Node, T> = (node: Node) => Promise<T>;
type Terms<Way> = {
  /** Some answers take a node longer: how many times the usual deadline. */
  readonly patience?: number;
  readonly among?: (way: Way) => boolean;
};

export type Pool<Way, Node> = {
  /** What the first node says that gives a usable answer; others are asked while there is time. */
  use<T>(work: Work<Node, T>, terms?: Terms<Way>): Promise<T>;
  /** As `use`, but null is believed only when every other node that answers says the same. */
  find<T>(work: Work<Node, T | null>, terms?: Terms<Way>): Promise<T | null>;
  /** What every node says that answers about as fast as the fastest, in the order of the nodes; at least one answer. */
  poll<T>(work: Work<Node, T>): Promise<readonly T[]>;
  /** What each node says, also one that rests; `silent` stands for one that gives no usable answer. */
  each<T>(work: Work<Node, T>, silent: (reason: string) => T): Promise<readonly T[]>;
  readonly ways: readonly Way[];
  readonly closed: AbortSignal;
  close(): Promise<void>;
};

export type Patience = {
  /** In all, for one piece of work on whichever nodes. */
  readonly deadlineMs: number;
  /** For one answer of one node. */
  readonly answerMs: number;
};

/** How a chain family asks its nodes. */
type Family<Way, Node> = Patience & {
  /** A node for one piece of work, which must be over by `until`. */
  open(way: Way, until: number, patience: number): Node;
  /** Tells the node's chain from others; null when the node cannot say. */
  identify(node: Node): Promise<string | null>;
  close(way: Way): Promise<void>;
};

const firstPauseMs = 100;
/** How much later than the fastest node another may answer a poll. */
const graceMs = 500;

/** A node of another chain answers everything well and is never to be asked; the first node that answers names the chain. */
const createVet = <Way, Node>(members: readonly Member<Way>[], identify: Family<Way, Node>['identify']) => {
  let chain: string | null = null;
  return async (member: Member<Way>, node: Node) => {
    // A node alone has nobody to differ from; whether it still is the chain it was is asked with `genesis`.
    if (member.isVetted() || members.length === 1) return;
    const found = await identify(node);
    chain ??= found;
    if (found !== null && found !== chain) wrong('serves another chain than the nodes beside it');
    member.vouch();
  };
};

const askEach = <Way, T>(
  members: readonly Member<Way>[],
  ask: (member: Member<Way>) => Promise<T>,
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

/** Works with whichever of the nodes answer. */
export const createPool = <Way, Node>(
  nodes: readonly Configured<Way>[],
  log: Log,
  family: Family<Way, Node>,
): Pool<Way, Node> => {
  const { deadlineMs, answerMs } = family;
  const members = nodes.map((node) => createMember(node, log));
  const closing = new AbortController();
  const vet = createVet(members, family.identify);

  const attempt = <T>(member: Member<Way>, work: Work<Node, T>, until: number, patience = 1) =>
    member.watch(async () => {
      const node = family.open(member.way, until, patience);
      await vet(member, node);
      return await work(node);
    });

  const find: Pool<Way, Node>['find'] = async (work, { patience = 1, among = () => true } = {}) => {
    const until = performance.now() + deadlineMs * patience;
    // No node is asked when there is no time for it to answer.
    const lastStart = until - (answerMs * patience) / 4;
    const search = createSearch(members.filter(({ way }) => among(way)));
    for (let i = 0; !closing.signal.aborted; i++) {
      const found = await search.round((member) => attempt(member, work, until, patience));
      if (found !== null) return found;
      const pauseMs = Math.min(...search.left().map((member) => member.restLeft() || firstPauseMs * (i + 1)));
      if (performance.now() + pauseMs > lastStart) break;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    return search.isDenied() ? null : search.verdict();
  };

  const use: Pool<Way, Node>['use'] = async (work, terms) => {
    const found = await find(async (node) => ({ answer: await work(node) }), terms);
    return found ? found.answer : refuse('NODE_ERROR', 'no node of the chain answered');
  };

  const poll: Pool<Way, Node>['poll'] = async (work) => {
    const until = performance.now() + deadlineMs;
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
      const until = performance.now() + deadlineMs;
      return askEach(members, (member) => attempt(member, work, until), silent);
    },
    ways: nodes.map(({ way }) => way),
    closed: closing.signal,
    close: async () => {
      closing.abort();
      await Promise.all(nodes.map(({ way }) => family.close(way)));
    },
  };
};
