import { type LogHead, leafText } from '../../../domain/aggregates/audit/seal-log.js';
import { firstLink, type Link, nextLink, type Seal } from '../../../domain/aggregates/audit.js';
import { fail, invalid } from '../../../domain/failure.js';
import { leafHash, nodeHash } from '../../../domain/merkle.js';
import { consistencyPath, inclusionPath, isIncluded } from '../../../domain/merkle-proof.js';
import { beginning, type EventStore, type Position, type Recorded } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import { BrokenLog, logEntriesFrom } from '../log-reading.js';
import { createSealLog, type SealLog } from '../seals/seal-log.js';
import { createLogTree } from './log-tree.js';

/**
 * Event whose inclusion is to be proved. If the caller states the position, the event is found without a search of the
 * history.
 */
type Wanted = { readonly eventId: string; readonly position: Position | undefined };

export type InclusionProof = {
  /** Number of the event in its history, starting at 1, and the chain hashes before and after the event. */
  readonly event: Link & { readonly id: string; readonly before: string };
  readonly seal: Seal;
  readonly leaf: string;
  readonly index: number;
  readonly path: readonly string[];
  readonly head: LogHead;
};
type ConsistencyProof = { readonly from: LogHead; readonly to: LogHead; readonly path: readonly string[] };

export type LogProofs = {
  /** Returns the newest signed head of the log. */
  head(): Promise<LogHead>;
  /** Proves that the newest head of the log covers an event. */
  inclusion(organizationId: string, wanted: Wanted): Promise<InclusionProof>;
  /** Proves that the log of size `to` (in seals; by default the current size) extends the log of size `from`. */
  consistency(from: number, to: number | undefined): Promise<ConsistencyProof>;
};

type Ports = {
  /** Event store without upcasting. Seals hash events in the shape in which they were stored. */
  readonly events: EventStore;
  readonly sealLog: SealLog;
  readonly system: System;
};

const nothingLogged = 'Nothing is sealed yet. The first seal is made within an hour of the first event; retry later.';
const notSealed = 'Event not sealed yet. It is sealed within an hour of its commit; retry later.';
const disagreeing =
  'The history contradicts its seals. The operator of the service can locate the difference with chainfold audit verify.';
const isSeal = ({ type }: Recorded) => type === 'AuditSealed';

/** Rejects with UNAVAILABLE if the seal log is broken, because the caller is not at fault. */
const provable = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    return fail('UNAVAILABLE', `No proof is possible because the seal log is broken: ${error.message}.`);
  }
};

type Place = Link & { readonly position: Position };
type Numbered = InclusionProof['event'] & { readonly position: Position };

/** Creates functions that find events, their numbers and their seals in the history of an organization. */
const createHistory = ({ events, system: { sha256, breathe } }: Ports, organizationId: string) => {
  const inTurns = async function* (batches: AsyncIterable<readonly Recorded[]>) {
    for await (const batch of batches) {
      yield* batch;
      await breathe();
    }
  };
  const backwards = (position: Position) => inTurns(events.readOrganizationBackwards(organizationId, { position }));
  const forwards = (after: Position) => inTurns(events.readOrganization(organizationId, after));
  const start: Place = { ...firstLink(organizationId, sha256), position: beginning };

  /**
   * Returns the last seal before a position, to continue the hash chain from there; the start of the chain if there is
   * none.
   */
  const sealedBefore = async (position: Position): Promise<Place> => {
    for await (const event of backwards(position - 1)) if (isSeal(event)) return event.data as Seal;
    return start;
  };
  const numberOf = async ({ id, position }: Recorded, from: Place): Promise<Numbered | null> => {
    let link: Link = from;
    for await (const event of forwards(from.position)) {
      const before = link.hash;
      link = nextLink(link, event, sha256);
      if (event.position === position) return { ...link, id, before, position };
    }
    return null;
  };
  const sealOver = async ({ position, count }: Numbered, volume: number): Promise<Seal> => {
    for await (const event of forwards(position)) {
      const seal = event.data as Seal;
      if (isSeal(event) && seal.count >= count && seal.log?.volume === volume) return seal;
    }
    return fail('FAILED_PRECONDITION', notSealed);
  };
  const leadsTo = async (from: Numbered, seal: Seal) => {
    let link: Link = from;
    if (link.count === seal.count) return link.hash === seal.hash;
    for await (const event of forwards(from.position)) {
      link = nextLink(link, event, sha256);
      if (link.count === seal.count) return link.hash === seal.hash;
    }
    return false;
  };
  return {
    find: async ({ eventId, position }: Wanted): Promise<Recorded> => {
      for await (const event of backwards(position ?? Number.MAX_SAFE_INTEGER)) {
        if (event.id === eventId) return event;
        if (position !== undefined) break;
      }
      return fail(
        'NOT_FOUND',
        `Event not found: ${eventId}${position === undefined ? '' : ` at position ${position}`}`,
      );
    },
    /**
     * Returns the number of an event in its history and the first seal in the volume that covers the event, verified
     * along the hash chain.
     */
    sealed: async (event: Recorded, volume: number): Promise<{ event: InclusionProof['event']; seal: Seal }> => {
      // A seal states positions of the store in which it was made. These positions may be wrong for a migrated history,
      // so the second attempt reads from the start of the history.
      for (const from of [await sealedBefore(event.position), start]) {
        const numbered = await numberOf(event, from);
        const seal = numbered && (await sealOver(numbered, volume));
        if (seal && (await leadsTo(numbered, seal))) return { event: numbered, seal };
      }
      return fail('UNAVAILABLE', disagreeing);
    },
  };
};

