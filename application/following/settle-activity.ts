import { assetKey } from '../../domain/asset.js';
import { distinct, type Holding } from '../../domain/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { readBalances } from '../assets/balance-ledger.js';
import { slicesOf } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { createActivityTasks, type Known } from './activity-tasks.js';
import type { Ledgers } from './ledger-writer.js';
import type { Notices } from './notify.js';

type Due = { readonly activity: Activity; readonly holdings: readonly Holding[] };

/** So many activities are settled at once. */
const activitiesAtOnce = 256;

const holdingKey = ({ address, asset }: Holding) => `${address} ${assetKey(asset)}`;

/** The header at a height; one that is not among those that may be replaced cannot be replaced. */
const headerAt = async (chain: Chain, { headers }: Known, height: number) =>
  headers[height - (headers[0] as Header).number] ?? (await chain.headerAt(Math.max(0, height)));

/** Null: the chain is not there yet. */
const isCanonical = async (chain: Chain, known: Known, { number, hash }: Activity['block']) => {
  if (number > (known.headers.at(-1) as Header).number) return null;
  const found = await headerAt(chain, known, number);
  return found && found.hash === hash;
};

/**
 * Settles what is deep enough: reads the balances that it may have changed at the confirmed height and records both;
 * has those told who asked for it. Drops what turns out to have been observed in a block that is no longer there, as
 * after a crash at the wrong moment.
 */
export const createSettlement = (
  ports: { chain: Chain; watched: WatchList; ledgers: Ledgers; notices: Notices; system: System },
  variant: Variant,
) => {
  const { chain, watched, ledgers, notices, system } = ports;

  /** An address that the wallet gave up meanwhile has no balance there. */
  const isHeld = ({ organizationId, walletId }: Activity, { address }: Holding) =>
    watched.holders(address).some((one) => one.organizationId === organizationId && one.walletId === walletId);
  const { find: findTasks, depthOf } = createActivityTasks(watched, variant);

  /** Null when it must not be settled: it was dropped just now, or the chain is not there yet. */
  const examine = async (known: Known, activity: Activity): Promise<Due | null> => {
    const stands = activity.phase === 'due' || (await isCanonical(chain, known, activity.block));
    if (stands === false) await ledgers.drop(activity, notices.hasListeners(activity));
    if (!stands) return null;
    if (activity.phase === 'due') await notices.takeBack(activity);
    const { holdings } = await ledgers.read(activity);
    return { activity, holdings: distinct(holdings).filter((holding) => isHeld(activity, holding)) };
  };

  const settleSome = async (known: Known, activities: readonly Activity[], at: Header) => {
    const examined = await Promise.all(activities.map((activity) => examine(known, activity)));
    const due = examined.filter((one) => one !== null);
    const wanted = new Map(due.flatMap(({ holdings }) => holdings.map((one) => [holdingKey(one), one])));
    const balances = await readBalances(chain, [...wanted.values()], at);
    const found = new Map(balances.map((one) => [holdingKey(one), one]));
    await Promise.all(
      due.map(({ activity, holdings }) => {
        const own = holdings.map((holding) => found.get(holdingKey(holding))).filter((one) => one !== undefined);
        return ledgers.settle(activity, { balances: own, at, open: notices.hasListeners(activity) });
      }),
    );
  };

  const tellAll = async (known: Known, activities: readonly Activity[]) => {
    for (const activity of activities) {
      const isConfirmed = activity.phase === 'open';
      if (!(await isCanonical(chain, known, activity.block))) continue;
      const isDone = await notices.tell(activity, depthOf(known, activity), isConfirmed);
      if (isDone && isConfirmed) await ledgers.close(activity);
    }
  };

  return async (known: Known): Promise<void> => {
    await watched.catchUp();
    for (const [height, activities] of findTasks(known).settling) {
      const at = await headerAt(chain, known, height);
      if (!at) continue;
      for (const some of slicesOf(activities, activitiesAtOnce)) {
        await settleSome(known, some, at);
        await system.breathe();
      }
    }
    await watched.catchUp();
    await tellAll(known, findTasks(known).telling);
    await watched.catchUp();
  };
};
