/** Roles accepted by `serve --role`. Each role is a set of processes; `api` also answers requests. */
export const roles = ['api', 'projector', 'follower', 'deliverer'] as const;
export type Role = (typeof roles)[number];

/** Processes of the whole service, not of one chain. Leases depend on names, so a misspelt name must not compile. */
type GlobalProcess =
  | 'projector'
  | 'projection rebuild'
  | 'clock keeper'
  | 'history sealer'
  | 'overdue history sealer'
  | `witness notifier ${string}`
  | 'token describer'
  | 'delivery queue'
  | 'webhook changes'
  | 'webhook header cleanup'
  | 'delivery repair'
  | 'transaction notifier'
  | 'seal notifier'
  | 'drift notifier'
  | 'deliverer'
  | 'cache invalidation'
  | 'refused requests'
  | 'secret shredder'
  | 'session sweeper'
  | 'removal of addresses';

/** Processes that exist once per chain. Metrics look up processes by name, so a misspelt name must not compile. */
export type ChainProcess =
  | 'follower'
  | 'notification fan-out'
  | 'balance reader'
  | 'transaction watcher'
  | 'pending transaction watcher'
  | 'finder of token accounts'
  | 'balance refresher'
  | 'history importer'
  | 'balance reconciler'
  | 'balances of unreadable blocks';

/** Work of a process; runs until the signal fires. Safe to run in several processes of the operating system at once. */
export type Run = {
  (signal: AbortSignal): Promise<void>;
  /** Returns whether the work waits for a lease that another instance holds; absent where every instance works. */
  readonly isStandby?: () => boolean;
};

/** Background work of the service. */
export type ServiceProcess = (
  | { readonly name: GlobalProcess; readonly chain?: never }
  /** `chain` is the tag of the chain. */
  | { readonly name: ChainProcess; readonly chain: string }
) & {
  readonly role: Role;
  readonly run: Run;
};

/** Returns the name of a process in the log and in docs/architecture.md. */
export const nameOf = ({ name, chain }: ServiceProcess) => (chain === undefined ? name : `${name} of ${chain}`);

/** Returns the chains that have a process of that name. */
export const chainsWith = (processes: readonly ServiceProcess[], name: ChainProcess): readonly string[] =>
  processes.flatMap((one) => (one.name === name && one.chain !== undefined ? [one.chain] : []));
