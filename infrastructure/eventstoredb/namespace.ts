import { type Connection, connect, type RawRecord } from './connection.js';
import type { Page } from './pages.js';

/** Ends the namespace in a stream's name; without a namespace, no name has one before its first dash. */
const separator = ':';

/** Names of streams as the server stores them, and as the service knows them. */
type Names = {
  /** Beginning of the stored names; empty without a namespace. */
  readonly prefix: string;
  /** Returns whether the stored name belongs to this namespace. */
  isOwn(stored: string): boolean;
};

const namesIn = (namespace: string): Names => {
  if (namespace === '') return { prefix: '', isOwn: (stored) => !/^[^-]*:/.test(stored) };
  // A category is the part of a name before the first dash, so that the prefix may have none.
  const prefix = `${namespace.replaceAll('-', '_')}${separator}`;
  return { prefix, isOwn: (stored) => stored.startsWith(prefix) };
};

/** Beginning of the names that the server gives streams of metadata and of categories. */
const systemPart = /^(?:\$\$)?(?:\$ce-)?/;
const partsOf = (stream: string) => {
  const [system = ''] = systemPart.exec(stream) ?? [];
  return [system, stream.slice(system.length)] as const;
};

/**
 * Shows a record as one of this namespace. A record of another namespace gets the name of a system stream, which readers
 * skip: pages keep their length, and positions keep their order.
 */
const shown = <T extends RawRecord | null>({ prefix, isOwn }: Names, record: T): T => {
  if (!record) return record;
  const [system, name] = partsOf(record.stream);
  if (name.startsWith('$')) return record;
  return { ...record, stream: isOwn(name) ? `${system}${name.slice(prefix.length)}` : `$$$${name}` };
};

/**
 * Connects to the streams of a namespace, so that several services share a server without seeing each other. Without a
 * namespace, names are as they always were, and the streams of all namespaces are skipped.
 */
export const connectIn = async (url: string, namespace: string): Promise<Connection> => {
  const connection = await connect(url);
  const names = namesIn(namespace);
  const stored = (stream: string) => {
    const [system, name] = partsOf(stream);
    return `${system}${names.prefix}${name}`;
  };
  const storedIn = <T extends { readonly stream: string }>(writes: readonly T[]) =>
    writes.map((write) => ({ ...write, stream: stored(write.stream) }));
  const all = (records: readonly RawRecord[]) => records.map((record) => shown(names, record));
  const pageOf = ({ records, isEnd }: Page<RawRecord>) => ({ records: all(records), isEnd });
  return {
    append: (stream, ...given) => connection.append(stored(stream), ...given),
    appendMany: (writes, ...given) => connection.appendMany(storedIn(writes), ...given),
    wayFor: connection.wayFor,
    appendInOrder: (writes, silentMs) => connection.appendInOrder(storedIn(writes), silentMs),
    readStream: async (stream, options) => all(await connection.readStream(stored(stream), options)),
    readPage: async (stream, options) => pageOf(await connection.readPage(stored(stream), options)),
    readAll: async (from, count) => {
      const page = await connection.readAll(from, count);
      return page && pageOf(page);
    },
    readAllBackwards: async (before, count) => all(await connection.readAllBackwards(before, count)),
    subscribeToAll: (after, passed) => connection.subscribeToAll(after, passed, names.prefix),
    recordOf: (resolved) => shown(names, connection.recordOf(resolved)),
    server: connection.server,
    close: connection.close,
  };
};
