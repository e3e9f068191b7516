import type { Asset } from '../../domain/asset.js';
import { token } from '../../domain/token.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { Documents } from '../ports/documents.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';

type Described = Extract<Asset, { tokenId: string }>;
type Wanted = { readonly organizationId: string; readonly variant: Variant; readonly asset: Described };

const atOnce = 8;

const wantedIn = ({ type, data, metadata }: Recorded): Wanted[] => {
  if (type !== 'TransferObserved') return [];
  const { asset } = (data as { transfer: { asset: Asset } }).transfer;
  const variant = findVariant(metadata.variant);
  return 'tokenId' in asset && variant ? [{ organizationId: metadata.organizationId, variant, asset }] : [];
};
/** docs/specification.md#erc-721-token: token_data is a JSON text. */
const jsonOnly = (text: string | null) => {
  try {
    return text !== null && typeof JSON.parse(text) === 'object' ? text : '';
  } catch {
    return '';
  }
};
const keyOf = ({ variant, asset }: Wanted) => `${variant.tag}.${asset.contract}.${asset.tokenId}`;

/** Finds out what tokens say about themselves, apart from following: what it waits for keeps nobody else waiting. */
export const createTokenDescriber = (ports: {
  events: EventStore;
  state: StateStore;
  handle: Handle;
  chains: ConfiguredChains;
  documents: Documents;
  system: System;
}) => {
  const { events, handle, chains, documents, system } = ports;
  const follow = fromCheckpoint('describe-tokens', ports);

  const isKnown = async (wanted: Wanted) =>
    (await readAggregate(events, token, wanted.organizationId, keyOf(wanted))).text !== '';
  const describe = async (wanted: Wanted) => {
    const { organizationId, variant, asset } = wanted;
    const chain = chains.get(variant.tag)?.chain;
    if (!chain || (await isKnown(wanted))) return;
    const uri = await chain.tokenUri(asset);
    const text = uri === '' ? null : await documents.read(uri);
    const data = { contract: asset.contract, tokenId: asset.tokenId, uri, text: jsonOnly(text) };
    const context: Context = {
      organizationId,
      variant,
      actor: { kind: 'process', id: 'token-describer' },
      requestId: system.uuid(),
    };
    await handle(context, [step(token, organizationId, keyOf(wanted), { type: 'Describe', data })]);
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const wanted = new Map(batch.flatMap(wantedIn).map((one) => [`${one.organizationId} ${keyOf(one)}`, one]));
      const list = [...wanted.values()];
      await mapInSlices(list, atOnce, async (one) => signal.aborted || describe(one));
      return list.length > 0 && !signal.aborted;
    });
};
