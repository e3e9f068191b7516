import type { EventClient } from './client.js';

let loaded: string | undefined;

/**
 * Loads the client that the URL names. The two register their messages under the same names and break each other, so a
 * process that has loaded one never loads the other.
 */
export const openClient = async (url: string): Promise<EventClient> => {
  const kind = /^kurrentdb(\+discover)?:/.test(url) ? 'kurrentdb' : 'eventstoredb';
  if (loaded !== undefined && loaded !== kind)
    throw new Error(`this process already speaks to ${loaded}; a process speaks to one kind of event server`);
  loaded = kind;
  return kind === 'kurrentdb'
    ? (await import('./kurrentdb.js')).kurrentClient(url)
    : (await import('./eventstoredb.js')).eventStoreClient(url);
};
