import { canonical, firstLink, nextLink } from '../../domain/audit.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { type Lines, linksIn, type Verdict } from './export-file.js';
import { createMarks, createWalk, type Flaw, type Marks } from './proof.js';
import { type Chain, createAuditMemory } from './seal-progress.js';

export type StoreProof = {
  /** Holds the store against its seals and against what the sealing process remembers. */
  verify(organizationId: string, publicKey?: string): Promise<Verdict>;
  /** Holds the store against a file that was checked. */
  compare(organizationId: string, lines: Lines): Promise<Flaw | null>;
};

export type StoreProofPorts = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly notary: Notary;
  readonly system: System;
};

const addRemembered = (marks: Marks, { count, hash, missed }: Chain) => {
  if (count > 0) marks.add({ count, hash, by: `the sealing process went over ${count} events` });
  if (missed) marks.add({ ...missed, by: `the sealing process once went over ${missed.count} events` });
};

export const createStoreProof = ({ events, state, notary, system: { sha256 } }: StoreProofPorts): StoreProof => {
  const memory = createAuditMemory(state, sha256);
  const eventsOf = async function* (organizationId: string) {
    for await (const batch of events.readOrganization(organizationId, beginning)) yield* batch;
  };
  const addSeals = async (marks: Marks, organizationId: string): Promise<Position> => {
    let head = beginning;
    for await (const batch of events.readOrganization(organizationId, beginning)) {
      marks.readSeals(batch);
      head = batch.at(-1)?.position ?? head;
    }
    return head;
  };
  const firstFlaw = async (walk: ReturnType<typeof createWalk>, organizationId: string, head: Position) => {
    for await (const event of eventsOf(organizationId)) {
      if (event.position > head) break;
      const flaw = walk.step(event);
      if (flaw) return flaw;
    }
    return walk.end();
  };

  return {
    verify: async (organizationId, publicKey = notary.publicKey) => {
      const trust = { publicKey, isSigned: notary.isSigned, sha256 };
      const marks = createMarks(organizationId, trust);
      // First: what is remembered must be in the history that is read afterwards.
      addRemembered(marks, (await memory.load(organizationId)).chain);
      const head = await addSeals(marks, organizationId);
      const walk = createWalk(organizationId, marks, trust);
      const flaw = await firstFlaw(walk, organizationId, head);
      const { count, hash } = walk.link();
      return { organizationId, events: count, seals: marks.seals(), hash, flaw };
    },
    compare: async (organizationId, lines) => {
      const stored = eventsOf(organizationId);
      let link = firstLink(organizationId, sha256);
      for await (const { id, hash } of linksIn(lines)) {
        const event = link.count + 1;
        const { value } = await stored.next();
        if (!value) return { event, last: event, id, reason: 'missing in the store, which ends before it' };
        link = nextLink(link, value, sha256);
        if (link.hash === hash) continue;
        const reason =
          value.id === id ? 'altered in the store' : `not in the store, where ${canonical(value.id)} stands instead`;
        return { event, last: event, id, reason };
      }
      await stored.return(undefined);
      return null;
    },
  };
};
