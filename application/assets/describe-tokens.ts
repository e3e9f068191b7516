import { token } from '../../domain/aggregates/token.js';
import type { Asset, ImportedToken, RegisteredStandard } from '../../domain/asset.js';
import { isComplete } from '../../domain/token-description.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import { createBackoff } from '../async/backoff.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { Chain } from '../ports/chain.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { Documents } from '../ports/documents.js';
import type { EventStore, Position, Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { createHostCircuitBreaker } from './host-circuit-breaker.js';

type Described = Extract<Asset, { tokenId: string }> | ImportedToken;
type Wanted = { readonly organizationId: string; readonly variant: Variant; readonly asset: Described };

const maxConcurrent = 8;
const maxConcurrentPerOrganization = 2;
/**
 * Maximum number of tokens per organization that wait for their description. A token above the maximum is described at
 * its next transfer.
 */
const maxWaiting = 10_000;
const tries = 5;
/** Minimum time in ms before another attempt for a token that had no complete description. */
const retryAfterMs = 600_000;
const maxEntries = 100_000;

/** Functions by event type. Each returns the asset of an event of its type. */
const assetIn: Readonly<Record<string, (data: never) => Asset>> = {
  TransferObserved: ({ transfer }: { transfer: { asset: Asset } }) => transfer.asset,
  AssetImported: ({ asset }: { asset: Asset }) => asset,
  ContractRegistered: ({ contract, standard }: { contract: string; standard: RegisteredStandard }) =>
    standard === 'token' ? { standard, contract } : { standard: 'native' },
};

const wantedIn = ({ type, data, metadata }: Recorded): Wanted[] => {
  const asset = Object.hasOwn(assetIn, type) ? assetIn[type]?.(data as never) : undefined;
  const variant = findVariant(metadata.variant);
  if (!asset || !variant || !('tokenId' in asset || asset.standard === 'token')) return [];
  return [{ organizationId: metadata.organizationId, variant, asset }];
};
/** Returns the text if it is JSON, as docs/specification.md#erc-721-token requires for token_data; empty otherwise. */
const jsonOnly = (text: string | null) => {
  try {
    return text !== null && typeof JSON.parse(text) === 'object' ? text : '';
  } catch {
    return '';
  }
};
const tokenIdOf = (asset: Described) => ('tokenId' in asset ? asset.tokenId : '');
const keyOf = ({ variant, asset }: Wanted) => `${variant.tag}.${asset.contract}.${tokenIdOf(asset)}`;

type Found = Omit<Parameters<(typeof token.decide)['Describe']>[1], 'contract' | 'tokenId'>;
type Known = Parameters<(typeof token.decide)['Describe']>[0];
const isDescribed = (asset: Described, { text, description = {} }: Known | Found) =>
  'tokenId' in asset ? text !== '' : isComplete(description);

/** Reads the metadata document of a token with an id, or name, symbol and decimals of any other token. */
const readDescription = async (chain: Chain, asset: Described, read: Documents['read']): Promise<Found> => {
  if (!('tokenId' in asset)) return { uri: '', text: '', ...(await chain.describe?.(asset, read)) };
  const uri = await chain.tokenUri(asset);
  return { uri, text: jsonOnly(uri === '' ? null : await read(uri)) };
};

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly handle: Handle;
  readonly chains: ConfiguredChains;
  readonly documents: Documents;
  readonly system: System;
};

/**
 * Returns a function that describes one token. A token for which no complete description was found is skipped for
 * `retryAfterMs`.
 */
const createDescribe = ({ events, handle, chains, documents, system }: Ports) => {
  const readFrom = createHostCircuitBreaker(system);
  const notBefore = createBoundedCache<string, number>(maxEntries);

  return async (wanted: Wanted, id: string) => {
    const { organizationId, variant, asset } = wanted;
    const chain = chains.get(variant.tag)?.chain;
    if (!chain || (notBefore.get(id) ?? 0) > system.now()) return;
    if (isDescribed(asset, await readAggregate(events, token, organizationId, keyOf(wanted)))) return;
    const read = (uri: string) => readFrom(organizationId, uri, () => documents.read(uri));
    const found = await readDescription(chain, asset, read);
    if (!isDescribed(asset, found)) notBefore.set(id, system.now() + retryAfterMs);
    const data = { contract: asset.contract, tokenId: tokenIdOf(asset), ...found };
    const context: Context = {
      organizationId,
      variant,
      actor: { kind: 'process', id: 'token-describer' },
      requestId: system.uuid(),
    };
    await handle(context, [step(token, organizationId, keyOf(wanted), { type: 'Describe', data })]);
  };
};

/**
 * Creates a background process that fetches token descriptions apart from the followers, so that slow hosts do not
 * delay the followers. Organizations are served round-robin, so that slow hosts of one organization do not delay other
 * organizations.
 */
export const createTokenDescriber = (ports: Ports) => {
  const { system } = ports;
  const describe = createDescribe(ports);
  const inTurn = createFairTurns({ maxConcurrent, maxConcurrentPerKey: maxConcurrentPerOrganization, maxWaiting });
  /** Tokens that are not described yet, oldest first, each with the position to resume from after a restart. */
  const unfinished = new Map<string, Position>();
  const unfinishedOf = new Map<string, number>();
  const count = (organizationId: string, by: 1 | -1) => {
    const left = (unfinishedOf.get(organizationId) ?? 0) + by;
    if (left > 0) unfinishedOf.set(organizationId, left);
    else unfinishedOf.delete(organizationId);
  };

  /**
   * Describes a token with retries, because a node may be unavailable for a while. A token that keeps failing is logged
   * and skipped.
   */
  const describeWithRetries = async (wanted: Wanted, id: string, signal: AbortSignal) => {
    const backoff = createBackoff({ firstMs: 500, maxMs: 10_000 });
    for (let left = tries; left > 0 && !signal.aborted; left--)
      try {
        return await describe(wanted, id);
      } catch (error) {
        if (left === 1)
          system.log.warn(
            { err: error, token: id },
            'Name or metadata of a token could not be read; retrying at its next transfer',
          );
        else await system.sleep(backoff.next(), signal);
      }
  };
  const enqueue = async (wanted: Wanted, from: Position, signal: AbortSignal) => {
    const { organizationId } = wanted;
    const id = `${organizationId} ${keyOf(wanted)}`;
    if (unfinished.has(id) || (unfinishedOf.get(organizationId) ?? 0) >= maxWaiting) return;
    unfinished.set(id, from);
    count(organizationId, 1);
    await inTurn(organizationId, () => describeWithRetries(wanted, id, signal));
    // A token that is not described because the process stops is found again after the restart: the saved checkpoint is
    // before the event of the token.
    unfinished.delete(id);
    count(organizationId, -1);
  };

  const follow = fromCheckpoint('describe-tokens', ports, {
    unfinishedFrom: () => unfinished.values().next().value,
  });
  return async (signal: AbortSignal): Promise<void> => {
    const running = new Set<Promise<void>>();
    await follow(signal, async (batch, from) => {
      const wanted = batch.flatMap(wantedIn);
      for (const one of wanted) {
        const described = enqueue(one, from, signal);
        running.add(described);
        void described.finally(() => running.delete(described));
      }
      return wanted.length > 0 && !signal.aborted;
    });
    await Promise.all(running);
  };
};
