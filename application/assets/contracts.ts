import type { TokenStandard } from '../../domain/asset.js';
import { contract } from '../../domain/contract.js';
import { type ContractDocument, contracts } from '../../projections/contracts.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor, step } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { AddressBook } from '../wallets/address-parser.js';

export type Contracts = {
  /** Refused when the contract does not answer as one of its standard. */
  register(context: Context, address: string, standard: TokenStandard): Promise<Done<Nothing>>;
  remove(context: Context, address: string): Promise<Done<Nothing>>;
  list(context: Context): Promise<ContractDocument[]>;
};

const pageSize = 1000;

export const createContracts = (ports: {
  handle: Handle;
  readModels: ReadModels;
  addressBook: AddressBook;
  chains: Chains;
}): Contracts => {
  const { handle, readModels, addressBook, chains } = ports;
  const parse = (context: Context, text: string) =>
    addressBook.parse(context, [{ text, path: '/contract_address' }])[0]?.[0] ?? '';
  const keyOf = ({ variant }: Context, address: string) => `${variant.tag}.${address}`;

  return {
    register: async (context, text, standard) => {
      const address = parse(context, text);
      const description = await chains.of(context.variant).contract(address, standard);
      const data = { contract: address, standard, description };
      const position = await handle(context, [
        step(contract, context.organizationId, keyOf(context, address), { type: 'Register', data }),
      ]);
      return { answer: {}, position };
    },
    remove: async (context, text) => {
      const data = { contract: parse(context, text) };
      const position = await handle(context, [
        step(contract, context.organizationId, keyOf(context, data.contract), { type: 'Remove', data }),
      ]);
      return { answer: {}, position };
    },
    list: async (context) => {
      const found: ContractDocument[] = [];
      let after: Parameters<typeof readModels.page>[2]['after'];
      do {
        const query = { index: 'byRegistered', equal: ['yes'], limit: pageSize, after };
        const page = await readModels.page(contracts, scopeFor(context), query);
        found.push(...page.documents);
        after = page.next ?? undefined;
      } while (after);
      return found;
    },
  };
};
