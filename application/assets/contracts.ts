import { contract } from '../../domain/aggregates/contract.js';
import type { RegisteredStandard } from '../../domain/asset.js';
import { invalid } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { type ContractDocument, contracts } from '../../projections/contracts.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor, step } from '../commands/handle.js';
import { hasWritten } from '../commands/own-events.js';
import type { Chains } from '../ports/chains.js';
import { type Streams, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { AddressParser } from '../wallets/address-parser.js';

export type Contracts = {
  /** Registers a contract. Rejects a contract that does not implement its standard. */
  register(context: Context, address: string, standard: RegisteredStandard): Promise<Done<Nothing>>;
  remove(context: Context, address: string): Promise<Done<Nothing>>;
  list(context: Context): Promise<ContractDocument[]>;
};

const pageSize = 1000;

export const contractKey = ({ tag }: Variant, address: string) => `${tag}.${address}`;

export const createContracts = (ports: {
  handle: Handle;
  events: Streams;
  readModels: ReadModels;
  addressParser: AddressParser;
  chains: Chains;
  system: System;
}): Contracts => {
  const { handle, readModels, addressParser, chains, system } = ports;
  const pathIn = ({ variant }: Context) =>
    variant.can.includes('token-import') ? '/token_address' : '/contract_address';
  const parse = (context: Context, text: string) => {
    if (!context.variant.can.includes('token-import'))
      return addressParser.parse(context, [{ text, path: pathIn(context) }])[0]?.[0] ?? '';
    const asset = addressParser.asset(context, text);
    return asset.standard === 'token'
      ? asset.contract
      : invalid(pathIn(context), "names the chain's own coin, which needs no registration");
  };

  return {
    register: async (context, text, standard) => {
      const address = parse(context, text);
      await addressParser.checkNetwork(context, [{ text, path: pathIn(context) }]);
      const stream = streamName(context.organizationId, contract.stream, contractKey(context.variant, address));
      if (await hasWritten(ports, context, stream)) return { answer: {}, position: await ports.events.head() };
      const description = await chains.of(context.variant).contract(address, standard);
      const data = { contract: address, standard, description };
      const position = await handle(context, [
        step(contract, context.organizationId, contractKey(context.variant, address), { type: 'Register', data }),
      ]);
      return { answer: {}, position };
    },
    remove: async (context, text) => {
      const data = { contract: parse(context, text) };
      const position = await handle(context, [
        step(contract, context.organizationId, contractKey(context.variant, data.contract), { type: 'Remove', data }),
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
        if (after) await system.breathe();
      } while (after);
      return found;
    },
  };
};
