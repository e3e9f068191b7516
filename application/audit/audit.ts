import { beginning, type EventStore, isWithin, type Moment, type Recorded } from '../ports/event-store.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import { writeFile } from './export-file.js';
import { createStoreProof, type StoreProof, type StoreProofPorts } from './store-proof.js';

export type Audit = StoreProof & {
  /** What was there at a moment, newest first. `asOf` is how the caller named the moment. */
  page(organizationId: string, upTo: Moment, asOf: string, page: PageRequest): Promise<ListPage<Recorded>>;
  /** From one moment to another, both with what happened then, oldest first. */
  replay(organizationId: string, from: Moment, until: Moment): AsyncIterable<readonly Recorded[]>;
  /** The text of a file that proves the history, in pieces. */
  export(organizationId: string): AsyncIterable<string>;
  readonly keyId: string;
  readonly publicKey: string;
};

/** The position before it, which as a bound leaves it in. */
const before = (moment: Moment) => ('position' in moment ? Math.max(beginning, moment.position - 1) : beginning);
const isBefore = (moment: Moment, { position, time }: Recorded) =>
  'position' in moment ? position < moment.position : time < moment.time;

type Ports = Omit<StoreProofPorts, 'events'> & {
  /** In the shape of today, for who reads them. */
  readonly events: EventStore;
  /** As they are stored, for what is proved. */
  readonly stored: EventStore;
  readonly pageTokens: PageTokens;
};

export const createAudit = (ports: Ports): Audit => {
  const { events, stored, notary, pageTokens, system } = ports;
  const { sha256 } = system;

  const newest = async (organizationId: string, upTo: Moment, count: number) => {
    const found: Recorded[] = [];
    for await (const batch of events.readOrganizationBackwards(organizationId, upTo)) {
      found.push(...batch.slice(0, count - found.length));
      if (found.length === count) break;
    }
    return found;
  };

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
      for await (const batch of events.readOrganization(organizationId, before(from))) {
        const wanted = batch.filter((event) => !isBefore(from, event) && isWithin(until, event));
        if (wanted.length > 0) yield wanted;
        const last = batch.at(-1);
        if (last && !isWithin(until, last)) return;
      }
    },
    export: (organizationId) =>
      writeFile(organizationId, stored.readOrganization(organizationId, beginning), {
        notary,
        sha256,
        time: new Date(system.now()).toISOString(),
      }),
    ...createStoreProof({ ...ports, events: stored }),
  };
};
