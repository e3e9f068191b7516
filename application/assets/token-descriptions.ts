import { type Asset, assetKey } from '../../domain/asset.js';
import { contracts } from '../../projections/contracts.js';
import { tokenKey, tokens } from '../../projections/tokens.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';

/** Description of a contract and of one of its tokens; empty where they give none. */
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

/** Looks up the descriptions of all assets of an answer at once. */
export const createDescriptions =
  (readModels: ReadModels): Descriptions =>
  async (context, assets) => {
    const scope = scopeFor(context);
    const distinct = [...new Map(assets.map((asset) => [assetKey(asset), asset])).values()];
    const idsOf = distinct.map((asset) => ({
      contract: 'contract' in asset ? asset.contract : '',
      token: 'contract' in asset ? tokenKey(asset.contract, 'tokenId' in asset ? asset.tokenId : '') : '',
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
      distinct.map((asset, i) => {
        const { description, ...token } = told[i] ?? {};
        return [assetKey(asset), { ...nothing, ...described[i]?.description, ...description, ...token }];
      }),
    );
    return (asset) => known.get(assetKey(asset)) ?? nothing;
  };
