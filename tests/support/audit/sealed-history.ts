import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSealer } from '../../../application/audit/seals/seal-history.js';
import type { SealerPorts } from '../../../application/audit/seals/seal-log.js';
import { isProofEvent } from '../../../application/audit/seals/seal-progress.js';
import { createHandle } from '../../../application/commands/handle.js';
import {
  beginning,
  type EventStore,
  type Metadata,
  noStream,
  type Recorded,
} from '../../../application/ports/event-store.js';
import type { Notary } from '../../../application/ports/notary.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { System } from '../../../application/ports/system.js';
import type { Measure } from '../../../application/processes/measurements.js';
import { createNotary } from '../../../infrastructure/keys/notary.js';
import { testSystem } from '../silent.js';

type Golden = { type: string; data: object; metadata: Metadata };
const golden = (JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as Golden[]).filter(
  (event) => !isProofEvent(event),
);

export const notary = createNotary(new Uint8Array(32).fill(7));

/** Creates a `System` whose clock is `ahead()` ms ahead of real time and whose `sleep` returns at once. */
export const manualSystem = (ahead: () => number = () => 0): System => ({
  ...testSystem,
  now: () => Date.now() + ahead(),
  sleep: async () => undefined,
});

/** Appends `count` events of all types in turn, each to a stream of its own. */
export const appendEvents = async (events: EventStore, organizationId: string, count: number, from = 0) => {
  for (let n = from; n < from + count; n++) {
    const { type, data, metadata } = golden[n % golden.length] as Golden;
    const one = { id: randomUUID(), type, data, metadata: { ...metadata, organizationId } };
    await events.append([{ stream: `${organizationId}.thing-${n}`, expected: noStream, events: [one] }]);
  }
};

export const historyOf = async (events: EventStore, organizationId: string) => {
  const found: Recorded[] = [];
  for await (const batch of events.readOrganization(organizationId, beginning)) found.push(...batch);
  return found;
};

type Stores = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly notary?: Notary;
  /**
   * Operating system process that runs the sealer. If present, the sealer requires a message authentication code for
   * each event as soon as all running processes add such codes; if absent, the sealer never requires one.
   */
  readonly deployment?: NonNullable<SealerPorts['deployment']>;
};

/**
 * Wraps the event store so that a subscription ends after the last event that is stored at the time of this call.
 */
export const untilCaughtUp = async (events: EventStore): Promise<EventStore> => {
  const last = await events.head();
  return {
    ...events,
    subscribe: async function* (after, signal) {
      if (after >= last) return;
      for await (const batch of events.subscribe(after, signal)) {
        yield batch;
        if ((batch.at(-1)?.position ?? 0) >= last) return;
      }
    },
  };
};

const rhythm = { events: 10, ms: 3_600_000 };

/** Runs a sealer until it has read every event that is stored at the time of this call. */
export const sealAll = async (
  { events, state, notary: signer = notary, ...release }: Stores,
  system = manualSystem(),
  wrap = (store: StateStore) => store,
) => {
  const handle = createHandle(events, system);
  const ports = { events: await untilCaughtUp(events), state: wrap(state), handle, notary: signer, system, ...release };
  await createSealer(ports, rhythm).follow(new AbortController().signal);
};

/**
 * Runs one turn of the sealer, which seals the history of each organization that has unsealed events older than the
 * sealer's policy allows.
 */
export const sealOld = async (
  { events, state, notary: signer = notary, ...release }: Stores,
  system: System,
  measure: Measure = () => undefined,
) => {
  const stop = new AbortController();
  const once = { ...system, sleep: async () => stop.abort() };
  const ports = {
    events,
    state,
    handle: createHandle(events, system),
    notary: signer,
    measure,
    system: once,
    ...release,
  };
  await createSealer(ports, rhythm).sealOverdue(stop.signal);
};
