import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { type Connection, connect, type RawRecord } from './connection.js';
import type { Page } from './pages.js';

/** Separates the namespace from the rest of a stream's name, which has no colon before its first dash. */
const separator = ':';

/** Mapping between the stream names on the server and those that the service uses. */
type Names = {
  /** Prefix of the stored names; empty without a namespace. */
  readonly prefix: string;
  /** Returns whether the stored name belongs to this namespace. */
  isOwn(stored: string): boolean;
};

const namesIn = (namespace: string): Names => {
  if (namespace === '') return { prefix: '', isOwn: (stored) => !/^[^-]*:/.test(stored) };
  // A category is the part of a name before the first dash, so the prefix must not contain a dash.
  const prefix = `${namespace.replaceAll('-', '_')}${separator}`;
  return { prefix, isOwn: (stored) => stored.startsWith(prefix) };
};

/** Matches the prefix that the server puts before the names of metadata streams and category streams. */
const systemPart = /^(?:\$\$)?(?:\$ce-)?/;
const partsOf = (stream: string) => {
  const [system = ''] = systemPart.exec(stream) ?? [];
  return [system, stream.slice(system.length)] as const;
};

/**
 * Removes the namespace from a record's stream name. A record of another namespace gets the name of a system stream,
 * which readers skip, so that pages keep their length.
 */
const localRecord = <T extends RawRecord | null>({ prefix, isOwn }: Names, record: T): T => {
  if (!record) return record;
  const [system, name] = partsOf(record.stream);
  if (name.startsWith('$')) return record;
  return { ...record, stream: isOwn(name) ? `${system}${name.slice(prefix.length)}` : `$$$${name}` };
};

/**
 * Connects to the streams of a namespace, so that several services can share a server. With an empty namespace, names
 * have no prefix and the streams of all namespaces are skipped.
 */
export const connectToNamespace = async (
  url: string,
  namespace: string,
  deadlines: Deadlines = defaultDeadlines,
): Promise<Connection> => {
  const connection = await connect(url, deadlines);
  const names = namesIn(namespace);
  const stored = (stream: string) => {
    const [system, name] = partsOf(stream);
    return `${system}${names.prefix}${name}`;
  };
  const storedIn = <T extends { readonly stream: string }>(writes: readonly T[]) =>
    writes.map((write) => ({ ...write, stream: stored(write.stream) }));
  const localRecords = (records: readonly RawRecord[]) => records.map((record) => localRecord(names, record));
  const pageOf = ({ records, isEnd }: Page<RawRecord>) => ({ records: localRecords(records), isEnd });
  return {
    deadlines,
    append: (stream, ...given) => connection.append(stored(stream), ...given),
    appendMany: (writes, ...given) => connection.appendMany(storedIn(writes), ...given),
    multiStreamMethodFor: connection.multiStreamMethodFor,
    appendInOrder: (writes, silentMs) => connection.appendInOrder(storedIn(writes), silentMs),
    readStream: async (stream, options) => localRecords(await connection.readStream(stored(stream), options)),
    readPage: async (stream, options) => pageOf(await connection.readPage(stored(stream), options)),
    readAll: async (from, count) => {
      const page = await connection.readAll(from, count);
      return page && pageOf(page);
    },
    readAllBackwards: async (before, count) => localRecords(await connection.readAllBackwards(before, count)),
    subscribeToAll: (after, passed) => connection.subscribeToAll(after, passed, names.prefix),
    recordOf: (resolved) => localRecord(names, connection.recordOf(resolved)),
    server: connection.server,
    close: connection.close,
  };
};
