import type { Balance, Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { holdingKey } from '../../domain/aggregates/ledger/observation.js';
import { distinct } from '../../domain/aggregates/ledger.js';
import { type Asset, type ImportedToken, isNumbered } from '../../domain/asset.js';
import { type AddressDocument, addressImports } from '../../projections/addresses.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import type { ContractDocument } from '../../projections/contracts.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Handle, scopeFor } from '../commands/handle.js';
import type { Header } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { tokensOfAddress } from '../read-models/address-tokens.js';
import { areHeld } from './assets.js';
import { awaitBalances, readBalances } from './balance-ledger.js';
import type { Contracts } from './contracts.js';

type Ports = {
  readonly readModels: ReadModels;
  readonly contracts: Contracts;
  readonly chains: Chains;
  readonly system: Pick<System, 'breathe'>;
};

/**
 * Maximum numbers of addresses and of balances that are read together, as one part. A part with a single address may
 * have more balances.
 */
export const partSize = { addresses: 100, balances: 500 };

type Wanted = {
  readonly walletId: string;
  readonly holdings: readonly Holding[];
  readonly at: Header;
  /** Hash of the chain's genesis block. */
  readonly chain: string;
  /**
   * True when stored balances that were read at greater heights are overwritten too, because their blocks were
   * replaced.
   */
  readonly correction?: boolean;
};

const pageSize = 1000;

/**
 * Returns the tokens for which the address has a stored balance. Needed for tokens with ids (ERC-721, ERC-1155),
 * because a node cannot list the tokens that an address holds.
 */
const knownTokens = async (
  { readModels, system }: Ports,
  context: Context,
  address: string,
  standard: Asset['standard'],
) => {
  const found: Asset[] = [];
  let after: PageKey | undefined;
  do {
    const query = { index: 'byAddress', equal: [address, standard], limit: pageSize, after };
    const page = await readModels.page(assets, scopeFor(context), query);
    found.push(...page.documents.map(({ asset }) => asset));
    after = page.next ?? undefined;
    if (after) await system.breathe();
  } while (after);
  return found;
};

const tokenOf = ({ standard, contract }: ContractDocument): ImportedToken[] =>
  standard === 'token' ? [{ standard, contract }] : [];

/** Returns a function that lists the assets of an address for which balances are to be read. */
const createAssetLists = async (ports: Ports, context: Context, standard: Asset['standard']) => {
  if (standard !== 'native' && standard !== 'erc20')
    return ({ address }: AddressDocument) => knownTokens(ports, context, address, standard);
  const registered = await ports.contracts.list(context);
  if (standard === 'native') {
    const tokens = registered.flatMap(tokenOf);
    const scope = scopeFor(context);
    const canImport = context.variant.can.includes('token-import');
    return async (document: AddressDocument): Promise<readonly Asset[]> => {
      const imported = canImport ? await tokensOfAddress(ports, addressImports, scope, document) : [];
      return [{ standard }, ...imported.map(({ asset }) => asset), ...tokens];
    };
  }
  const followed = registered.filter((one) => one.standard === standard);
  const tokens = followed.map(({ contract }) => ({ standard, contract }));
  return async (): Promise<readonly Asset[]> => tokens;
};

/**
 * Takes addresses from the start of `addresses`, as long as the taken addresses have at most `maxBalances` balances
 * together. Returns the taken addresses and their balances to read. Takes at least one address, however many balances
 * it has.
 */
export const takeHoldings = async (
  ports: Ports,
  context: Context,
  { addresses, standard }: { readonly addresses: readonly AddressDocument[]; readonly standard: Asset['standard'] },
  maxBalances = Number.POSITIVE_INFINITY,
) => {
  const assetsOf = await createAssetLists(ports, context, standard);
  const holdings: Holding[] = [];
  const taken: AddressDocument[] = [];
  for (const document of addresses) {
    const held = await assetsOf(document);
    if (taken.length > 0 && holdings.length + held.length > maxBalances) break;
    for (const asset of held) holdings.push({ address: document.address, asset });
    taken.push(document);
  }
  return { addresses: taken, holdings: distinct(holdings) };
};

/**
 * Yields the balances to read of all `addresses`, at most `partSize.balances` at a time, so that a wallet with many
 * tokens takes bounded memory.
 */
export const holdingParts = async function* (
  ports: Ports,
  context: Context,
  { addresses, standard }: { readonly addresses: readonly AddressDocument[]; readonly standard: Asset['standard'] },
): AsyncGenerator<readonly Holding[]> {
  const assetsOf = await createAssetLists(ports, context, standard);
  let part: Holding[] = [];
  for (const document of addresses)
    for (const some of slicesOf(await assetsOf(document), partSize.balances)) {
      const held = some.map((asset) => ({ address: document.address, asset }));
      if (part.length + held.length > partSize.balances) {
        yield distinct(part);
        part = [];
      }
      part.push(...held);
    }
  if (part.length > 0) yield distinct(part);
};

/** Reads balances of one slice and returns the balances that differ from the read models. */
const readSlice = async (ports: Ports, context: Context, wanted: Wanted): Promise<Balance[]> => {
  const { walletId, holdings, at, chain, correction = false } = wanted;
  const balances = await readBalances(ports.chains.of(context.variant), holdings, at);
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
    // The first balance of an address is recorded even if it is zero for the chain's own coin and for ERC-20 tokens, and
    // for other tokens only if it is not zero.
    if (!before && balance === '0' && (isNumbered(asset.standard) || asset.standard === 'token')) return false;
    if (!before || !shown.has(before) || before.chain !== chain) return true;
    return before.balance !== balance && (correction || before.block_number <= at.number);
  });
};

/**
 * Reads balances and returns the balances that differ from the read models. Yields to the event loop between slices.
 */
export const readChangedBalances = async (ports: Ports, context: Context, wanted: Wanted): Promise<Balance[]> => {
  const changed: Balance[] = [];
  for (const holdings of slicesOf(wanted.holdings, partSize.balances)) {
    for (const balance of await readSlice(ports, context, { ...wanted, holdings })) changed.push(balance);
    await ports.system.breathe();
  }
  return changed;
};

/** Returns the balances that are in only one of two readings. */
const differing = (some: readonly Balance[], others: readonly Balance[]): readonly Holding[] => {
  const keyOf = (one: Balance) => `${holdingKey(one)} ${one.balance}`;
  const [ofSome, ofOthers] = [new Set(some.map(keyOf)), new Set(others.map(keyOf))];
  return distinct([...some, ...others].filter((one) => ofSome.has(keyOf(one)) !== ofOthers.has(keyOf(one))));
};

/**
 * Has balances that changed between the block `at` and the head read again when the head is confirmed, because the
 * follower may have read the blocks in between before the contract was registered. `balances` are the changed balances
 * at `at`.
 */
export const awaitRecentChanges = async (
  ports: Ports & { readonly handle: Handle },
  context: Context,
  { balances, head, ...wanted }: Wanted & { readonly balances: readonly Balance[]; readonly head: Header },
): Promise<void> => {
  if (head.number === wanted.at.number) return;
  const atHead = await readChangedBalances(ports, context, { ...wanted, at: head });
  const { walletId, chain } = wanted;
  const holdings = differing(balances, atHead);
  if (holdings.length > 0) await awaitBalances(ports.handle, context, { walletId, chain, at: head, holdings });
};
