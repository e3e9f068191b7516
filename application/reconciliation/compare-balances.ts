import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { type Asset, assetKey } from '../../domain/asset.js';
import type { AddressDocument } from '../../projections/addresses.js';
import { type AssetDocument, assetDocumentId, assets, unreadBalances } from '../../projections/assets.js';
import { areHeld } from '../assets/assets.js';
import { checkNodes, readBalances } from '../assets/balance-ledger.js';
import { holdingParts } from '../assets/changed-balances.js';
import type { Contracts } from '../assets/contracts.js';
import { groupBy } from '../async/group-by.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Height } from './settled-height.js';

type Ports = {
  readonly readModels: ReadModels;
  readonly contracts: Contracts;
  readonly chains: Chains;
  readonly system: System;
};

export type Difference = Holding & {
  readonly expected: string;
  readonly found: string;
  /** Height at which the expected balance was read from the chain; the difference arose in a later block. */
  readonly since: number;
};

export type Compared = Height & {
  readonly walletId: string;
  readonly addresses: readonly AddressDocument[];
  /** Balances that are not compared, because the follower is about to read them. */
  readonly awaited: readonly Holding[];
};

const keyOf = ({ address, asset }: Holding) => `${address} ${assetKey(asset)}`;

/** Creates a function that compares stored balances with the balances on the chain at a final block. */
export const createComparison = (ports: Ports) => {
  const { readModels, contracts, chains, system } = ports;

  const standardsOf = async (context: Context): Promise<readonly Asset['standard'][]> => {
    if (!context.variant.can.includes('token-contracts')) return ['native'];
    return [...new Set<Asset['standard']>(['native', ...(await contracts.list(context)).map((one) => one.standard)])];
  };

  /**
   * Returns the stored balances that can be compared: balances of followed assets that were read at or before the block
   * and are not waiting to be read again.
   */
  const storedOf = async (context: Context, { walletId, at, chain }: Compared, holdings: readonly Holding[]) => {
    const ids = holdings.map(({ address, asset }) => assetDocumentId(walletId, address, asset));
    const keys = ids.map((id) => ({ scope: scopeFor(context), id }));
    const unread = await readModels.getMany(unreadBalances, keys);
    const found = await readModels.getMany(assets, keys);
    const stored = found.filter(
      (one, i): one is AssetDocument =>
        one !== null && !unread[i] && one.chain === chain && one.block_number <= at.number,
    );
    const held = await areHeld(readModels, context, stored);
    return stored.filter((_, i) => held[i]);
  };

  /**
   * Reads from the chain, as of block `at`, the balances that `some` lists: either only native balances, or only
   * balances of one contract. If only the contract fails, logs a warning and returns no balances. Rejects if the nodes
   * fail, because an empty result would look as if no balance differed.
   */
  const read = async ({ variant, organizationId }: Context, { at }: Compared, some: readonly AssetDocument[]) => {
    const chain = chains.of(variant);
    const [first] = some;
    try {
      return await readBalances(chain, some, at);
    } catch (error) {
      if (!first || first.standard === 'native') throw error;
      await checkNodes(chain, first, at);
      const fields = { organization: organizationId, variant: variant.tag, asset: first.asset, err: error };
      system.log.warn(fields, 'Balances of a token could not be read, and were not reconciled');
      return [];
    }
  };

  const compareSome = async (context: Context, compared: Compared, holdings: readonly Holding[]) => {
    const stored = await storedOf(context, compared, holdings);
    const byKey = new Map(stored.map((one) => [keyOf(one), one]));
    const differences: Difference[] = [];
    const contractOf = ({ asset }: AssetDocument) => ('contract' in asset ? asset.contract : '');
    for (const some of groupBy(stored, contractOf).values())
      for (const { address, asset, balance } of await read(context, compared, some)) {
        const known = byKey.get(keyOf({ address, asset }));
        if (!known || known.balance === balance) continue;
        differences.push({ address, asset, expected: known.balance, found: balance, since: known.block_number });
      }
    return differences;
  };

  return async (context: Context, compared: Compared): Promise<readonly Difference[]> => {
    const awaited = new Set(compared.awaited.map(keyOf));
    const differences: Difference[] = [];
    for (const standard of await standardsOf(context)) {
      const { addresses } = compared;
      for await (const some of holdingParts(ports, context, { addresses, standard })) {
        context.touch?.(some.length);
        const settled = some.filter((one) => !awaited.has(keyOf(one)));
        differences.push(...(await compareSome(context, compared, settled)));
        await system.breathe();
      }
    }
    return differences;
  };
};
