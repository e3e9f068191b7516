import type { EventRecord } from '../../../application/audit/event-record.js';
import { table } from '../command/command.js';

/**
 * Maximum number of wallets that are counted separately. All further wallets are counted together as `others`, which
 * bounds the memory.
 */
const maxWallets = 1000;
const otherWallets = 'others';

type Edge = { readonly position: number; readonly time: string };
type Summary = {
  readonly organization_id: string;
  readonly events: number;
  readonly first: Edge | null;
  readonly last: Edge | null;
  readonly types: Readonly<Record<string, number>>;
  readonly wallets: Readonly<Record<string, number>>;
};

const walletOf = (data: object) => {
  const { walletId } = data as { walletId?: unknown };
  return typeof walletId === 'string' ? walletId : undefined;
};

/** Creates a counter of events by type and by wallet, for the summary at the end of a replay. */
export const createSummary = (organizationId: string) => {
  const types = new Map<string, number>();
  const wallets = new Map<string, number>();
  let [events, first, last]: [number, Edge | null, Edge | null] = [0, null, null];
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    add: ({ position, commit_time: time, type, data }: EventRecord) => {
      events++;
      first ??= { position, time };
      last = { position, time };
      count(types, type);
      const wallet = walletOf(data);
      if (wallet !== undefined)
        count(wallets, wallets.has(wallet) || wallets.size < maxWallets ? wallet : otherWallets);
    },
    result: (): Summary => ({
      organization_id: organizationId,
      events,
      first,
      last,
      types: Object.fromEntries(types),
      wallets: Object.fromEntries(wallets),
    }),
  };
};

const counts = (of: string, found: Readonly<Record<string, number>>) =>
  table(
    Object.entries(found).map(([name, events]) => ({ [of]: name, events: String(events) })),
    `no ${of}`,
  );
const edge = (found: Edge | null) => (found ? `${found.time} at ${found.position}` : 'none');

export const summaryText = ({ organization_id, events, first, last, types, wallets }: Summary) =>
  [
    '',
    `${events} events of ${organization_id}`,
    `first  ${edge(first)}`,
    `last   ${edge(last)}`,
    '',
    counts('type', types),
    '',
    counts('wallet', wallets),
  ].join('\n');
