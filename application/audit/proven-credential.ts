import { canonical, firstLink, nextLink, type Seal } from '../../domain/aggregates/audit.js';
import { beginning, type EventStore, type NewEvent } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { createProofRecords } from './proof.js';

type Stored = NewEvent & { readonly stream: string };
const textOf = ({ stream, id, type, data, metadata }: Stored) => canonical({ stream, id, type, data, metadata });

const eventsOf = async function* (events: EventStore, organizationId: string) {
  for await (const batch of events.readOrganization(organizationId, beginning)) yield* batch;
};

/**
 * Creates a collector of the chain hashes after the event `wanted` and after each later event of a history; none if the
 * stream of `wanted` begins with another event.
 */
const createHashes = (organizationId: string, wanted: Stored, sha256: System['sha256']) => {
  const text = textOf(wanted);
  const hashes = new Map<number, string>();
  let link = firstLink(organizationId, sha256);
  let isFound: boolean | undefined;
  return {
    take: (event: Stored) => {
      link = nextLink(link, event, sha256);
      if (event.stream === wanted.stream) isFound ??= textOf(event) === text;
      if (isFound) hashes.set(link.count, link.hash);
    },
    at: (count: number) => hashes.get(count) ?? null,
  };
};

/** Returns whether a seal has the chain hash `found` and was made before the seal log began. */
const isProof = ({ hash, log }: Pick<Seal, 'hash' | 'log'>, found: string) => hash === found && !log;

/**
 * Creates a check that an event is the first of its stream and has not changed since the first seal after it. That seal
 * must be older than the seal log: later credentials do not need this check. Reads the history up to that seal.
 */
const createIsSealed =
  ({ events, notary, system: { sha256 } }: { events: EventStore; notary: Notary; system: System }) =>
  async (organizationId: string, wanted: Stored): Promise<boolean> => {
    const trust = { publicKey: notary.publicKey, isSigned: notary.isSigned, sha256 };
    const records = createProofRecords(organizationId, trust);
    const hashes = createHashes(organizationId, wanted, sha256);
    for await (const event of eventsOf(events, organizationId)) {
      hashes.take(event);
      records.read([event]);
      const seal = event.type === 'AuditSealed' ? records.seals().at(-1) : undefined;
      const hash = seal ? hashes.at(seal.count) : null;
      if (seal && hash !== null) return isProof(seal, hash);
    }
    return false;
  };

type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: string };
const entryOf = (apiKey: string) => ['processes', `credential:${apiKey}`] as const;

/**
 * Creates a check that the role of a credential can be trusted although its secret is not bound to the role: a seal
 * must cover the event that issued the credential. A positive result is signed and stored, because the check is slow:
 * it reads the history.
 */
export const createIsProven = (ports: { events: EventStore; notary: Notary; state: StateStore; system: System }) => {
  const { state, system } = ports;
  const isSealed = createIsSealed(ports);
  return async ({ organizationId, apiKey, role }: Identity, issue: Stored): Promise<boolean> => {
    const proof = system.sign('older-credential', JSON.stringify([organizationId, apiKey, role, issue.data]));
    const known = await state.get(...entryOf(apiKey));
    if (known && system.same(known.value, proof)) return true;
    if (!(await isSealed(organizationId, issue))) return false;
    await state.put(...entryOf(apiKey), proof, known?.revision ?? noEntry);
    return true;
  };
};
