import { type Digest, firstLink, type Link, nextLink } from '../../domain/audit.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/** How far the chain over an organization's history was reckoned. */
export type Chain = Link & {
  readonly position: Position;
  /** The event at that position; none before the first. */
  readonly eventId: string | null;
  /** How many events, without seals, no seal covers, and when the oldest of them was committed. */
  readonly unsealed: number;
  readonly since: number | null;
  /** What was reckoned of a history that then was not there any more, until it is there again. */
  readonly missed: Link | null;
};

export const chainStart = (organizationId: string, sha256: Digest): Chain => ({
  ...firstLink(organizationId, sha256),
  position: beginning,
  eventId: null,
  unsealed: 0,
  since: null,
  missed: null,
});

const isFound = (missed: Link, { count, hash }: Link) => missed.count === count && missed.hash === hash;

/** What was reckoned before is skipped, so that events that come again are counted once. */
export const extend = (chain: Chain, events: readonly Recorded[], sha256: Digest): Chain => {
  let link: Link = chain;
  let { position, eventId, unsealed, since, missed } = chain;
  for (const event of events) {
    if (event.position <= position) continue;
    link = nextLink(link, event, sha256);
    ({ position, id: eventId } = event);
    if (missed && isFound(missed, link)) missed = null;
    if (event.type === 'AuditSealed') continue;
    unsealed++;
    since ??= event.time;
  }
  const { count, hash } = link;
  return link === chain ? chain : { count, hash, position, eventId, unsealed, since, missed };
};

const hashedWithoutPause = 100;
/** Hashing much takes its time; others are answered meanwhile. */
export const extendInParts = async (chain: Chain, events: readonly Recorded[], { sha256, breathe }: System) => {
  let next = chain;
  for (let from = 0; from < events.length; from += hashedWithoutPause) {
    await breathe();
    next = extend(next, events.slice(from, from + hashedWithoutPause), sha256);
  }
  return next;
};

const prefix = 'audit-chain:';

/** What the process that seals remembers of each organization. It is not history, so whoever cuts that does not cut this. */
export const createAuditMemory = (state: StateStore, sha256: Digest) => ({
  load: async (organizationId: string): Promise<{ chain: Chain; revision: number }> => {
    const entry = await state.get('processes', `${prefix}${organizationId}`);
    const chain = entry ? (JSON.parse(entry.value) as Chain) : chainStart(organizationId, sha256);
    return { chain, revision: entry?.revision ?? noEntry };
  },
  /** False when somebody else was faster. */
  save: (organizationId: string, chain: Chain, revision: number): Promise<boolean> =>
    state.put('processes', `${prefix}${organizationId}`, JSON.stringify(chain), revision),
  organizations: async function* (): AsyncGenerator<string> {
    let ids = await state.ids('processes', prefix);
    while (ids.length > 0) {
      for (const id of ids) {
        if (!id.startsWith(prefix)) return;
        yield id.slice(prefix.length);
      }
      ids = await state.ids('processes', ids.at(-1) as string);
    }
  },
});
