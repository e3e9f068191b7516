import { type Asset, assetKey } from '../../domain/asset.js';
import { contracts } from '../../projections/contracts.js';
import { tokenKey, tokens } from '../../projections/tokens.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';

/** What a contract, and one token of it, say about themselves; empty where they say nothing. */
type Description = {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | undefined;
  readonly uri: string;
  readonly text: string;
};

export type Describe = (asset: Asset) => Description;
export type Descriptions = (context: Context, assets: readonly Asset[]) => Promise<Describe>;

const nothing: Description = { name: '', symbol: '', decimals: undefined, uri: '', text: '' };

/** Looked up for all assets of an answer at once. */
export const createDescriptions =
  (readModels: ReadModels): Descriptions =>
  async (context, assets) => {
    const scope = scopeFor(context);
    const distinct = [...new Map(assets.map((asset) => [assetKey(asset), asset])).values()];
    const idsOf = distinct.map((asset) => ({
      contract: 'contract' in asset ? asset.contract : '',
      token: 'tokenId' in asset ? tokenKey(asset.contract, asset.tokenId) : '',
    }));
    const [described, told] = await Promise.all([
      readModels.getMany(
        contracts,
        idsOf.map(({ contract }) => ({ scope, id: contract })),
      ),
      readModels.getMany(
        tokens,
        idsOf.map(({ token }) => ({ scope, id: token })),
      ),
    ]);
    const known = new Map(
      distinct.map((asset, i) => [assetKey(asset), { ...nothing, ...described[i]?.description, ...told[i] }]),
    );
    return (asset) => known.get(assetKey(asset)) ?? nothing;
  };
