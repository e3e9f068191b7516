import { fail } from '../../domain/failure.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import type { Handle } from '../commands/handle.js';
import { positionAt } from '../commands/position-at.js';
import { beginning, type EventStore, type Moment, now, type Recorded } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import { createLossAcceptance, type LossAcceptance } from './accept-loss.js';
import { type CallerExport, createCallerExport } from './caller-export.js';
import { before, createEventPages, type EventPages } from './event-pages.js';
import { createEvidence, type PrepareEvidence } from './evidence/evidence.js';
import { writeExport } from './export-file.js';
import { type SealFailure, sealFailuresIn } from './seals/seal-failures.js';
import { createStoreProof, type StoreProof, type StoreProofPorts } from './store-proof.js';
import { type Proof, storeProof } from './verdict-record.js';

export type Audit = StoreProof & {
  readonly acceptLoss: LossAcceptance;
  /**
   * Lists the histories that are not sealed because they failed the integrity check, and the seal log if it is broken.
   */
  sealFailures(): Promise<readonly SealFailure[]>;
  readonly page: EventPages['page'];
  /** Returns the first and the last event of an organization. Rejects with NOT_FOUND if it has none. */
  bounds(organizationId: string): Promise<{ readonly first: Recorded; readonly last: Recorded }>;
  /**
   * Verifies the history of an organization for a caller. At most two verifications or exports run at a time, and
   * organizations take turns, because each verification or export reads all events of its organization.
   */
  verifyInTurn(organizationId: string): Promise<Proof>;
  /** Yields the events from one moment to another, both inclusive, oldest first. */
  replay(organizationId: string, from: Moment, until: Moment): AsyncIterable<readonly Recorded[]>;
  /** Yields, in chunks, the text of a signed export file that proves the history of an organization. */
  export(organizationId: string): AsyncIterable<string>;
  /**
   * Exports a history for a caller. Rejects with FAILED_PRECONDITION if an event contains an api_key that the caller
   * must not see.
   */
  readonly exportInTurn: CallerExport;
  readonly prepareEvidence: PrepareEvidence;
  readonly keyId: string;
  readonly publicKey: string;
};

type Ports = Omit<StoreProofPorts, 'events' | 'system'> & {
  /** Event store that converts events to their current version. */
  readonly events: EventStore;
  /** Event store without upcasting. Proofs hash events in the shape in which they were stored. */
  readonly stored: EventStore;
  readonly system: System;
  readonly handle: Handle;
  readonly pageTokens: PageTokens;
};

const firstOf = async (batches: AsyncIterable<readonly Recorded[]>): Promise<Recorded | undefined> => {
  for await (const [event] of batches) return event;
  return undefined;
};

/** Concurrency limits for verifications and exports that callers requested. */
const wholeReads = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaiting: 8 };

export const createAudit = (ports: Ports): Audit => {
  const { events, stored, notary, system } = ports;
  const { sha256 } = system;
  const proof = createStoreProof({ ...ports, events: stored });

  const { page } = createEventPages(ports);
  const positionOf = (organizationId: string, moment: Moment) => positionAt(events, organizationId, moment);
  const write = (organizationId: string, history: AsyncIterable<readonly Recorded[]>) =>
    writeExport(organizationId, history, { notary, sha256, time: new Date(system.now()).toISOString() });
  const inTurn = createFairTurns(wholeReads);

  return {
    keyId: notary.keyId,
    publicKey: notary.publicKey,
    page,
    bounds: async (organizationId) => {
      const [first, last] = await Promise.all([
        firstOf(events.readOrganization(organizationId, beginning)),
        firstOf(events.readOrganizationBackwards(organizationId, now)),
      ]);
      return first && last ? { first, last } : fail('NOT_FOUND', `Organization ${organizationId} has no events`);
    },
    verifyInTurn: (organizationId) =>
      inTurn(organizationId, async () => storeProof(await proof.verify(organizationId), "this service's key")),
    replay: async function* (organizationId, from, until) {
      const [after, upTo] = [await positionOf(organizationId, before(from)), await positionOf(organizationId, until)];
      for await (const batch of events.readOrganization(organizationId, after)) {
        const wanted = batch.filter(({ position }) => position <= upTo);
        if (wanted.length > 0) yield wanted;
        if (wanted.length < batch.length) return;
      }
    },
    export: (organizationId) => write(organizationId, stored.readOrganization(organizationId, beginning)),
    prepareEvidence: createEvidence(ports, write),
    exportInTurn: createCallerExport({ read: stored.readOrganization, inTurn, breathe: system.breathe }, write),
    ...proof,
    sealFailures: () => sealFailuresIn(ports.state),
    acceptLoss: createLossAcceptance({ ...ports, events: stored, verify: proof.verify }),
  };
};
