import type { EventStoreDBClient } from '@eventstore/db-client';

export type NewRecord = {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/**
 * Append to one stream. `expected` is the revision that the stream's last record must have, or -1 if the stream must be
 * empty.
 */
export type ClientWrite = {
  readonly stream: string;
  readonly expected: number;
  readonly records: readonly NewRecord[];
};

/** Server that a client is connected to, and how an append to several streams is made atomic there. */
export type Server = {
  readonly product: string;
  readonly version: string;
  readonly multiStreamMethod: 'reservations' | 'append sessions' | 'append records';
};

/** Common interface of both client libraries. Reads take the options of `@eventstore/db-client`. */
export type EventClient = Pick<EventStoreDBClient, 'readStream' | 'readAll' | 'subscribeToAll'> & {
  /** Resolves to the log position of the last record, or null when the server does not report it. */
  append(write: ClientWrite): Promise<bigint | null>;
  /**
   * Sends the appends in the order of `writes` without waiting for each answer. Rejects when no answer arrives for
   * `idleTimeoutMs`. After a rejection, some of the writes may be stored. Resolves to false, without sending anything,
   * when the server does not support batch appends.
   */
  appendInOrder(writes: readonly ClientWrite[], idleTimeoutMs: number): Promise<boolean>;
  /**
   * Appends to all streams or to none in one call, and resolves to the log position of the last record. Absent if no
   * server of this client has such a call.
   */
  appendMany?(
    writes: readonly ClientWrite[],
    multiStreamMethod: Exclude<Server['multiStreamMethod'], 'reservations'>,
  ): Promise<bigint>;
  /** Asks the server for its product and version; rejects after `timeoutMs`. */
  server(timeoutMs?: number): Promise<Server>;
  dispose(): Promise<void>;
};
