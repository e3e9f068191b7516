import type { Cancellation } from '../../../application/async/cancellation.js';
import { Failure } from '../../../domain/failure.js';
import type { Health } from '../../nodes/health.js';
import type { NodeUnits } from './node-units.js';

/** A node with a budget. */
type Budgeted = Pick<Health, 'isResting'> & { readonly units: NodeUnits };

type Place<Member> = {
  readonly cost: number;
  readonly order: () => readonly Member[];
  readonly resolve: (member: Member) => void;
};

type Terms = {
  /** Longest time for which a call may have to wait. */
  readonly maxMs: number;
  readonly later?: (work: () => void, ms: number) => unknown;
};

const awakeOf = <Member extends Budgeted>(members: readonly Member[]) => {
  const awake = members.filter((member) => !member.isResting());
  return awake.length > 0 ? awake : members;
};

const exhausted = (ms: number) =>
  new Failure('UNAVAILABLE', `the nodes of this chain have no units left for the next ${ms / 1000} s`);

/** Gives each call a node that has units left, in the order of the calls; a call for which none has any waits. */
export const createUnitQueue = <Member extends Budgeted>({ maxMs, later = setTimeout }: Terms) => {
  const queue: Place<Member>[] = [];
  let owed = 0;
  let isTimed = false;

  const grant = ({ cost, order }: Pick<Place<Member>, 'cost' | 'order'>): Member | undefined => {
    const member = awakeOf(order()).find(({ units }) => units.hasRoom());
    member?.units.spend(cost);
    return member;
  };
  const leave = (place: Place<Member>) => {
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
  const wait = ({ order }: Place<Member>) => {
    if (isTimed) return;
    isTimed = true;
    later(serve, Math.min(...awakeOf(order()).map(({ units }) => units.waitMs())));
  };
  return {
    /** Charges the cost to the first node in order that has units left, once there is one, and returns that node. */
    enter: async (cost: number, order: () => readonly Member[], cancellation: Cancellation): Promise<Member> => {
      const granted = queue.length === 0 ? grant({ cost, order }) : undefined;
      if (granted) return granted;
      const perSecond = awakeOf(order()).reduce((sum, { units }) => sum + units.perSecond, 0);
      if ((owed / perSecond) * 1000 > maxMs) throw exhausted(maxMs);
      return new Promise((resolve, reject) => {
        const place: Place<Member> = {
          cost,
          order,
          resolve: (member) => {
            stay();
            resolve(member);
          },
        };
        const stay = cancellation.onCancel(() => {
          leave(place);
          reject(new Failure('UNAVAILABLE', 'nobody waits for the answer'));
        });
        queue.push(place);
        owed += cost;
        wait(place);
      });
    },
  };
};

/** Cost of a call that was charged to a node already. */
export const paidTo = <Member>(member: Member, cost: number) => {
  let isUsed = false;
  return {
    /** Returns the cost of asking a node: none for the first question to the node that was charged. */
    costOf: (asked: Member): number => {
      if (asked !== member || isUsed) return cost;
      isUsed = true;
      return 0;
    },
    first: (order: readonly Member[]): readonly Member[] => [member, ...order.filter((one) => one !== member)],
  };
};

export type Paid<Member> = ReturnType<typeof paidTo<Member>>;
