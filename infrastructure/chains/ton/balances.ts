import { slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import { Failure } from '../../../domain/failure.js';
import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import type { StateTime } from './get-methods.js';
import type { Node, Query } from './http-transport.js';
import { isOf, readWalletData } from './jettons/jetton-identity.js';
import type { Jettons } from './jettons/jettons.js';
import { lastSeqno } from './masterchain.js';
import type { Nodes } from './nodes.js';
import { address, decimal } from './wire.js';

/** Logical time of a transaction, and seqno of the masterchain block that committed it. */
export type SeenAt = { readonly lt: bigint; readonly seqno: number };
/** Returns when an account's last transaction was seen; undefined if none was. */
export type LastSeen = (account: string) => SeenAt | undefined;

/** Accounts per request. Keeps the URL short enough for every proxy. */
const accountsPerRequest = 64;
const rawAddress = /^(?:0|-1):[0-9a-f]{64}$/;

/**
 * Contract that holds a balance: the account itself for coins, a jetton wallet for jettons. Null if there is none to
 * query.
 */
type Place = { readonly account: string; readonly kind: 'account' | 'wallet' } | null;

const placeOf = async (node: Node, jettons: Jettons, { address: owner, asset }: Holding): Promise<Place> => {
  if (!rawAddress.test(owner)) return null;
  if (asset.standard === 'native') return { account: owner, kind: 'account' };
  if (asset.standard !== 'token') return null;
  const account = await jettons.walletOf(node, asset.contract, owner);
  return account === null ? null : { account, kind: 'wallet' };
};

/**
 * Rejects the state of an index that lacks a transaction already seen. Indexes keep only the newest state, and one of
 * several servers behind one URL may lag.
 */
const checkAge = (account: string, found: Raw | undefined, lastSeen: LastSeen) => {
  const seen = lastSeen(account);
  if (seen === undefined) return;
  const at = found ? BigInt(decimal(found.last_transaction_lt ?? '0', 'the last time of an account')) : -1n;
  if (at < seen.lt) throw new NodeFault('missing', 'does not have the last transaction of an account yet');
};

const askAll = async (node: Node, path: string, field: string, query: Query): Promise<ReadonlyMap<string, Raw>> => {
  const answer = await nullIfMissing(node.get(path, query));
  const found = list(answer?.[field] ?? [], 'the accounts').map((one) => record(one, 'an account'));
  return new Map(found.map((one) => [address(one.address, 'an address'), one]));
};

const readStates = async (node: Node, accounts: readonly string[], lastSeen: LastSeen) => {
  const states = await askAll(node, 'accountStates', 'accounts', { address: accounts, include_boc: false });
  for (const account of accounts) checkAge(account, states.get(account), lastSeen);
  return states;
};

const balanceIn = (state: Raw | undefined) => decimal(state?.balance ?? '0', 'a balance');

/**
 * Masterchain blocks (about 50 seconds) after which the result of a get method without a state time is accepted. Servers
 * behind one index do not lag that much.
 */
const maxLagBlocks = 128;

/** Marks a balance that may be older than the last seen transaction. */
const stale = Symbol('stale');
/** Balance of an account. A jetton wallet also names its owner and its jetton master. */
type Held = { readonly balance: string; readonly owner?: string; readonly master?: string };
type Found = Held | null | typeof stale;
/** Index server to query, the seqno of its last block, and the last transaction seen of each account. */
type Asked = { readonly node: Node; readonly head: number; readonly lastSeen: LastSeen };

const heldIn = (row: Raw): Held => ({
  balance: balanceIn(row),
  owner: address(row.owner, 'the owner of a jetton wallet'),
  master: address(row.jetton, 'a jetton'),
});

const isFresh = (row: Raw, state: Raw | undefined, seen: SeenAt | undefined) =>
  row.data_hash === state?.data_hash ||
  (seen !== undefined && BigInt(decimal(row.last_transaction_lt ?? '0', 'the last time of an account')) >= seen.lt);

/** Returns whether a get method ran on a state older than the last seen transaction. Servers behind one index may differ. */
const isStale = ({ lt, seqno }: StateTime, head: number, seen: SeenAt | undefined) => {
  if (!seen) return false;
  if (lt !== undefined) return BigInt(lt) < seen.lt;
  return seqno === undefined ? head < seen.seqno + maxLagBlocks : seqno < seen.seqno;
};

/**
 * Reads a jetton balance from the index, or from the wallet itself if the index row is older than the wallet's state.
 * Null if the contract is not a jetton wallet.
 */
const jettonBalance = async (
  { node, head, lastSeen }: Asked,
  account: string,
  state: Raw | undefined,
  row: Raw | undefined,
): Promise<Found> => {
  const seen = lastSeen(account);
  if (row && isFresh(row, state, seen)) return heldIn(row);
  // A wallet that was never used or was destroyed holds nothing.
  if (state?.status !== 'active') return { balance: '0' };
  const data = await readWalletData(node, account);
  return data && isStale(data.time, head, seen) ? stale : data;
};

type Asker = (asked: Asked, accounts: readonly string[]) => Promise<readonly Found[]>;

const askers: Readonly<Record<NonNullable<Place>['kind'], Asker>> = {
  account: async ({ node, lastSeen }, accounts) => {
    const states = await readStates(node, accounts, lastSeen);
    return accounts.map((account) => ({ balance: balanceIn(states.get(account)) }));
  },
  wallet: async (asked, accounts) => {
    const { node, lastSeen } = asked;
    const states = await readStates(node, accounts, lastSeen);
    const rows = await askAll(node, 'jetton/wallets', 'jetton_wallets', { address: accounts, limit: accounts.length });
    return Promise.all(
      accounts.map((account) => jettonBalance(asked, account, states.get(account), rows.get(account))),
    );
  },
};

/** Returns the balance of the holding; null if the jetton wallet has another owner or another jetton. */
const balanceFor = ({ address: owner, asset }: Holding, held: Found | undefined) => {
  if (!held || held === stale) return held ?? null;
  const { balance, owner: named, master } = held;
  if (named === undefined || master === undefined || asset.standard !== 'token') return balance;
  return isOf({ owner: named, master }, { owner, asset }) ? balance : null;
};

const readSome = async (node: Node, jettons: Jettons, lastSeen: LastSeen, holdings: readonly Holding[], at: Header) => {
  const head = await lastSeqno(node);
  if (head < at.number) throw new NodeFault('missing', 'does not have the block yet');
  const places = await Promise.all(holdings.map((holding) => placeOf(node, jettons, holding)));
  const found = new Map<string, Found>();
  for (const kind of ['account', 'wallet'] as const) {
    const accounts = [...new Set(places.flatMap((place) => (place?.kind === kind ? [place.account] : [])))];
    const read = accounts.length > 0 ? await askers[kind]({ node, head, lastSeen }, accounts) : [];
    for (const [i, account] of accounts.entries()) found.set(`${kind} ${account}`, read[i] ?? null);
  }
  return places.map((place, i) =>
    place ? balanceFor(holdings[i] as Holding, found.get(`${place.kind} ${place.account}`)) : null,
  );
};

const nullIfUnanswered = (error: unknown): null => {
  if (error instanceof Failure && error.code === 'NODE_ERROR') return null;
  throw error;
};

/**
 * Reads balances as of that block or a later one, because an index keeps no older states. The block of a later change
 * causes another read.
 */
export const readBalances = async (
  nodes: Nodes,
  jettons: Jettons,
  lastSeen: LastSeen,
  holdings: readonly Holding[],
  at: Header,
): Promise<readonly (string | null)[]> => {
  /** Reads one balance alone, so that no other waits for it; null if it stays older than the last seen transaction. */
  const readAgain = (holding: Holding) =>
    nodes
      .use(async (node) => {
        const [found = null] = await readSome(node, jettons, lastSeen, [holding], at);
        if (found === stale) throw new NodeFault('missing', 'runs get methods on an outdated state');
        return found;
      })
      .catch(nullIfUnanswered);
  const balances: (string | null)[] = [];
  for (const some of slicesOf(holdings, accountsPerRequest)) {
    const found = await nodes.use((node) => readSome(node, jettons, lastSeen, some, at));
    const read = found.map(async (one, i) => (one === stale ? readAgain(some[i] as Holding) : one));
    balances.push(...(await Promise.all(read)));
  }
  return balances;
};
