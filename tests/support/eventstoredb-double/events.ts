export type ProposedEvent = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

export type StoredEvent = ProposedEvent & {
  readonly stream: string;
  readonly revision: number;
  /** Commit position and prepare position, which are equal because every event is its own transaction. */
  readonly position: bigint;
  /** .NET ticks since 1970, as on the wire. */
  readonly created: bigint;
  /** Event that this event points to if it is a link; absent otherwise. */
  readonly target?: StoredEvent;
};
