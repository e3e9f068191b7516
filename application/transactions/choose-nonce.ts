import { type NonceCommand, nonce } from '../../domain/aggregates/nonce.js';
import { Failure, fail } from '../../domain/failure.js';
import { type NonceDocument, nonceKey, nonces, senderKey } from '../../projections/nonces.js';
import { createKeyedMutex } from '../async/mutex.js';
import { type Context, type Step, scopeFor, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

export type Sender = { readonly chain: string; readonly from: string };

type Nonces = {
  /**
   * Calls `use` with one candidate nonce after another until a call succeeds. Candidates are first the released
   * nonces, then every nonce from `pending` (the sender's transaction count including pending transactions) or from
   * the highest held nonce + 1, whichever is larger.
   */
  allocate(
    context: Context,
    sender: Sender,
    pending: number,
    use: (nonce: number) => Promise<Position>,
  ): Promise<Position>;
  /**
   * Returns the id of the transaction that holds the nonce (after replacements, the latest transaction); null when the
   * nonce is free.
   */
  holder(context: Context, sender: Sender, number: number): Promise<string | null>;
};

/** Number of nonces that are read as a page, or checked before yielding to the event loop. */
const pageSize = 100;
/**
 * Maximum number of pages of released or held nonces that one request reads. More pages would be needed only if the
 * read models lagged by as many changes of one sender's nonces.
 */
const maxPages = 10;
/**
 * Maximum number of candidates above the highest held nonce. More candidates would be needed only if the read models
 * lagged by as many transactions of one sender.
 */
const maxAttempts = 10_000;

const keyOf = ({ variant }: Context, { chain, from }: Sender, number: number) =>
  `${variant.tag}.${chain.slice(0, 18)}.${from}.${number}`;

export const nonceStep = (context: Context, command: NonceCommand, at?: string): Step =>
  step(nonce, context.organizationId, keyOf(context, command.data, command.data.nonce), command, at);

/** Returns the result of `work`; null when another request reserved the nonce first. */
const nullIfTaken = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure && error.code === 'FAILED_PRECONDITION') return null;
    throw error;
  }
};

export const createNonces = (ports: { events: EventStore; readModels: ReadModels; system: System }): Nonces => {
  const { events, readModels, system } = ports;
  /**
   * Serializes the requests of one sender, because concurrent requests would reserve the same nonce and conflict in the
   * store.
   */
  const inTurn = createKeyedMutex();

  const holder: Nonces['holder'] = async (context, sender, number) => {
    const { holders } = await readAggregate(events, nonce, context.organizationId, keyOf(context, sender, number));
    return holders.at(-1) ?? null;
  };

  const isHeld = async (context: Context, sender: Sender, number: number) =>
    (await holder(context, sender, number)) !== null;

  type Order = { readonly oldestFirst?: boolean; readonly after?: PageKey };
  const pages = async function* (context: Context, sender: Sender, state: NonceDocument['state'], order: Order) {
    let { after } = order;
    for (let read = 0; read < maxPages; read++) {
      const query = { ...order, index: 'byState', equal: [senderKey(sender), state], limit: pageSize, after };
      const { documents, next } = await readModels.page(nonces, scopeFor(context), query);
      yield documents;
      if (!next) return;
      after = next;
      await system.breathe();
    }
  };

  /**
   * Yields the released nonces that are usable: `pending` itself, and nonces right after a held nonce. A transaction
   * with any other nonce would leave a gap in the nonces and never be mined.
   */
  const released = async function* (context: Context, sender: Sender, pending: number) {
    const scope = scopeFor(context);
    for await (const page of pages(context, sender, 'free', { oldestFirst: true, after: [pending, ''] })) {
      const keys = page.map(({ nonce: number }) => ({ scope, id: nonceKey(senderKey(sender), number - 1) }));
      const before = await readModels.getMany(nonces, keys);
      for (const [i, { nonce: number }] of page.entries()) {
        const follows = before[i]?.state === 'held' && (await isHeld(context, sender, number - 1));
        if (number === pending || follows) yield number;
      }
    }
  };

  /** Returns the highest held nonce + 1, or `pending` if that is larger. */
  const firstUnheld = async (context: Context, sender: Sender, pending: number) => {
    for await (const page of pages(context, sender, 'held', {})) {
      const ahead = page.filter(({ nonce: number }) => number >= pending);
      for (const { nonce: number } of ahead) if (await isHeld(context, sender, number)) return number + 1;
      if (ahead.length < page.length) return pending;
    }
    return pending;
  };

  const candidates = async function* (context: Context, sender: Sender, pending: number) {
    yield* released(context, sender, pending);
    const first = await firstUnheld(context, sender, pending);
    for (let tried = 0; tried < maxAttempts; tried++) {
      if (tried > 0 && tried % pageSize === 0) await system.breathe();
      yield first + tried;
    }
  };

  return {
    holder,
    allocate: (context, sender, pending, use) =>
      inTurn(`${context.organizationId}|${sender.chain}|${sender.from}`, async () => {
        for await (const number of candidates(context, sender, pending)) {
          const isFree = !(await isHeld(context, sender, number));
          const position = isFree ? await nullIfTaken(use(number)) : null;
          if (position !== null) return position;
        }
        return fail(
          'CONFLICT',
          'Could not reserve a nonce: too many concurrent transactions from this sender. Retry the request.',
        );
      }),
  };
};
