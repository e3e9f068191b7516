import { type Asset, assetKey } from '../../domain/asset.js';
import { fail, invalid } from '../../domain/failure.js';
import type { Family } from '../../domain/variant.js';
import { registrations } from '../../projections/statements/registrations.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { breathingReads } from '../read-models/breathing-reads.js';
import { takePage } from '../read-models/merged-page.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { Listed, PageRequest } from '../read-models/paging.js';
import { type AddressParser, singleAddress } from '../wallets/address-parser.js';
import { type ActivityBlock, createActivity } from './activity.js';
import { createBalances } from './balances.js';
import { createCutOffs } from './cut-off.js';
import { documentsBy } from './documents-by.js';
import { createAddressEntries, type Entry, isInTransit, type Line, type Period } from './lines.js';
import { movementsIn, type Selection, type StatementMovement } from './movements.js';

type StatementRequest = {
  readonly walletId: string | undefined;
  readonly address: string | undefined;
  /** Standard of the selected assets; all assets if absent. */
  readonly standard: Asset['standard'] | undefined;
  readonly contract: string | undefined;
  readonly token: string | undefined;
  /** Start and end of the period, in Unix seconds. */
  readonly startTime: number;
  readonly endTime: number;
  /** False if the nodes are known to be unreachable: the period is then found without nodes. Default: true. */
  readonly asksNodes?: boolean;
};

type StatementPage = {
  readonly period: Period;
  /**
   * Lines of all addresses on the first page; empty on later pages. Lines beyond `linesHeld` are read while the list is
   * iterated.
   */
  readonly lines: Listed<Line>;
  readonly movements: readonly StatementMovement[];
  readonly nextPageToken: string;
};

export type Statements = {
  /** Returns the statement with one page of its movements, newest first. */
  page(context: Context, request: StatementRequest, page: PageRequest): Promise<StatementPage>;
  /**
   * Returns the whole statement, address by address. The movements of each address are listed oldest first.
   */
  whole(context: Context, request: StatementRequest): Promise<Whole>;
};
export type Whole = {
  readonly family: Family;
  readonly wallet: WalletDocument;
  readonly period: Period;
  /** Entries in batches of any length. */
  readonly entries: AsyncGenerator<readonly Entry[]>;
};

/**
 * Maximum number of lines that are read before the response begins. Further lines are read while the response is
 * written.
 */
const linesHeld = 1000;
const addressesAtOnce = 100;

type Prepared = {
  readonly wallet: WalletDocument;
  readonly address: string | undefined;
  readonly period: Period;
  readonly selection: Selection;
};

type Ports = {
  readonly readModels: ReadModels;
  readonly addressParser: AddressParser;
  readonly pageTokens: PageTokens;
  readonly chains: Pick<Chains, 'find' | 'familyOf'>;
  readonly system: Pick<System, 'breathe'>;
};

/** Selects assets by standard, contract or token address. */
const assetFilter = (
  standard: Asset['standard'] | undefined,
  contract: string | undefined,
  token: Asset | undefined,
) => {
  if (token) return (asset: Asset) => assetKey(asset) === assetKey(token);
  return (asset: Asset) =>
    // Imported tokens have the same asset type as the chain's own coin, so a filter by `native` includes them.
    (standard === undefined || asset.standard === standard || (standard === 'native' && asset.standard === 'token')) &&
    (contract === undefined || ('contract' in asset && asset.contract === contract));
};

/**
 * Creates a function that converts the parts of a request to their stored forms, and finds the wallet and the period.
 */
const createPrepare = ({ readModels, addressParser, chains }: Ports) => {
  const cutOffs = createCutOffs({ chains, readModels });
  const stored = (context: Context, text: string | undefined, path: string) =>
    text === undefined ? undefined : addressParser.parse(context, [{ text, path }])[0]?.[0];
  const walletIdOf = async (
    context: Context,
    { walletId, address }: Pick<StatementRequest, 'walletId' | 'address'>,
  ) => {
    if (address === undefined) return walletId;
    const query = { index: 'byAddress', equal: [address], limit: addressesAtOnce };
    const { documents } = await readModels.page(registrations, scopeFor(context), query);
    const held = documents.filter(({ wallet_id }) => walletId === undefined || wallet_id === walletId);
    const latest = held.toSorted(
      (a, b) => Date.parse(b.last_time) - Date.parse(a.last_time) || b.position - a.position,
    )[0];
    return latest?.wallet_id ?? fail('NOT_FOUND', `Address was never registered in this wallet API: ${address}`);
  };
  return async (context: Context, request: StatementRequest): Promise<Prepared> => {
    const { startTime, endTime, standard, token, asksNodes = true } = request;
    if (startTime > endTime) invalid('/start_time', 'must not be after end_time');
    const address = stored(context, request.address, singleAddress('')[0]?.path ?? '');
    const contract = stored(context, request.contract, '/contract_address');
    const asset = token === undefined ? undefined : addressParser.asset(context, token);
    const walletId = (await walletIdOf(context, { walletId: request.walletId, address })) ?? '';
    const found = await readModels.get(wallets, { scope: scopeFor(context), id: walletId });
    const wallet = found ?? fail('NOT_FOUND', `Wallet not found: ${walletId}`);
    const [start, end] = await Promise.all(
      [startTime, endTime].map((time) => cutOffs(context, walletId, time, asksNodes)),
    );
    if (!start || !end) throw new Error('A statement needs the start and the end of its period.');
    const showsFailed = context.variant.transferForm !== 'confirmed';
    const hasAsset = assetFilter(standard, contract, asset);
    return { wallet, address, period: { start, end }, selection: { address, hasAsset, showsFailed } };
  };
};

