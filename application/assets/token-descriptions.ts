import { type Asset, assetKey } from '../../domain/asset.js';
import { contracts } from '../../projections/contracts.js';
import { tokenKey, tokens } from '../../projections/tokens.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';

/** Description of a contract and, for a token with an id, of the token. Missing parts are empty. */
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

/** Creates a function that reads the descriptions of all assets of a response in two queries. */
export const createDescriptions =
  (readModels: ReadModels): Descriptions =>
  async (context, assets) => {
    const scope = scopeFor(context);
    const distinct = [...new Map(assets.map((asset) => [assetKey(asset), asset])).values()];
    const idsOf = distinct.map((asset) => ({
      contract: 'contract' in asset ? asset.contract : '',
      token: 'contract' in asset ? tokenKey(asset.contract, 'tokenId' in asset ? asset.tokenId : '') : '',
    }));
    const [contractDocuments, tokenDocuments] = await Promise.all([
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
        const { description, ...token } = tokenDocuments[i] ?? {};
        return [assetKey(asset), { ...nothing, ...contractDocuments[i]?.description, ...description, ...token }];
      }),
    );
    return (asset) => known.get(assetKey(asset)) ?? nothing;
  };
