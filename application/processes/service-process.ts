/** Roles that `serve --role` can pick: each is a set of processes, and `api` also answers requests. */
export const roles = ['api', 'projector', 'follower', 'deliverer'] as const;
export type Role = (typeof roles)[number];

/** Work that the service keeps doing by itself as long as it runs. */
export type ServiceProcess = {
  readonly role: Role;
  readonly name: string;
  /** Tag of the chain, for processes that exist once per chain. */
  readonly chain?: string;
  /** Runs until the signal fires. Safe to run in several processes of the operating system at once. */
  run(signal: AbortSignal): Promise<void>;
};

/** Names a process as the log and docs/architecture.md do. */
export const titleOf = ({ name, chain }: ServiceProcess) => (chain === undefined ? name : `${name} of ${chain}`);

/** Returns the chains that have a process of that name. */
export const chainsWith = (processes: readonly ServiceProcess[], name: string): readonly string[] =>
  processes.flatMap((one) => (one.name === name && one.chain !== undefined ? [one.chain] : []));
