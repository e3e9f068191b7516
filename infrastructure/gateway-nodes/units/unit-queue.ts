import type { Cancellation } from '../../../application/async/cancellation.js';
import { Failure } from '../../../domain/failure.js';
import type { Health } from '../../nodes/health.js';
import type { NodeUnits } from './node-units.js';

/** Node with a unit budget. */
type Budgeted = Pick<Health, 'isResting'> & { readonly units: NodeUnits };

type Waiting<Member> = {
  readonly cost: number;
  readonly order: () => readonly Member[];
  readonly resolve: (member: Member) => void;
};

type Terms = {
  /** Maximum estimated wait of a call in milliseconds. A call that would wait longer is rejected. */
  readonly maxMs: number;
  readonly later?: (work: () => void, ms: number) => unknown;
};

const availableOf = <Member extends Budgeted>(members: readonly Member[]) => {
  const available = members.filter((member) => !member.isResting());
  return available.length > 0 ? available : members;
};

const exhausted = (ms: number) =>
  new Failure('UNAVAILABLE', `Nodes of this chain have no units left for the next ${ms / 1000} s. Retry later.`);

/**
 * Creates a queue that assigns each call to a node with units left, in the order of the calls. Calls wait while no node
 * has units left.
 */
export const createUnitQueue = <Member extends Budgeted>({ maxMs, later = setTimeout }: Terms) => {
  const queue: Waiting<Member>[] = [];
  let owed = 0;
  let isTimed = false;

  const grant = ({ cost, order }: Pick<Waiting<Member>, 'cost' | 'order'>): Member | undefined => {
    const member = availableOf(order()).find(({ units }) => units.hasRoom());
    member?.units.spend(cost);
    return member;
  };
  const leave = (place: Waiting<Member>) => {
    const at = queue.indexOf(place);
    if (at < 0) return;
    queue.splice(at, 1);
    owed -= place.cost;
  };
  const serve = () => {
    isTimed = false;
    for (let [first] = queue; first; [first] = queue) {
      const member = grant(first);
      if (!member) return wait(first);
      leave(first);
      first.resolve(member);
    }
  };
  const wait = ({ order }: Waiting<Member>) => {
    if (isTimed) return;
    isTimed = true;
    later(serve, Math.min(...availableOf(order()).map(({ units }) => units.waitMs())));
  };
  return {
    /** Waits until a node has units left, charges the cost to it and resolves to that node. */
    enter: async (cost: number, order: () => readonly Member[], cancellation: Cancellation): Promise<Member> => {
      const granted = queue.length === 0 ? grant({ cost, order }) : undefined;
      if (granted) return granted;
      const perSecond = availableOf(order()).reduce((sum, { units }) => sum + units.perSecond, 0);
      if ((owed / perSecond) * 1000 > maxMs) throw exhausted(maxMs);
      return new Promise((resolve, reject) => {
        const place: Waiting<Member> = {
          cost,
          order,
          resolve: (member) => {
            stopListening();
            resolve(member);
          },
        };
        const stopListening = cancellation.onCancel(() => {
          leave(place);
          reject(new Failure('UNAVAILABLE', 'Client disconnected.'));
        });
        queue.push(place);
        owed += cost;
        wait(place);
      });
    },
  };
};

/**
 * Remembers that the cost of a call was charged to a node in advance, so that the first request to this node is free.
 */
export const chargedTo = <Member>(member: Member, cost: number) => {
  let isUsed = false;
  return {
    /** Returns the cost of a request to a node: 0 for the first request to the node that was charged. */
    costOf: (asked: Member): number => {
      if (asked !== member || isUsed) return cost;
      isUsed = true;
      return 0;
    },
    first: (order: readonly Member[]): readonly Member[] => [member, ...order.filter((one) => one !== member)],
  };
};

export type Charged<Member> = ReturnType<typeof chargedTo<Member>>;
