import type { Balance, Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { distinct } from '../../domain/aggregates/ledger.js';
import { type Asset, type ImportedToken, isNumbered } from '../../domain/asset.js';
import type { AddressDocument } from '../../projections/addresses.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import type { ContractDocument } from '../../projections/contracts.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Header } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import { areHeld } from './assets.js';
import { readBalances } from './balance-ledger.js';
import type { Contracts } from './contracts.js';

type Ports = { readonly readModels: ReadModels; readonly contracts: Contracts; readonly chains: Chains };

type Wanted = {
  readonly walletId: string;
  readonly standard: Asset['standard'];
  readonly addresses: readonly AddressDocument[];
  readonly at: Header;
  /** Hash of the chain's genesis block. */
  readonly chain: string;
  /** Tokens found by a search, which are read in addition to those seen so far. */
  readonly received?: readonly Holding[];
  /** True when stored balances of greater heights are overwritten too, because their blocks were replaced. */
  readonly correction?: boolean;
};

const pageSize = 1000;

/** Returns the tokens of an address seen so far. A node cannot list tokens that have ids. */
const knownTokens = async (readModels: ReadModels, context: Context, address: string, standard: Asset['standard']) => {
  const found: Asset[] = [];
  let after: PageKey | undefined;
  do {
    const query = { index: 'byAddress', equal: [address, standard], limit: pageSize, after };
    const page = await readModels.page(assets, scopeFor(context), query);
    found.push(...page.documents.map(({ asset }) => asset));
    after = page.next ?? undefined;
  } while (after);
  return found;
};

const tokenOf = ({ standard, contract }: ContractDocument): ImportedToken[] =>
  standard === 'token' ? [{ standard, contract }] : [];

const holdingsOf = async ({ readModels, contracts }: Ports, context: Context, wanted: Wanted) => {
  const { addresses, standard, received = [] } = wanted;
  const holdings: Holding[] = [...received];
  const add = (address: string, held: readonly Asset[]) => {
    for (const asset of held) holdings.push({ address, asset });
  };
  if (standard === 'native') {
    const registered = (await contracts.list(context)).flatMap(tokenOf);
    for (const { address, imports = [] } of addresses)
      add(address, [{ standard }, ...imports.map(({ asset }) => asset), ...registered]);
  } else if (standard === 'erc20') {
    const followed = (await contracts.list(context)).filter((one) => one.standard === standard);
    const tokens = followed.map(({ contract }) => ({ standard, contract }));
    for (const { address } of addresses) add(address, tokens);
  } else for (const { address } of addresses) add(address, await knownTokens(readModels, context, address, standard));
  return distinct(holdings);
};

/** Reads balances and returns those that differ from the read models. */
export const readChangedBalances = async (ports: Ports, context: Context, wanted: Wanted): Promise<Balance[]> => {
  const { walletId, at, chain, correction = false } = wanted;
  const balances = await readBalances(ports.chains.of(context.variant), await holdingsOf(ports, context, wanted), at);
  const keys = balances.map(({ address, asset }) => ({
    scope: scopeFor(context),
    id: assetDocumentId(walletId, address, asset),
  }));
  const known = await ports.readModels.getMany(assets, keys);
  const documents = known.filter((one) => one !== null);
  const held = await areHeld(ports.readModels, context, documents);
  const shown = new Set(documents.filter((_, i) => held[i]));
  return balances.filter(({ asset, balance }, i) => {
    const before = known[i];
    // A zero balance of a token that was never shown is not worth recording.
    if (!before && balance === '0' && (isNumbered(asset.standard) || asset.standard === 'token')) return false;
    if (!before || !shown.has(before) || before.chain !== chain) return true;
    return before.balance !== balance && (correction || before.block_number <= at.number);
  });
};