/** Creates Merkle proofs about the seal log, for callers who do not trust the service. */
export const createLogProofs = (ports: Ports): LogProofs => {
  const { events, sealLog, system } = ports;
  const { sha256 } = system;
  /** Tree of the current volume; the tree of an earlier volume is dropped. */
  let kept: { readonly volume: number; readonly tree: ReturnType<typeof createLogTree> } | null = null;
  const treeOf = (volume: number) => {
    if (kept?.volume !== volume) kept = { volume, tree: createLogTree(sealLog, system) };
    return kept.tree;
  };
  const head = async () => (await sealLog.head()) ?? fail('NOT_FOUND', nothingLogged);
  const headAt = async (volume: number, size: number): Promise<LogHead> => {
    for await (const logged of logEntriesFrom(events, volume, size - 1)) return logged.head;
    return fail('NOT_FOUND', nothingLogged);
  };

  const inclusion = async (organizationId: string, wanted: Wanted): Promise<InclusionProof> => {
    const { volume } = await sealLog.refresh();
    const newest = await head();
    const history = createHistory(ports, organizationId);
    const { event, seal } = await history.sealed(await history.find(wanted), volume);
    const { index } = seal.log as { index: number };
    const leaf = leafText({ ...seal, places: String(seal.places) });
    const path = await treeOf(volume).roots(inclusionPath(index, newest.size));
    const proof = { index, size: newest.size, leaf: leafHash(leaf, sha256), path, root: newest.root };
    if (!isIncluded(proof, (left, right) => nodeHash(left, right, sha256))) fail('UNAVAILABLE', disagreeing);
    return { event, seal, leaf, index, path, head: newest };
  };

  const consistency = async (from: number, to: number | undefined): Promise<ConsistencyProof> => {
    const { volume } = await sealLog.refresh();
    const newest = await head();
    const size = to ?? newest.size;
    if (size > newest.size) invalid('/to', `must be at most ${newest.size}, the number of seals in the log`);
    if (from > size) invalid('/from', `must be at most ${size}`);
    const path = await treeOf(volume).roots(consistencyPath(from, size));
    return { from: await headAt(volume, from), to: await headAt(volume, size), path };
  };

  return {
    head: () => provable(head()),
    inclusion: (organizationId, wanted) => provable(inclusion(organizationId, wanted)),
    consistency: (from, to) => provable(consistency(from, to)),
  };
};

/** Log of seals, and the proofs about it. */
export type ProvenLog = { readonly sealLog: SealLog; readonly logProofs: LogProofs };

export const createProvenLog = (ports: Parameters<typeof createSealLog>[0]): ProvenLog => {
  const sealLog = createSealLog(ports);
  return { sealLog, logProofs: createLogProofs({ ...ports, sealLog }) };
};
