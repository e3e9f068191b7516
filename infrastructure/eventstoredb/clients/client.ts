import type { EventStoreDBClient } from '@eventstore/db-client';

export type NewRecord = {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/** Append to one stream; `expected` is the revision of its last record, or -1 where it has none. */
export type ClientWrite = {
  readonly stream: string;
  readonly expected: number;
  readonly records: readonly NewRecord[];
};

/** Server that a client reached, and how a command over several streams is made atomic there. */
export type Server = {
  readonly product: string;
  readonly version: string;
  readonly way: 'reservations' | 'append sessions' | 'append records';
};

/** Parts of a client that the adapter uses, alike for both; reads take the options of `@eventstore/db-client`. */
export type EventClient = Pick<EventStoreDBClient, 'readStream' | 'readAll' | 'subscribeToAll'> & {
  /** Resolves to the log position of the last event, or null where the server does not report it. */
  append(write: ClientWrite): Promise<bigint | null>;
  /**
   * Appends in this order as fast as the server takes it; rejects after a silence. After a rejection those before some
   * append are stored, and of the others perhaps some. Returns false when the server cannot do so, and nothing was sent.
   */
  appendInOrder(writes: readonly ClientWrite[], silentMs: number): Promise<boolean>;
  /**
   * Appends to all the streams or to none, where the server has a way other than reservations; resolves to the log
   * position of the last record. Absent where no server of the client can.
   */
  appendMany?(writes: readonly ClientWrite[], way: Exclude<Server['way'], 'reservations'>): Promise<bigint>;
  /** Asks which server answers; rejects after the deadline. */
  server(deadlineMs: number): Promise<Server>;
  dispose(): Promise<void>;
};

/** Time after which a call ends that its caller has given up long before. */
export const maxCallMs = 20_000;
