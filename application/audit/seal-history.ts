import { organizationOf, type Recorded } from '../ports/event-store.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { createAgreement } from './agreement.js';
import { createSealMaker, type Rhythm } from './make-seals.js';
import { createRefusals, theLog } from './refusals.js';
import { createSealLog, type SealerPorts } from './seal-log.js';
import { createSealProgress } from './seal-progress.js';

type Sealer = {
  /** Seals histories as their events arrive. */
  follow(signal: AbortSignal): Promise<void>;
  /** Seals histories whose unsealed events have waited too long. */
  sealOld(signal: AbortSignal): Promise<void>;
};
export const sealingMs = 3_600_000;
const defaultRhythm: Rhythm = { events: 1000, ms: sealingMs };
/**
 * Pause that lets events collect before they are hashed, as nobody waits for a seal; skipped after batches of `much` or
 * more.
 */
const pauseMs = 1000;
const much = 400;
const pollIntervalMs = 60_000;

const byOrganization = (batch: readonly Recorded[]) => {
  const found = new Map<string, Recorded[]>();
  for (const event of batch) {
    const organizationId = organizationOf(event.stream);
    const own = found.get(organizationId);
    if (own) own.push(event);
    else found.set(organizationId, [event]);
  }
  return found;
};

/**
 * Appends a signed statement of an organization's history whenever it has grown by `rhythm.events` or waited for
 * `rhythm.ms`, unless memory, log and history do not agree. Several sealers at once agree, because each continues from
 * the saved memory.
 */
export const createSealer = (ports: SealerPorts, rhythm = defaultRhythm): Sealer => {
  const { events, state, notary, system } = ports;
  const memories = createSealProgress(state, notary);
  const log = createSealLog(ports);
  const agreed = createAgreement({ events, memory: memories, log, sha256: system.sha256 });
  const { unlessRefused, agrees } = createRefusals(state, system);
  const follow = fromCheckpoint('seal-history', ports);
  const parts = { memories, log, agreed, agrees: (organizationId: string) => agrees(organizationId, theLog) };
  const { isDue, reckon, reckonOn } = createSealMaker(ports, parts, rhythm);

  /** Signs what an earlier version remembered, and then begins the log; afterwards unsigned memories are refused. */
  const prepare = async () => {
    if ((await log.refresh()).isBegun) return;
    for await (const organizationId of memories.organizations())
      await unlessRefused(organizationId, async () => {
        const { memory, revision } = await agreed(organizationId);
        await memories.save(organizationId, memory, revision);
      });
    await log.begin();
  };

  /** Seals every history that has waited too long, or has no seal in the present volume of the log. */
  const sealDue = async () => {
    let volume: number | undefined;
    await unlessRefused(theLog, async () => {
      ({ volume } = await log.refresh());
    });
    for await (const organizationId of memories.organizations()) {
      const found = await memories.load(organizationId);
      if (found.kind !== 'signed' || isDue(found.memory, volume))
        await unlessRefused(organizationId, () => reckon(organizationId));
    }
  };

  return {
    follow: async (signal) => {
      await unlessRefused(theLog, prepare);
      const known = new Set<string>();
      return follow(signal, async (batch) => {
        for (const [organizationId, own] of byOrganization(batch)) {
          const work = () => (known.has(organizationId) ? reckonOn(organizationId, own) : reckon(organizationId));
          if (await unlessRefused(organizationId, work)) known.add(organizationId);
          else known.delete(organizationId);
        }
        if (batch.length < much) await system.sleep(pauseMs, signal);
        return true;
      });
    },
    sealOld: async (signal) => {
      await unlessRefused(theLog, prepare);
      while (!signal.aborted) {
        await sealDue();
        await system.sleep(pollIntervalMs, signal);
      }
    },
  };
};
