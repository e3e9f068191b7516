import type { ImportedToken } from '../../domain/asset.js';
import type { AddressDocument } from '../../projections/addresses.js';
import type { Contracts } from '../assets/contracts.js';
import type { Context } from '../commands/handle.js';
import type { BlockEntry } from '../following/block-entries.js';
import { entriesOf } from '../following/block-entries.js';
import type { Block, Interest, TokenAccount } from '../ports/chain.js';

/** View of a chain through one address, as a follower has it that knows no other address. */
export type ImportedAddress = {
  readonly interest: Interest;
  /** Returns what a block has of the address; null if it has nothing. */
  entryIn(block: Block): BlockEntry | null;
};

type Claim = { readonly asset: ImportedToken; readonly account: string };

export const importedAddress = async (
  contracts: Pick<Contracts, 'list'>,
  context: Context,
  held: AddressDocument,
): Promise<ImportedAddress> => {
  const { address, wallet_id: walletId, imports = [], accounts = [] } = held;
  const { organizationId } = context;
  const standards = new Map((await contracts.list(context)).map(({ contract, standard }) => [contract, standard]));
  const imported = new Set(imports.map(({ asset }) => asset.contract));
  const isFollowed = (contract: string) => standards.has(contract) || imported.has(contract);
  const claims: readonly Claim[] = [
    ...imports.flatMap(({ asset, account }) => (account === undefined ? [] : [{ asset, account }])),
    ...accounts.filter(({ asset }) => isFollowed(asset.contract)),
  ];
  const tokenAccounts = (account: string): readonly TokenAccount[] => [
    ...new Map(
      claims.filter((one) => one.account === account).map(({ asset }) => [asset.contract, { owner: address, asset }]),
    ).values(),
  ];
  return {
    interest: { address: (one) => one === address, contract: isFollowed, tokenAccounts },
    entryIn: (block) => {
      const [entry] = entriesOf(block, {
        holdersAt: (one) => (one === address ? [{ organizationId, walletId }] : []),
        isImported: (_, one, contract) => one === address && imported.has(contract),
        standardOf: (_, contract) => standards.get(contract),
      });
      return entry ?? null;
    },
  };
};
