import { audit, sealKey, sealStatement } from '../../domain/audit.js';
import { globalContext, type Handle, step } from '../commands/handle.js';
import { type EventStore, organizationOf, type Recorded } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { type Chain, chainStart, createAuditMemory, extend, extendInParts } from './seal-progress.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly handle: Handle;
  readonly notary: Notary;
  readonly system: System;
};
type Sealer = {
  /** Seals as events come. */
  follow(signal: AbortSignal): Promise<void>;
  /** Seals what has waited too long. */
  sealOld(signal: AbortSignal): Promise<void>;
};
type Rhythm = { readonly events: number; readonly ms: number };

const usual: Rhythm = { events: 1000, ms: 3_600_000 };
/** Nobody waits for a seal: what is written meanwhile is reckoned together, unless there is much of it. */
const pauseMs = 1000;
const much = 400;
const lookEveryMs = 60_000;

const byOrganization = (batch: readonly Recorded[]) => {
  const found = new Map<string, Recorded[]>();
  for (const event of batch) {
    const organizationId = organizationOf(event.stream);
    const own = found.get(organizationId);
    if (own) own.push(event);
    else if (organizationId !== 'system') found.set(organizationId, [event]);
  }
  return found;
};

/**
 * Appends a signed statement of what an organization's history is so far, whenever it has grown by so much or has waited
 * for so long. Several at once agree, since each reckons from what it last found written down.
 */
export const createSealer = (ports: Ports, rhythm = usual): Sealer => {
  const { events, state, handle, notary, system } = ports;
  const { sha256 } = system;
  const memory = createAuditMemory(state, sha256);
  const follow = fromCheckpoint('seal-history', ports);

  const isDue = ({ unsealed, since }: Chain) =>
    unsealed >= rhythm.events || (since !== null && system.now() - since >= rhythm.ms);
  const sealIfDue = async (organizationId: string, chain: Chain, revision: number) => {
    if (!isDue(chain)) return;
    const { count, hash, position } = chain;
    const sealed = { organizationId, count, hash, position };
    const signature = notary.sign(sealStatement(sealed));
    const by = { actor: { kind: 'process', id: 'history sealer' }, requestId: system.uuid() } as const;
    await handle(globalContext(by, organizationId), [
      step(audit, organizationId, sealKey(count), {
        type: 'Seal',
        data: { ...sealed, keyId: notary.keyId, signature },
      }),
    ]);
    // Not written when another went on meanwhile; then there will be one more seal, as true as this one.
    await memory.save(organizationId, { ...chain, unsealed: 0, since: null }, revision);
  };

  /** The event that was reckoned last is where it was; otherwise the history was replaced, cut or moved. */
  const isStillThere = async (organizationId: string, { position, eventId }: Chain) => {
    if (eventId === null) return true;
    for await (const [newest] of events.readOrganizationBackwards(organizationId, { position }))
      return newest?.position === position && newest.id === eventId;
    return false;
  };
  const reckonAnew = async (organizationId: string, { count, hash, missed }: Chain) => {
    system.log.error({ organizationId, events: count }, 'the history is not the one that was sealed; see audit verify');
    let chain: Chain = { ...chainStart(organizationId, sha256), missed: missed ?? { count, hash } };
    for await (const batch of events.readOrganization(organizationId, chain.position))
      chain = extend(chain, batch, sha256);
    return chain;
  };

  const reckon = async (organizationId: string, batch: readonly Recorded[], isKnown: boolean): Promise<void> => {
    const { chain, revision } = await memory.load(organizationId);
    const there = isKnown || (await isStillThere(organizationId, chain));
    const next = there ? await extendInParts(chain, batch, system) : await reckonAnew(organizationId, chain);
    const isSame = next === chain;
    if (!isSame && !(await memory.save(organizationId, next, revision))) return reckon(organizationId, batch, isKnown);
    await sealIfDue(organizationId, next, isSame ? revision : revision + 1);
  };

  return {
    follow: (signal) => {
      const known = new Set<string>();
      return follow(signal, async (batch) => {
        for (const [organizationId, own] of byOrganization(batch)) {
          await reckon(organizationId, own, known.has(organizationId));
          known.add(organizationId);
        }
        if (batch.length < much) await system.sleep(pauseMs, signal);
        return true;
      });
    },
    sealOld: async (signal) => {
      while (!signal.aborted) {
        for await (const organizationId of memory.organizations()) {
          if (isDue((await memory.load(organizationId)).chain)) await reckon(organizationId, [], false);
        }
        await system.sleep(lookEveryMs, signal);
      }
    },
  };
};
