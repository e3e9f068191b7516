import type { Head } from '../../application/ports/node.js';
import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import type { Member } from './member.js';
import { limited } from './with-timeout.js';

const lookMs = 2000;
const finalityEveryMs = 2000;
/** The first question waits this long to learn how far each node has come, and what is settled. */
export const firstLookMs = 500;
/** Where nodes do not know the tag `finalized`. */
const finalDepth = 64;

const failing = (message: string) => new NodeFault('failing', message);

export const headOf = (block: unknown): Head => {
  if (isRecord(block) && isQuantity(block.number) && isHash(block.hash))
    return { number: Number(block.number), hash: block.hash.toLowerCase() };
  throw failing('told of a head that is none');
};

const read = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await limited(lookMs, (waiter) =>
    member.exchange(method, JSON.stringify(params), waiter).catch((error: unknown) => {
      if (waiter.hasLeft()) member.rest(failing('does not answer'));
      throw error;
    }),
  );
  return 'result' in answer ? (JSON.parse(answer.result.toString()) as unknown) : null;
};

/** A node of another chain answers everything well and is never to be asked; the first that answers names the chain. */
const createVet = () => {
  let chainId: unknown = null;
  return async (member: Member) => {
    if (member.isVetted()) return;
    const found = await read(member, 'eth_chainId', []);
    chainId ??= found;
    if (found !== chainId) {
      const fault = failing('serves another chain than the nodes beside it');
      member.rest(fault);
      throw fault;
    }
    member.vouch();
  };
};

/** Looks at how far each node has come. */
export const createLooks = (members: readonly Member[]) => {
  const vet = createVet();
  let underWay: Promise<void> | null = null;
  let upcoming: Promise<void> | null = null;

  const look = async (member: Member) => {
    await vet(member);
    member.see(headOf(await read(member, 'eth_getBlockByNumber', ['latest', false])));
  };
  /** Those that rest are looked at once their rest is over: this is how they come back. */
  const lookAll = async () => {
    const awake = members.filter((member) => !member.isResting());
    await Promise.allSettled((awake.length > 0 ? awake : members).map(look));
  };
  const once = () => {
    underWay ??= lookAll().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  return {
    once,
    /** One that is under way may have looked too early, so those who want to know what is now share the next. */
    afresh: () => {
      upcoming ??= (underWay ?? Promise.resolve()).then(() => {
        upcoming = null;
        return once();
      });
      return upcoming;
    },
  };
};

export type Finality = {
  /** Nothing is replaced any more up to there; looked up now and then while it is asked for. */
  height(): number;
  /** Once it has been looked up, or that took too long. */
  known(): Promise<unknown>;
};

/** As long as nobody has looked. */
export const unknownHeight = -1;

export const neverFinal: Finality = { height: () => Number.NEGATIVE_INFINITY, known: async () => undefined };

export const createFinality = (members: readonly Member[]): Finality => {
  let height = unknownHeight;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let firstLook: Promise<unknown> | null = null;

  const look = async () => {
    const member = members.find((one) => one.isUp() && !one.isResting()) ?? (members[0] as Member);
    const final = await read(member, 'eth_getBlockByNumber', ['finalized', false]);
    const found =
      final === null
        ? headOf(await read(member, 'eth_getBlockByNumber', ['latest', false])).number - finalDepth
        : headOf(final).number;
    height = Math.max(height, found);
  };
  const refresh = () => {
    if (performance.now() - lookedAt <= finalityEveryMs) return;
    lookedAt = performance.now();
    const looking = look().catch(() => undefined);
    firstLook ??= Promise.race([looking, new Promise((resolve) => setTimeout(resolve, firstLookMs).unref())]);
  };
  return {
    height: () => {
      refresh();
      return height;
    },
    known: async () => {
      refresh();
      await firstLook;
    },
  };
};
