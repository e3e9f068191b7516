import type { FinalAnswer, FinalAnswers } from '../../../application/ports/gateway/final-answers.js';
import type { Log } from '../../../application/ports/system.js';
import { createChainIdentity } from './chain-identity.js';

export type SharedStoreOptions = {
  /** Time for which the shared cache may delay a question to a node. */
  readonly patienceMs: number;
  /** Time for which answers are collected before they are written. */
  readonly collectMs: number;
  now(): number;
};

const defaults: SharedStoreOptions = { patienceMs: 20, collectMs: 1000, now: () => performance.now() };
/** Time for which the shared cache is left alone after it failed or was slow. */
const restMs = 1000;
/** Time in which a cache that is opened must answer; nobody waits for this. */
const wakeMs = 5000;
/** Bytes of answers that wait to be written; further ones are not kept. */
const maxWaiting = 8 * 1024 * 1024;

/** Resolves to undefined when the promise takes longer. */
const inTime = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Collects answers for a while, and hands those of one chain over together. */
const createCollection = (collectMs: number, handOver: (chain: string, answers: readonly FinalAnswer[]) => void) => {
  let answers: FinalAnswer[] = [];
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
    add: (on: string, answer: FinalAnswer) => {
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
 * Collects the questions of one turn of the event loop and looks them up together, so that those of one batch are also
 * answered, or asked of a node, together.
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

/** Leaves a cache alone for a while after it failed or was slow, and logs once that it fails. */
const createRest = (log: Log, now: () => number) => {
  let until = Number.NEGATIVE_INFINITY;
  let isFaulty = false;
  return {
    isResting: () => now() < until,
    begin: () => {
      until = now() + restMs;
    },
    fail: (error: unknown) => {
      until = now() + restMs;
      if (!isFaulty) log.warn({ err: error }, 'the shared cache of the gateway is not used for now');
      isFaulty = true;
    },
    recover: () => {
      if (isFaulty) log.info({}, 'the shared cache of the gateway is used again');
      isFaulty = false;
    },
  };
};

/**
 * Uses the shared cache for one pool of nodes. Faults of the cache are logged once and never reach a call: whatever it
 * does not give in time is asked of the nodes. Answers are written only after the nodes were seen, once more, to serve
 * the chain that they served before these answers.
 */
export const createSharedStore = (
  given: { readonly answers: FinalAnswers } & Partial<SharedStoreOptions>,
  identify: () => Promise<string | null>,
  log: Log,
) => {
  const { answers: store, patienceMs, collectMs, now } = { ...defaults, ...given };
  const rest = createRest(log, now);
  /** Reads the identity of the chain and wakes the cache, whose first use takes longer than a call would wait. */
  const identifyAndWake = async () => {
    const chain = await identify();
    if (chain !== null) await inTime(store.find(chain, ['']), wakeMs).catch(rest.fail);
    return chain;
  };
  const identity = createChainIdentity(identifyAndWake, now);
  const found = new WeakSet<Uint8Array>();
  const usableChain = () => (rest.isResting() ? null : identity.known());

  const noteFound = (result: Uint8Array | null | undefined) => {
    if (!result) return null;
    const bytes = Buffer.from(result.buffer, result.byteOffset, result.length);
    found.add(bytes);
    return bytes;
  };
  const lookUp = createLookups(async (questions) => {
    try {
      const chain = usableChain();
      const results = chain === null ? [] : await inTime(store.find(chain, questions), patienceMs);
      if (results === undefined) rest.begin();
      else if (chain !== null) rest.recover();
      return results?.map(noteFound) ?? [];
    } catch (error) {
      rest.fail(error);
      return [];
    }
  });
  const write = async (chain: string, answers: readonly FinalAnswer[]) => {
    if ((await identity.readNow()) === chain) await store.keep(chain, answers);
  };
  const collection = createCollection(collectMs, (chain, answers) => {
    write(chain, answers).catch(rest.fail);
  });

  return {
    /** Returns the kept result; null, at once where possible, when it must be asked of a node. */
    find: (question: string): Promise<Buffer | null> | null => (usableChain() === null ? null : lookUp(question)),
    keep: (question: string, result: Buffer): void => {
      const chain = found.has(result) ? null : usableChain();
      // The bytes are copied because they may be part of a larger piece that came over the network.
      if (chain !== null) collection.add(chain, { question, result: Buffer.from(result) });
    },
    /** Drops the identity of the chain and all answers that wait, because nodes were seen to serve another chain. */
    forget: () => {
      identity.forget();
      collection.clear();
    },
    close: collection.close,
  };
};

export type SharedStore = ReturnType<typeof createSharedStore>;
