import type { FinalAnswer, FinalAnswers } from '../../../application/ports/gateway/final-answers.js';
import type { Log } from '../../../application/ports/system.js';
import { createChainIdentity } from './chain-identity.js';

export type SharedStoreOptions = {
  /** Maximum milliseconds that a lookup in the shared cache delays a request to a node. */
  readonly timeoutMs: number;
  /** Milliseconds for which answers are collected before they are written. */
  readonly collectMs: number;
  now(): number;
};

const defaults: SharedStoreOptions = { timeoutMs: 20, collectMs: 1000, now: () => performance.now() };
/** Milliseconds for which the shared cache is not used after it failed or was slow. */
const restMs = 1000;
/** Timeout of the first lookup, which opens the cache in the background. */
const openTimeoutMs = 5000;
/** Maximum bytes of answers that wait to be written. Further answers are dropped. */
const maxWaiting = 8 * 1024 * 1024;

/** Resolves like the promise, or to undefined if the promise takes longer than `ms`. */
const withinMs = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Answer with the indexes of the nodes that it comes from. */
type Sourced = FinalAnswer & { readonly nodes: readonly number[] };

/**
 * Creates a collection of answers of one chain, which are passed to `handOver` in one batch after `collectMs`.
 */
const createCollection = (collectMs: number, handOver: (chain: string, answers: readonly Sourced[]) => void) => {
  let answers: Sourced[] = [];
  let bytes = 0;
  let chain = '';
  let timer: NodeJS.Timeout | null = null;

  const clear = () => {
    answers = [];
    bytes = 0;
  };
  const end = () => {
    const collected = answers;
    timer = null;
    clear();
    if (collected.length > 0) handOver(chain, collected);
  };
  return {
    clear,
    add: (on: string, answer: Sourced) => {
      if (on !== chain) clear();
      chain = on;
      if (bytes + answer.result.length > maxWaiting) return;
      answers.push(answer);
      bytes += answer.result.length;
      timer ??= setTimeout(end, collectMs).unref();
    },
    close: () => {
      if (timer) clearTimeout(timer);
    },
  };
};

/**
 * Creates a lookup that combines all lookups in one turn of the event loop into one lookup of the shared cache. The
 * requests of a JSON-RPC batch that miss the cache can therefore be sent to a node as one batch.
 */
const createLookups = (find: (questions: readonly string[]) => Promise<readonly (Buffer | null)[]>) => {
  let questions: string[] = [];
  let results: Promise<readonly (Buffer | null)[]> | null = null;
  const findCollected = () => {
    const collected = questions;
    questions = [];
    results = null;
    return find(collected);
  };
  return async (question: string): Promise<Buffer | null> => {
    const place = questions.push(question) - 1;
    results ??= new Promise((resolve) => setImmediate(() => resolve(findCollected())));
    return (await results)[place] ?? null;
  };
};

/**
 * Creates a cooldown, which suspends the use of a cache after it failed or was slow. The first failure and the recovery
 * are logged.
 */
const createCooldown = (log: Log, now: () => number) => {
  let until = Number.NEGATIVE_INFINITY;
  let isFaulty = false;
  return {
    isResting: () => now() < until,
    begin: () => {
      until = now() + restMs;
    },
    fail: (error: unknown) => {
      until = now() + restMs;
      if (!isFaulty) log.warn({ err: error }, 'Shared gateway cache failed; bypassing it');
      isFaulty = true;
    },
    recover: () => {
      if (isFaulty) log.info({}, 'Shared gateway cache recovered');
      isFaulty = false;
    },
  };
};

type Chains = {
  /** Reads the chain that the nodes serve; null when it is unknown. */
  identify(): Promise<string | null>;
  /** Reads the chain that one node serves now; null when it is unknown. */
  chainOf(node: number): Promise<string | null>;
};

/** Returns the answers that come only from nodes which serve the chain now. */
const answersOf = async (chain: string, answers: readonly Sourced[], chainOf: Chains['chainOf']) => {
  const nodes = [...new Set(answers.flatMap((answer) => answer.nodes))];
  const chains = await Promise.all(nodes.map((node) => chainOf(node).catch(() => null)));
  const serving = new Set(nodes.filter((_, place) => chains[place] === chain));
  return answers.filter((answer) => answer.nodes.every((node) => serving.has(node)));
};

/**
 * Creates a client of the shared cache for one pool of nodes. Faults of the cache are logged once and never fail a
 * call: answers that the cache does not return in time are requested from the nodes. Before answers are written, the
 * nodes that gave them are checked again, so that no answer of another chain is stored.
 */
export const createSharedStore = (
  given: { readonly answers: FinalAnswers } & Partial<SharedStoreOptions>,
  { identify, chainOf }: Chains,
  log: Log,
) => {
  const { answers: store, timeoutMs, collectMs, now } = { ...defaults, ...given };
  const cooldown = createCooldown(log, now);
  /**
   * Reads the identity of the chain, and opens the cache with a first lookup, which takes longer than a call would
   * wait.
   */
  const identifyAndOpen = async () => {
    const chain = await identify();
    if (chain !== null) await withinMs(store.find(chain, ['']), openTimeoutMs).catch(cooldown.fail);
    return chain;
  };
  const identity = createChainIdentity(identifyAndOpen, now);
  const found = new WeakSet<Uint8Array>();
  const usableChain = () => (cooldown.isResting() ? null : identity.known());

  const noteFound = (result: Uint8Array | null | undefined) => {
    if (!result) return null;
    const bytes = Buffer.from(result.buffer, result.byteOffset, result.length);
    found.add(bytes);
    return bytes;
  };
  const lookUp = createLookups(async (questions) => {
    try {
      const chain = usableChain();
      const results = chain === null ? [] : await withinMs(store.find(chain, questions), timeoutMs);
      if (results === undefined) cooldown.begin();
      else if (chain !== null) cooldown.recover();
      return results?.map(noteFound) ?? [];
    } catch (error) {
      cooldown.fail(error);
      return [];
    }
  });
  const write = async (chain: string, collected: readonly Sourced[]) => {
    const answers = await answersOf(chain, collected, chainOf);
    if (answers.length < collected.length) identity.forget();
    if (answers.length > 0)
      await store.keep(
        chain,
        answers.map(({ question, result }) => ({ question, result })),
      );
  };
  const collection = createCollection(collectMs, (chain, answers) => {
    write(chain, answers).catch(cooldown.fail);
  });

  return {
    /**
     * Looks up a stored result. Returns null synchronously when the cache cannot be used; resolves to null on a miss.
     */
    find: (question: string): Promise<Buffer | null> | null => (usableChain() === null ? null : lookUp(question)),
    /** Stores a result that comes from the given nodes. */
    keep: (question: string, result: Buffer, nodes: readonly number[]): void => {
      const chain = found.has(result) ? null : usableChain();
      // The bytes may be a slice of a larger network buffer, which would stay in memory without a copy.
      if (chain !== null) collection.add(chain, { question, result: Buffer.from(result), nodes });
    },
    /** Drops the identity of the chain and all unwritten answers after the nodes switched to another chain. */
    forget: () => {
      identity.forget();
      collection.clear();
    },
    close: collection.close,
  };
};

export type SharedStore = ReturnType<typeof createSharedStore>;
