import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../application/ports/system.js';
import { fail } from '../../domain/failure.js';
import { createHealth, type Health } from './health.js';
import { type FaultKind, NodeFault } from './node-fault.js';
import { createSearch } from './search.js';
import { createVet } from './vet.js';

/** A configured node: its name in the log, the way to it, and how to take secrets of its URL out of a text. */
type Configured<Endpoint> = { readonly name: string; readonly endpoint: Endpoint; redact(text: string): string };
type Member<Endpoint> = Health & Pick<Configured<Endpoint>, 'endpoint' | 'redact'>;

type Work<Node, T> = (node: Node) => Promise<T>;
type Terms<Endpoint> = {
  /** Factor by which the usual deadlines are extended, for answers that take a node long. */
  readonly patience?: number;
  readonly among?: (endpoint: Endpoint) => boolean;
};

export type Pool<Endpoint, Node> = {
  /** Gives the first usable answer, and asks one node after the other while there is time. */
  use<T>(work: Work<Node, T>, terms?: Terms<Endpoint>): Promise<T>;
  /** Gives the first usable answer, but null only when every other node that answers says null too. */
  find<T>(work: Work<Node, T | null>, terms?: Terms<Endpoint>): Promise<T | null>;
  /** Gives the answers of all nodes that are about as fast as the fastest, in the order of the nodes, at least one. */
  poll<T>(work: Work<Node, T>): Promise<readonly T[]>;
  /** Asks every node, also those at rest; `silent` makes the answer of a node that gives no usable one. */
  each<T>(work: Work<Node, T>, silent: (reason: string) => T): Promise<readonly T[]>;
  readonly endpoints: readonly Endpoint[];
  readonly closed: AbortSignal;
  close(): Promise<void>;
};

export type Patience = {
  /** Time for one piece of work on all nodes together. */
  readonly deadlineMs: number;
  /** Time for one answer of one node. */
  readonly answerMs: number;
  /** Longest time for which a node that keeps failing is not asked. */
  readonly maxRestMs?: number;
};

/** Functions by which a chain family asks its nodes. */
type Family<Endpoint, Node> = Patience & {
  /** Opens a node for one piece of work, which must be over by `until`. */
  open(endpoint: Endpoint, until: number, patience: number): Node;
  /** Tells the node's chain from others; null when the node cannot say. */
  identify(node: Node): Promise<string | null>;
  close(endpoint: Endpoint): Promise<void>;
};

const defaultMaxRestMs = 5000;
const firstPauseMs = 100;
/** Milliseconds by which a node may answer a poll later than the fastest one. */
const graceMs = 500;
/** Faults that put a node aside; the others depend on the question alone. */
const resting: readonly FaultKind[] = ['failing', 'busy', 'wrong'];

/** Waits for the work, but no longer than `ms`. */
const atMost = async (ms: number, work: Promise<unknown>) => {
  const done = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: done.signal, ref: false }).catch(() => undefined)]);
  done.abort();
};

/** Does the work and notes in the node's health how it went; faults are told without the secrets of the node's URL. */
const watched = async <Endpoint, T>(
  { redact, recover, rest }: Member<Endpoint>,
  work: () => Promise<T>,
): Promise<T> => {
  const startedAt = performance.now();
  try {
    const done = await work();
    recover();
    return done;
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    const told = new NodeFault(error.kind, redact(error.message), error.restMs);
    if (resting.includes(told.kind)) rest(told, startedAt);
    throw told;
  }
};

const askEach = <Endpoint, T>(
  members: readonly Member<Endpoint>[],
  ask: (member: Member<Endpoint>) => Promise<T>,
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

/** Asks whichever of the nodes answers, and believes only nodes of one chain. */
export const createPool = <Endpoint, Node>(
  nodes: readonly Configured<Endpoint>[],
  log: Log,
  family: Family<Endpoint, Node>,
): Pool<Endpoint, Node> => {
  const { deadlineMs, answerMs, maxRestMs = defaultMaxRestMs } = family;
  const members = nodes.map(
    ({ name, endpoint, redact }): Member<Endpoint> => ({
      ...createHealth({ name, owner: 'chain', maxRestMs, log }),
      endpoint,
      redact,
    }),
  );
  const closing = new AbortController();
  const vet = createVet();

  const attempt = <T>(member: Member<Endpoint>, work: Work<Node, T>, until: number, patience = 1) =>
    watched(member, async () => {
      const node = family.open(member.endpoint, until, patience);
      // A single node has no other to differ from; callers of `genesis` notice when it serves another chain than before.
      if (members.length > 1) await vet(member, () => family.identify(node));
      return await work(node);
    });

  const find: Pool<Endpoint, Node>['find'] = async (work, { patience = 1, among = () => true } = {}) => {
    const until = performance.now() + deadlineMs * patience;
    // No node is asked when there is no time for it to answer.
    const lastStart = until - (answerMs * patience) / 4;
    const search = createSearch(members.filter(({ endpoint }) => among(endpoint)));
    for (let i = 0; !closing.signal.aborted; i++) {
      const found = await search.round((member) => attempt(member, work, until, patience));
      if (found !== null) return found;
      const pauseMs = Math.min(...search.left().map((member) => member.restLeft() || firstPauseMs * (i + 1)));
      if (performance.now() + pauseMs > lastStart) break;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    return search.isDenied() ? null : search.verdict();
  };

  const use: Pool<Endpoint, Node>['use'] = async (work, terms) => {
    const found = await find(async (node) => ({ answer: await work(node) }), terms);
    return found ? found.answer : fail('NODE_ERROR', 'no node of the chain answered');
  };

  const poll: Pool<Endpoint, Node>['poll'] = async (work) => {
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
    await atMost(graceMs, all);
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
    endpoints: nodes.map(({ endpoint }) => endpoint),
    closed: closing.signal,
    close: async () => {
      closing.abort();
      await Promise.all(nodes.map(({ endpoint }) => family.close(endpoint)));
    },
  };
};
