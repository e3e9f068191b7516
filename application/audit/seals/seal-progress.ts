import type { LogLeaf } from '../../../domain/aggregates/audit/seal-log.js';
import {
  type Digest,
  firstLink,
  firstPlaces,
  isRecordType,
  type Link,
  type Move,
  nextLink,
  nextPlaces,
  type Standing,
  statementOf,
} from '../../../domain/aggregates/audit.js';
import { slicesOf } from '../../async/slices.js';
import { beginning, type Position, type Recorded } from '../../ports/event-store.js';
import type { IsSigned, Notary } from '../../ports/notary.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/** Progress of the hash chains over an organization's history. */
export type Chain = Standing & {
  readonly position: Position;
  /** Id of the event at `position`, the last event in the chains; null before the first event. */
  readonly eventId: string | null;
  /**
   * Number of events that no seal covers, not counting proof records; `since` is the commit time of the oldest unsealed
   * event in Unix ms, null if there is none.
   */
  readonly unsealed: number;
  readonly since: number | null;
};

type InLog = { readonly volume: number; readonly index: number };
/** Progress of the sealer in one organization's history, signed against tampering. */
export type SealProgress = Chain & {
  /** Number of times that the progress was saved. */
  readonly serial: number;
  /** Last seal that is in both the log and the history; null if there is none. */
  readonly sealed: (Standing & InLog) | null;
  /**
   * Seal that is being made; null if there is none. The seal may already be in the log, at index `since` or later, but
   * not in the history.
   */
  readonly sealing: { readonly leaf: LogLeaf; readonly volume: number; readonly since: number } | null;
  /** Migration of the history to the current stores, not yet recorded in the history; null if there is none. */
  readonly moved: Move | null;
  /**
   * Number of leading events that may lack a message authentication code; each later event must have a valid code.
   * Absent until every running process adds codes, because earlier releases append events without a code.
   */
  readonly authenticatedFrom?: number;
};

/**
 * Progress saved by an earlier version, without a signature. `missed` is the length and hash that the history had
 * before events were lost; null if no events were lost.
 */
export type UnsignedSealProgress = Link & { readonly missed: Link | null };

type Remembered = { readonly revision: number } & (
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsigned'; readonly old: UnsignedSealProgress }
  | { readonly kind: 'signed'; readonly progress: SealProgress }
  | { readonly kind: 'false'; readonly reason: string }
);

export const startOf = (organizationId: string, sha256: Digest): SealProgress => ({
  ...firstLink(organizationId, sha256),
  places: firstPlaces(organizationId, sha256),
  position: beginning,
  eventId: null,
  unsealed: 0,
  since: null,
  serial: 0,
  sealed: null,
  sealing: null,
  moved: null,
});

/** Returns whether an event is itself part of the proof and so needs no seal. */
export const isProofEvent = ({ type }: { readonly type: string }) => type === 'SealLogged' || isRecordType(type);

/** Extends the hash chains; skips events that are already included, because a process may read events twice. */
export const extend = <C extends Chain>(chain: C, events: readonly Recorded[], sha256: Digest): C => {
  let link: Link = chain;
  let { places, position, eventId, unsealed, since } = chain;
  for (const event of events) {
    if (event.position <= position) continue;
    link = nextLink(link, event, sha256);
    places = nextPlaces(places, link.count, event, sha256);
    ({ position, id: eventId } = event);
    if (isProofEvent(event)) continue;
    unsealed++;
    since ??= event.time;
  }
  const { count, hash } = link;
  return link === chain ? chain : { ...chain, count, hash, places, position, eventId, unsealed, since };
};

const hashedWithoutPause = 100;
/** Extends the hash chains in slices, so that requests are answered while many events are hashed. */
export const extendInParts = async <C extends Chain>(
  chain: C,
  events: readonly Recorded[],
  { sha256, breathe }: Pick<System, 'sha256' | 'breathe'>,
): Promise<C> => {
  let next = chain;
  for (const slice of slicesOf(events, hashedWithoutPause)) {
    await breathe();
    next = extend(next, slice, sha256);
  }
  return next;
};

const prefix = 'audit-chain:';
export const sealProgressId = (organizationId: string) => `${prefix}${organizationId}`;

/** Serializes and signs progress for the state store. */
export const signSealProgress = (organizationId: string, progress: SealProgress, { keyId, sign }: Notary): string => {
  const statement = { ...progress, organizationId, keyId };
  return JSON.stringify({ ...statement, signature: sign(statementOf('memory', statement)) });
};

/** Parses an entry of the state store; returns an empty object for invalid JSON, because the entry is not trusted. */
export const parseObject = (text: string): object => {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
};

type Stored = SealProgress & { readonly organizationId: string; readonly keyId: string; readonly signature: string };

/** Parses stored progress and verifies that the key signed it for this organization. */
export const readSealProgress = (
  organizationId: string,
  value: string,
  { publicKey, isSigned }: { readonly publicKey: string; readonly isSigned: IsSigned },
) => {
  const { signature, ...statement } = parseObject(value) as Omit<Stored, 'signature'> & { readonly signature?: string };
  if (signature === undefined)
    return {
      kind: 'unsigned',
      old: { ...statement, missed: (statement as unknown as UnsignedSealProgress).missed },
    } as const;
  if (!isSigned(publicKey, statementOf('memory', statement), signature))
    return { kind: 'false', reason: 'it is not signed by the key of this service' } as const;
  if (statement.organizationId !== organizationId)
    return { kind: 'false', reason: `it was signed for ${statement.organizationId}` } as const;
  const { organizationId: _, keyId: __, ...progress } = statement;
  return { kind: 'signed', progress } as const;
};

/** Store of the sealer's progress by organization, apart from the events, so that truncating a history is detected. */
export const createSealProgressStore = (state: StateStore, notary: Notary, publicKey = notary.publicKey) => ({
  load: async (organizationId: string): Promise<Remembered> => {
    const entry = await state.get('processes', sealProgressId(organizationId));
    if (!entry) return { kind: 'absent', revision: noEntry };
    const trust = { publicKey, isSigned: notary.isSigned };
    return { ...readSealProgress(organizationId, entry.value, trust), revision: entry.revision };
  },
  /**
   * Saves progress. Returns false if the stored entry is no longer at `revision`, because another process saved first.
   */
  save: (organizationId: string, progress: SealProgress, revision: number): Promise<boolean> =>
    state.put(
      'processes',
      sealProgressId(organizationId),
      signSealProgress(organizationId, { ...progress, serial: progress.serial + 1 }, notary),
      revision,
    ),
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
export type SealProgressStore = ReturnType<typeof createSealProgressStore>;
