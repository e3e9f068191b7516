import type { Document } from 'bson';
import type { Handler } from './context.js';
import { reads } from './reads.js';
import { schema } from './schema.js';
import type { Sessions } from './sessions.js';
import { writes } from './writes.js';

/**
 * Wire version of MongoDB 7.0: new enough for the driver, and older than the command bulkWrite, which the double lacks.
 */
const wireVersion = 21;

const hello: Handler = ({ identity: { address, standalone } }) => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  ...(!standalone && {
    setName: 'rs0',
    setVersion: 1,
    hosts: [address],
    primary: address,
    me: address,
    secondary: false,
  }),
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: wireVersion,
  readOnly: false,
});

const buildInfo: Handler = () => ({ version: '7.0.14' });

const nothing: Handler = () => ({});

/**
 * Handlers of the commands that run within a unit of reads and writes, keyed by the command's name on the wire.
 */
export const statements: ReadonlyMap<string, Handler> = new Map(
  Object.entries({ hello, isMaster: hello, ismaster: hello, ping: nothing, buildInfo, ...reads, ...writes, ...schema }),
);

/** Commands that end transactions or sessions, keyed by name. */
export const sessionCommands: ReadonlyMap<string, (command: Document, sessions: Sessions) => void> = new Map(
  Object.entries({
    commitTransaction: (command: Document, sessions: Sessions) => sessions.commit(command),
    abortTransaction: (command: Document, sessions: Sessions) => sessions.abort(command),
    killSessions: (command: Document, sessions: Sessions) => sessions.kill(command.killSessions),
    endSessions: (command: Document, sessions: Sessions) => sessions.end(command.endSessions),
  }),
);

/** Commands that the server allows in a transaction. */
export const allowedInTransaction: ReadonlySet<string> = new Set([
  ...['find', 'getMore', 'killCursors', 'distinct', 'aggregate'],
  ...['insert', 'update', 'delete', 'findAndModify', 'create', 'createIndexes'],
]);
