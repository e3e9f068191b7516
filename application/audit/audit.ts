import type { Handle } from '../commands/handle.js';
import { beginning, type EventStore, type Moment, type Position, type Recorded } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import { createLossAcceptance, type LossAcceptance } from './accept-loss.js';
import { writeExport } from './export-file.js';
import { type SealFailure, sealFailuresIn } from './seal-failures.js';
import { createStoreProof, type StoreProof, type StoreProofPorts } from './store-proof.js';

export type Audit = StoreProof & {
  readonly acceptLoss: LossAcceptance;
  /** Lists the histories that are not sealed because they failed the integrity check. */
  sealFailures(): Promise<readonly SealFailure[]>;
  /**
   * Returns a page of the events up to a moment, newest first. `asOf` is the caller's text for the moment; the page token
   * is bound to it.
   */
  page(organizationId: string, upTo: Moment, asOf: string, page: PageRequest): Promise<ListPage<Recorded>>;
  /** Yields the events from one moment to another, both inclusive, oldest first. */
  replay(organizationId: string, from: Moment, until: Moment): AsyncIterable<readonly Recorded[]>;
  /** Yields the text of a file that proves the history, in chunks. */
  export(organizationId: string): AsyncIterable<string>;
  readonly keyId: string;
  readonly publicKey: string;
};

/** Returns the moment just before the given one; no event has to exist there. */
const before = (moment: Moment): Moment =>
  'position' in moment ? { position: Math.max(beginning, moment.position - 1) } : { time: moment.time - 1 };

type Ports = Omit<StoreProofPorts, 'events' | 'system'> & {
  /** Events in their current shape, for readers. */
  readonly events: EventStore;
  /** Events as they are stored, for proofs. */
  readonly stored: EventStore;
  readonly system: System;
  readonly handle: Handle;
  readonly pageTokens: PageTokens;
};

export const createAudit = (ports: Ports): Audit => {
  const { events, stored, notary, pageTokens, system } = ports;
  const { sha256 } = system;
  const proof = createStoreProof({ ...ports, events: stored });

  const newest = async (organizationId: string, upTo: Moment, count: number) => {
    const found: Recorded[] = [];
    for await (const batch of events.readOrganizationBackwards(organizationId, upTo)) {
      found.push(...batch.slice(0, count - found.length));
      if (found.length === count) break;
    }
    return found;
  };

  /** Returns the position of the last event up to a moment, because stores can only read from positions of events. */
  const positionOf = async (organizationId: string, moment: Moment): Promise<Position> =>
    (await newest(organizationId, moment, 1))[0]?.position ?? beginning;

  return {
    keyId: notary.keyId,
    publicKey: notary.publicKey,
    page: async (organizationId, upTo, asOf, { size, token }) => {
      const list = [organizationId, 'events', asOf];
      const after = pageTokens.read(list, token);
      const found = await newest(organizationId, after ? { position: Number(after[0]) - 1 } : upTo, size + 1);
      const documents = found.slice(0, size);
      const last = found.length > size ? documents.at(-1) : undefined;
      return { documents, nextPageToken: pageTokens.write(list, last ? [last.position, last.id] : null) };
    },
    replay: async function* (organizationId, from, until) {
      const [after, upTo] = [await positionOf(organizationId, before(from)), await positionOf(organizationId, until)];
      for await (const batch of events.readOrganization(organizationId, after)) {
        const wanted = batch.filter(({ position }) => position <= upTo);
        if (wanted.length > 0) yield wanted;
        if (wanted.length < batch.length) return;
      }
    },
    export: (organizationId) =>
      writeExport(organizationId, stored.readOrganization(organizationId, beginning), {
        notary,
        sha256,
        time: new Date(system.now()).toISOString(),
      }),
    ...proof,
    sealFailures: () => sealFailuresIn(ports.state),
    acceptLoss: createLossAcceptance({ ...ports, events: stored, verify: proof.verify }),
  };
};
