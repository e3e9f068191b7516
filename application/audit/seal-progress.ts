import type { LogLeaf } from '../../domain/aggregates/audit/seal-log.js';
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
} from '../../domain/aggregates/audit.js';
import { slicesOf } from '../async/slices.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import type { IsSigned, Notary } from '../ports/notary.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/** Progress of the hash chains over an organization's history. */
export type Chain = Standing & {
  readonly position: Position;
  /** Id of the event at that position; null before the first event. */
  readonly eventId: string | null;
  /** Number of events, those of the proof itself excluded, that no seal covers; `since` is the commit time of the oldest. */
  readonly unsealed: number;
  readonly since: number | null;
};

type InLog = { readonly volume: number; readonly index: number };
/** Memory of the sealer about one organization, signed so that nobody else can write it. */
export type Memory = Chain & {
  /** Number of times that the memory was written. */
  readonly serial: number;
  /** Last seal that is in the log and in the history. */
  readonly sealed: (Standing & InLog) | null;
  /** Seal that is being made: it may already be in the log, in place `since` or later, but not in the history. */
  readonly sealing: { readonly leaf: LogLeaf; readonly volume: number; readonly since: number } | null;
  /** Record of a move that is not in the history yet. */
  readonly moved: Move | null;
};

/** Memory of an earlier version, which was not signed; `missed` is a history that was found missing. */
export type UnsignedMemory = Link & { readonly missed: Link | null };

type Remembered = { readonly revision: number } & (
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsigned'; readonly old: UnsignedMemory }
  | { readonly kind: 'signed'; readonly memory: Memory }
  | { readonly kind: 'false'; readonly reason: string }
);

export const startOf = (organizationId: string, sha256: Digest): Memory => ({
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

/** Tells whether an event belongs to the proof itself, which needs no seal of its own. */
export const isOfProof = ({ type }: { readonly type: string }) => type === 'SealLogged' || isRecordType(type);

/** Continues the chains; skips events they include already, because a process may read events twice. */
export const extend = <C extends Chain>(chain: C, events: readonly Recorded[], sha256: Digest): C => {
  let link: Link = chain;
  let { places, position, eventId, unsealed, since } = chain;
  for (const event of events) {
    if (event.position <= position) continue;
    link = nextLink(link, event, sha256);
    places = nextPlaces(places, link.count, event, sha256);
    ({ position, id: eventId } = event);
    if (isOfProof(event)) continue;
    unsealed++;
    since ??= event.time;
  }
  const { count, hash } = link;
  return link === chain ? chain : { ...chain, count, hash, places, position, eventId, unsealed, since };
};

const hashedWithoutPause = 100;
/** Continues the chains in parts, so that requests are answered while many events are hashed. */
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
export const memoryId = (organizationId: string) => `${prefix}${organizationId}`;

/** Writes the signed text of a memory, as it is stored. */
export const signedMemory = (organizationId: string, memory: Memory, { keyId, sign }: Notary): string => {
  const statement = { ...memory, organizationId, keyId };
  return JSON.stringify({ ...statement, signature: sign(statementOf('memory', statement)) });
};

/** Parses an entry of the process state, which whoever writes to that store may have replaced by anything. */
export const objectIn = (text: string): object => {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
};

type Stored = Memory & { readonly organizationId: string; readonly keyId: string; readonly signature: string };

/** Reads a stored memory, and tells whether the key signed it for this organization. */
export const readMemory = (
  organizationId: string,
  value: string,
  { publicKey, isSigned }: { readonly publicKey: string; readonly isSigned: IsSigned },
) => {
  const { signature, ...statement } = objectIn(value) as Omit<Stored, 'signature'> & { readonly signature?: string };
  if (signature === undefined)
    return {
      kind: 'unsigned',
      old: { ...statement, missed: (statement as unknown as UnsignedMemory).missed },
    } as const;
  if (!isSigned(publicKey, statementOf('memory', statement), signature))
    return { kind: 'false', reason: 'it is not signed by the key of this service' } as const;
  if (statement.organizationId !== organizationId)
    return { kind: 'false', reason: `it was signed for ${statement.organizationId}` } as const;
  const { organizationId: _, keyId: __, ...memory } = statement;
  return { kind: 'signed', memory } as const;
};

/** Memory of the sealer by organization, kept outside the events so that cutting a history does not cut it too. */
export const createSealProgress = (state: StateStore, notary: Notary, publicKey = notary.publicKey) => ({
  load: async (organizationId: string): Promise<Remembered> => {
    const entry = await state.get('processes', memoryId(organizationId));
    if (!entry) return { kind: 'absent', revision: noEntry };
    const trust = { publicKey, isSigned: notary.isSigned };
    return { ...readMemory(organizationId, entry.value, trust), revision: entry.revision };
  },
  /** Returns false when another process saved first. */
  save: (organizationId: string, memory: Memory, revision: number): Promise<boolean> =>
    state.put(
      'processes',
      memoryId(organizationId),
      signedMemory(organizationId, { ...memory, serial: memory.serial + 1 }, notary),
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
export type SealProgress = ReturnType<typeof createSealProgress>;
