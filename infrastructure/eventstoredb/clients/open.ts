import type { EventClient } from './client.js';

let loaded: string | undefined;

/**
 * Loads the client library for the URL's scheme and creates a client. The two libraries register their messages under
 * the same names and break each other, so a process can load only one library. The client ends a call after
 * `maxCallMs`, by which time the caller has given up.
 */
export const openClient = async (url: string, maxCallMs: number): Promise<EventClient> => {
  const kind = /^kurrentdb(\+discover)?:/.test(url) ? 'kurrentdb' : 'eventstoredb';
  if (loaded !== undefined && loaded !== kind)
    throw new Error(
      `Cannot use ${kind}: this process already uses ${loaded}. Use one kind of event server per process.`,
    );
  loaded = kind;
  return kind === 'kurrentdb'
    ? (await import('./kurrentdb.js')).kurrentClient(url, maxCallMs)
    : (await import('./eventstoredb.js')).eventStoreClient(url, maxCallMs);
};