/** Place of a movement, as in page tokens: its block and its index within the block. */
type Place = Pick<ActivityBlock, 'time' | 'number'> & { readonly index: number };
const placeKey = ({ time, number, index }: Place): PageKey => [time, JSON.stringify([number, index])];
const readPlace = ([time, text]: PageKey): Place => {
  const [number, index] = JSON.parse(text) as [number, number];
  return { time: Number(time), number, index };
};
const placed = ({ time, number }: ActivityBlock, movements: readonly StatementMovement[]) =>
  movements.map((movement, index) => ({ movement, time, number, index }));
/** Returns the index of the first movement of a block that follows a place. */
const firstIndex = ({ number }: ActivityBlock, after: Place | null) => {
  if (after === null || number < after.number) return 0;
  return number === after.number ? after.index + 1 : Number.POSITIVE_INFINITY;
};

/**
 * Reads up to `held` items. If there are more, returns a list that reads the other items while the list is iterated.
 */
const heldOrUnread = async <T>(items: AsyncGenerator<T>, held: number): Promise<Listed<T>> => {
  const first: T[] = [];
  for (let next = await items.next(); !next.done; next = await items.next()) {
    first.push(next.value);
    if (first.length < held) continue;
    return (async function* () {
      yield first;
      for await (const one of items) yield [one];
    })();
  }
  return first;
};

export const createStatements = (given: Ports): Statements => {
  // A statement of many addresses takes thousands of reads.
  const readModels = breathingReads(given.readModels, given.system);
  const ports = { ...given, readModels };
  const { pageTokens } = ports;
  const activity = createActivity(ports);
  const balances = createBalances({ ...ports, activity });
  const entriesOf = createAddressEntries({ readModels, activity, balances });
  const prepare = createPrepare(ports);

  /** Yields the addresses that the wallet has or had, in the order of their registration. */
  const addressesOf = async function* (context: Context, { wallet, address }: Prepared): AsyncGenerator<string> {
    if (address !== undefined) return void (yield address);
    const query = { index: 'byWallet', equal: [wallet.wallet_id], oldestFirst: true };
    for await (const one of documentsBy(readModels, context, registrations, query)) yield one.address;
  };
  const allEntries = async function* (context: Context, prepared: Prepared): AsyncGenerator<readonly Entry[]> {
    const { wallet, period, selection } = prepared;
    for await (const address of addressesOf(context, prepared))
      yield* entriesOf(context, { wallet, address, period, selection: { ...selection, address } });
  };
  const allLines = async function* (context: Context, prepared: Prepared) {
    for await (const batch of allEntries(context, prepared))
      for (const entry of batch) if (entry.kind === 'line') yield entry.line;
  };

  /** Yields the movements of the period, newest first, after the place that a page token names. */
  const movementsAfter = async function* (context: Context, prepared: Prepared, after: Place | null) {
    const { wallet, address, period, selection } = prepared;
    const from = { ...period.end, time: after?.time ?? period.end.time };
    for await (const block of activity(context, { walletId: wallet.wallet_id, address, from, direction: 'back' })) {
      if (block.number <= period.start.number) return;
      if (block.number > period.end.number) continue;
      const isPending = isInTransit(context.variant, wallet, period, block.number);
      yield* placed(block, movementsIn(block, selection, isPending)).slice(firstIndex(block, after));
    }
  };

  return {
    page: async (context, request, { size, token }) => {
      const prepared = await prepare(context, request);
      const list = [scopeFor(context), 'statement', JSON.stringify(request)];
      const key = pageTokens.read(list, token);
      const found = movementsAfter(context, prepared, key ? readPlace(key) : null);
      const { documents, next } = await takePage(found, size, placeKey);
      return {
        period: prepared.period,
        lines: key ? [] : await heldOrUnread(allLines(context, prepared), linesHeld),
        movements: documents.map(({ movement }) => movement),
        nextPageToken: pageTokens.write(list, next),
      };
    },
    whole: async (context, request) => {
      const prepared = await prepare(context, request);
      const { wallet, period } = prepared;
      const family = ports.chains.familyOf(context.variant);
      return { family, wallet, period, entries: allEntries(context, prepared) };
    },
  };
};
