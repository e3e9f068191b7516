import { fail } from '../../domain/failure.js';
import {
  add,
  type Counts,
  defaultQuotas,
  type QuotaName,
  quotaNames,
  quotaUsageOf,
  subtract,
} from '../../domain/quota.js';
import { totalUsage, type Usage, usage, usageKeys } from '../../projections/usage.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { Guard } from '../commands/handle.js';
import { beginning, type Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';

/** Time in ms for which a reading of an organization's usage is reused, if the organization is far from its limits. */
const freshMs = 1000;
/**
 * Number of further commands that a limit must have room for if the organization is to count as far from that limit.
 * Each command is assumed to cost as much as the current command.
 */
const farCommands = 1000;
/**
 * Time in ms after which an append is assumed to be included in the usage documents, even if the read models do not
 * advance.
 */
const rememberedMs = 60_000;
const maxOrganizations = 10_000;

type Appended = {
  readonly variant: string;
  readonly position: Position;
  readonly taken: Counts;
  readonly at: number;
};
/** Cached quota usage of one organization. */
type Account = {
  stored: Usage;
  readAt: number;
  /** Usage by in-flight appends and by appends that the usage documents may not include yet. */
  pending: Counts;
  /** Appends that the usage documents may not include yet, in order of completion. */
  appended: Appended[];
};

const nothingStored: Usage = { used: {}, limits: {}, positions: {} };

export type QuotaRecord = { readonly quota: QuotaName; readonly limit: number; readonly used: number };

const recordOf = ({ used, limits }: Usage, quota: QuotaName, pending: Counts = {}): QuotaRecord => ({
  quota,
  limit: limits[quota] ?? defaultQuotas[quota],
  used: (used[quota] ?? 0) + (pending[quota] ?? 0),
});

export const readUsage = async (readModels: ReadModels, organizationId: string): Promise<Usage> =>
  totalUsage(await readModels.getMany(usage, usageKeys(organizationId)));

export const showUsage = (stored: Usage): QuotaRecord[] => quotaNames.map((quota) => recordOf(stored, quota));

const hasRoom = ({ limit, used }: QuotaRecord, more: number) => used + more <= limit;

export const requireRoom = (record: QuotaRecord, more: number) => {
  const { quota, limit, used } = record;
  if (!hasRoom(record, more))
    fail(
      'QUOTA_EXCEEDED',
      `Quota ${quota} exceeded: the limit is ${limit}, ${used} are used, and this request needs ${more} more.`,
    );
};

/** Lists the quotas that a command uses, each with the amount that the command adds. */
const takenIn = ({ stored, pending }: Account, taken: Counts) =>
  quotaNames.flatMap((quota): [QuotaRecord, number][] => {
    const more = taken[quota] ?? 0;
    return more > 0 ? [[recordOf(stored, quota, pending), more]] : [];
  });

/** Drops the appends that the usage documents already include. */
const dropIncluded = (account: Account, included: Position, now: number) => {
  const { positions } = account.stored;
  const isPending = ({ variant, position, at }: Appended) =>
    position > Math.max(included, positions[variant] ?? beginning) && now - at < rememberedMs;
  for (const one of account.appended) if (!isPending(one)) account.pending = subtract(account.pending, one.taken);
  account.appended = account.appended.filter(isPending);
};

const latest = ({ positions }: Usage) => Math.max(beginning, ...Object.values(positions));

const createAccounts = () => {
  const accounts = createBoundedCache<string, Account>(maxOrganizations);
  return (organizationId: string): Account => {
    const known = accounts.get(organizationId);
    if (known) return known;
    const created: Account = { stored: nothingStored, readAt: 0, pending: {}, appended: [] };
    accounts.set(organizationId, created);
    return created;
  };
};

/**
 * Creates a guard that rejects a command of a credential if the command would exceed a quota of the organization.
 * Commands of operators and processes add to the usage but are never rejected, because a deposit must not be lost.
 * Limits are exact for the commands of one process. With several processes, usage may exceed a limit by the in-flight
 * commands of the other processes.
 */
export const createQuotaGuard = (ports: { readModels: ReadModels; progress: Progress; system: System }): Guard => {
  const { readModels, progress, system } = ports;
  const accountOf = createAccounts();

  const read = async (account: Account, organizationId: string) => {
    const included = progress.current(organizationId);
    const found = await readUsage(readModels, organizationId);
    // An older result does not replace a newer result, because concurrent reads may finish out of order.
    if (latest(found) >= latest(account.stored)) account.stored = found;
    account.readAt = system.now();
    dropIncluded(account, included, account.readAt);
  };

  /** Counts an append while it runs, and then until the usage documents include it. */
  const counted = async (account: Account, variant: string, taken: Counts, append: () => Promise<Position>) => {
    account.pending = add(account.pending, taken);
    try {
      const position = await append();
      account.appended.push({ variant, position, taken, at: system.now() });
      return position;
    } catch (error) {
      account.pending = subtract(account.pending, taken);
      throw error;
    }
  };

  /** Appends new limits and makes the next command read the limits again. */
  const withNewLimits = async (account: Account, append: () => Promise<Position>) => {
    const position = await append();
    account.readAt = 0;
    return position;
  };

  return async ({ organizationId, variant, actor }, events, append) => {
    if (actor.kind === 'process') return append();
    const account = accountOf(organizationId);
    if (events.some(({ type }) => type === 'QuotaSet')) return withNewLimits(account, append);
    if (actor.kind === 'operator') return append();
    const taken = quotaUsageOf(events);
    const isFresh = system.now() - account.readAt < freshMs;
    const isFar = ([record, more]: [QuotaRecord, number]) => hasRoom(record, more * farCommands);
    if (!isFresh || !takenIn(account, taken).every(isFar)) {
      await read(account, organizationId);
      for (const [record, more] of takenIn(account, taken)) requireRoom(record, more);
    }
    return counted(account, variant.tag, taken, append);
  };
};
