import { type AddressDocument, addressImports, tokenAccounts } from '../../projections/addresses.js';
import type { Contracts } from '../assets/contracts.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { BlockEntry } from '../following/block-entries.js';
import { entriesOf } from '../following/block-entries.js';
import type { Block, Interest, TokenAccount } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { tokensOfAddress } from '../read-models/address-tokens.js';

/** View of a chain that is limited to one address, like the view of a follower that watches no other address. */
export type ImportedAddress = {
  readonly interest: Interest;
  /**
   * Returns the transfers of the address in a block, and its balances that the block may have changed; null if there
   * are none.
   */
  entryIn(block: Block): BlockEntry | null;
};

type Ports = {
  readonly contracts: Pick<Contracts, 'list'>;
  readonly readModels: ReadModels;
  readonly system: Pick<System, 'breathe'>;
};

export const importedAddress = async (
  ports: Ports,
  context: Context,
  held: AddressDocument,
): Promise<ImportedAddress> => {
  const { address, wallet_id: walletId } = held;
  const { organizationId } = context;
  const imports = await tokensOfAddress(ports, addressImports, scopeFor(context), held);
  const accounts = await tokensOfAddress(ports, tokenAccounts, scopeFor(context), held);
  const standards = new Map(
    (await ports.contracts.list(context)).map(({ contract, standard }) => [contract, standard]),
  );
  const imported = new Set(imports.map(({ asset }) => asset.contract));
  const isFollowed = (contract: string) => standards.has(contract) || imported.has(contract);
  const claims = [...imports, ...accounts.filter(({ asset }) => isFollowed(asset.contract))];
  const ownersOf = (account: string): readonly TokenAccount[] => [
    ...new Map(
      claims.filter((one) => one.account === account).map(({ asset }) => [asset.contract, { owner: address, asset }]),
    ).values(),
  ];
  return {
    interest: { address: (one) => one === address, contract: isFollowed, tokenAccounts: ownersOf },
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
