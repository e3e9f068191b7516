import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../application/ports/system.js';
import { fail } from '../../domain/failure.js';
import { createHealth, type Health } from './health.js';
import { type FaultKind, NodeFault } from './node-fault.js';
import { createSearch } from './search.js';
import { createVet } from './vet.js';

/** Configured node. `name` identifies it in logs; `redact` removes the secrets of its URL from a text. */
type Configured<Endpoint> = { readonly name: string; readonly endpoint: Endpoint; redact(text: string): string };
type Member<Endpoint> = Health & Pick<Configured<Endpoint>, 'endpoint' | 'redact'>;

type Work<Node, T> = (node: Node) => Promise<T>;
type Terms<Endpoint> = {
  /**
   * Factor by which `deadlineMs` and `timeoutMs` are multiplied, for answers that take a node longer to compute.
   * Default 1.
   */
  readonly timeoutFactor?: number;
  /** Selects the nodes to query. Default: all. */
  readonly among?: (endpoint: Endpoint) => boolean;
};

export type Pool<Endpoint, Node> = {
  /** Queries one node after the other until the deadline and returns the first usable answer. */
  use<T>(work: Work<Node, T>, terms?: Terms<Endpoint>): Promise<T>;
  /**
   * Queries nodes like `use`, but continues with the next node after a null. Returns null if all nodes that answer
   * return null.
   */
  find<T>(work: Work<Node, T | null>, terms?: Terms<Endpoint>): Promise<T | null>;
  /**
   * Queries all nodes that are not paused. Returns the first answer and every answer that arrives within 500 ms after
   * it, in node order.
   */
  poll<T>(work: Work<Node, T>): Promise<readonly T[]>;
  /** Queries every node, including unhealthy ones. `silent` creates the result for a node without a usable answer. */
  each<T>(work: Work<Node, T>, silent: (reason: string) => T): Promise<readonly T[]>;
  readonly endpoints: readonly Endpoint[];
  readonly closed: AbortSignal;
  close(): Promise<void>;
};

export type NodeTimeouts = {
  /** Maximum milliseconds for one piece of work, including all nodes and retries. */
  readonly deadlineMs: number;
  /** Maximum milliseconds for one answer of one node. */
  readonly timeoutMs: number;
  /** Maximum milliseconds for which a failing node is not queried. Default 5000. */
  readonly maxRestMs?: number;
};

/** Operations of one chain family on its nodes. */
type Family<Endpoint, Node> = NodeTimeouts & {
  /** Opens a node for one piece of work, which must end by `until` (time of `performance.now()`). */
  open(endpoint: Endpoint, until: number, timeoutFactor: number): Node;
  /** Returns an identifier of the node's chain; null if the node does not report one. */
  identify(node: Node): Promise<string | null>;
  close(endpoint: Endpoint): Promise<void>;
};

const defaultMaxRestMs = 5000;
const firstPauseMs = 100;
/** Milliseconds that a poll waits for slower nodes after the first answer. */
const graceMs = 500;
/** Faults that mark a node unhealthy. All other faults depend on the request alone. */
const resting: readonly FaultKind[] = ['failing', 'busy', 'wrong'];

/** Waits until the work settles, at most `ms` milliseconds. */
const waitAtMost = async (ms: number, work: Promise<unknown>) => {
  const done = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: done.signal, ref: false }).catch(() => undefined)]);
  done.abort();
};

/**
 * Runs the work and records the outcome in the node's health. Rethrows faults without the secrets of the node's URL.
 */
const recordHealth = async <Endpoint, T>(
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
    const redacted = new NodeFault(error.kind, redact(error.message), error.restMs);
    if (resting.includes(redacted.kind)) rest(redacted, startedAt);
    throw redacted;
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

/** Creates a pool, which queries the nodes until one of them answers and excludes nodes of another chain. */
export const createPool = <Endpoint, Node>(
  nodes: readonly Configured<Endpoint>[],
  log: Log,
  family: Family<Endpoint, Node>,
): Pool<Endpoint, Node> => {
  const { deadlineMs, timeoutMs, maxRestMs = defaultMaxRestMs } = family;
  const members = nodes.map(
    ({ name, endpoint, redact }): Member<Endpoint> => ({
      ...createHealth({ name, owner: 'chain', maxRestMs, log }),
      endpoint,
      redact,
    }),
  );
  const closing = new AbortController();
  const vet = createVet();

  const attempt = <T>(member: Member<Endpoint>, work: Work<Node, T>, until: number, timeoutFactor = 1) =>
    recordHealth(member, async () => {
      const node = family.open(member.endpoint, until, timeoutFactor);
      // A single node has no other node to be compared with. If this node switches to another chain, the callers of
      // `genesis` notice the switch.
      if (members.length > 1) await vet(member, () => family.identify(node));
      return await work(node);
    });

  const find: Pool<Endpoint, Node>['find'] = async (work, { timeoutFactor = 1, among = () => true } = {}) => {
    const until = performance.now() + deadlineMs * timeoutFactor;
    // A query that starts later than this would have too little time for an answer.
    const lastStart = until - (timeoutMs * timeoutFactor) / 4;
    const search = createSearch(members.filter(({ endpoint }) => among(endpoint)));
    for (let i = 0; !closing.signal.aborted; i++) {
      const found = await search.round((member) => attempt(member, work, until, timeoutFactor));
      if (found !== null) return found;
      const pauseMs = Math.min(...search.left().map((member) => member.restLeft() || firstPauseMs * (i + 1)));
      if (performance.now() + pauseMs > lastStart) break;
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    return search.isReportedAbsent() ? null : search.failUnanswered();
  };

  const use: Pool<Endpoint, Node>['use'] = async (work, terms) => {
    const found = await find(async (node) => ({ answer: await work(node) }), terms);
    return found ? found.answer : fail('NODE_ERROR', 'No chain node returned an answer.');
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
    await waitAtMost(graceMs, all);
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
