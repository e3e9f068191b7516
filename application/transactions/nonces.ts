import { Failure, refuse } from '../../domain/failure.js';
import { type NonceCommand, nonce } from '../../domain/nonce.js';
import { nonces } from '../../projections/nonces.js';
import { createKeyedMutex } from '../async/mutex.js';
import { type Context, type Step, scopeFor, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';

/** Who sends, on which chain. */
export type Sender = { readonly chain: string; readonly from: string };

type Nonces = {
  /**
   * Has `use` try nonces until one is its own: those that became free first, then the larger of `pending` and one past
   * the highest that is held.
   */
  take(context: Context, sender: Sender, pending: number, use: (nonce: number) => Promise<Position>): Promise<Position>;
  /** The transaction that holds it, the last one where it outbid another; null when it is free. */
  holder(context: Context, sender: Sender, number: number): Promise<string | null>;
};

/** Far more than can be held and not yet be in the read models. */
const mostTries = 10_000;

const keyOf = ({ variant }: Context, { chain, from }: Sender, number: number) =>
  `${variant.tag}.${chain.slice(0, 18)}.${from}.${number}`;

export const nonceStep = (context: Context, command: NonceCommand, at?: string): Step =>
  step(nonce, context.organizationId, keyOf(context, command.data, command.data.nonce), command, at);

/** Somebody else was faster. */
const nullIfTaken = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure && error.code === 'FAILED_PRECONDITION') return null;
    throw error;
  }
};

export const createNonces = (ports: { events: EventStore; readModels: ReadModels }): Nonces => {
  const { events, readModels } = ports;
  /** Those of one sender wait for each other here rather than lose race after race in the store. */
  const inTurn = createKeyedMutex();

  const holder: Nonces['holder'] = async (context, sender, number) => {
    const { holders } = await readAggregate(events, nonce, context.organizationId, keyOf(context, sender, number));
    return holders.at(-1) ?? null;
  };

  const isHeld = async (context: Context, sender: Sender, number: number) =>
    (await holder(context, sender, number)) !== null;

  /** One past the highest that is held; `from` is past all that ever were. */
  const firstUnheld = async (context: Context, sender: Sender, pending: number, from: number) => {
    let first = Math.max(pending, from);
    while (first > pending && !(await isHeld(context, sender, first - 1))) first--;
    return first;
  };

  const candidates = async function* (context: Context, sender: Sender, pending: number) {
    const id = `${sender.chain}|${sender.from}`;
    const { free, next } = (await readModels.get(nonces, { scope: scopeFor(context), id })) ?? { free: [], next: 0 };
    // After one that nobody uses, a transaction would never be mined.
    for (const number of free.filter((one) => one >= pending))
      if (number === pending || (await isHeld(context, sender, number - 1))) yield number;
    const first = await firstUnheld(context, sender, pending, next);
    for (let number = first; number < first + mostTries; number++) yield number;
  };

  return {
    holder,
    take: (context, sender, pending, use) =>
      inTurn(`${context.organizationId}|${sender.chain}|${sender.from}`, async () => {
        for await (const number of candidates(context, sender, pending)) {
          const isFree = !(await isHeld(context, sender, number));
          const position = isFree ? await nullIfTaken(use(number)) : null;
          if (position !== null) return position;
        }
        return refuse('CONFLICT', 'others keep taking the nonces of this sender; try again');
      }),
  };
};
