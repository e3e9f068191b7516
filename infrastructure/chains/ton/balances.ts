import { slicesOf } from '../../../application/async/slices.js';
import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import type { StateTime } from './get-methods.js';
import type { Node, Query } from './http-transport.js';
import { isOf, readWalletData } from './jettons/jetton-identity.js';
import type { Jettons } from './jettons/jettons.js';
import { lastBlock } from './masterchain.js';
import { type Nodes, nullIfUnanswered } from './nodes.js';
import { address, decimal, integer } from './wire.js';

/**
 * Position of a transaction: its logical time (`lt`), and the sequence number (`seqno`) of the masterchain block that
 * committed it.
 */
export type SeenAt = { readonly lt: bigint; readonly seqno: number };
/** Returns the position of an account's last seen transaction; undefined if none was seen. */
export type LastSeen = (account: string) => SeenAt | undefined;

/** Maximum number of accounts per request, which keeps the URL short enough for every proxy. */
const accountsPerRequest = 64;
const rawAddress = /^(?:0|-1):[0-9a-f]{64}$/;

/**
 * Contract that holds a balance: the account itself for coins, a jetton wallet for jettons. Null if there is no such
 * contract to query.
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
 * Rejects an account state that is older than the account's last seen transaction, because one of several servers
 * behind a URL may lag.
 */
const checkAge = (account: string, found: Raw | undefined, lastSeen: LastSeen) => {
  const seen = lastSeen(account);
  if (seen === undefined) return;
  if ((found ? lastLt(found) : -1n) < seen.lt)
    throw new NodeFault('missing', 'does not have the last transaction of an account yet');
};

/** Block as of which balances are read. */
type Moment = {
  readonly seqno: number;
  readonly lt: bigint | null;
  /** Returns the logical time of a block; null if no source reports it. */
  readonly ltOf: (seqno: number) => Promise<bigint | null>;
};

/**
 * Address of the network's elector contract. The masterchain runs this contract at the start of every block, so the
 * time of its last transaction shows which block a server had when it read the account states of a request.
 */
const elector = `-1:${'3'.repeat(64)}`;
/**
 * Maximum number of consecutive requests whose states are rejected as outdated. Later states are accepted, because the
 * network evidently does not run its elector in every block.
 */
const maxOutdated = 20;

const lastLt = (row: Raw) => BigInt(decimal(row.last_transaction_lt ?? '0', 'the last time of an account'));

/** Returns whether the states show that a server read them before it had the block. */
const areOutdated = (states: ReadonlyMap<string, Raw>, { seqno, lt }: Moment) => {
  const isOld = ({ mc_seqno }: Raw) => mc_seqno !== undefined && integer(mc_seqno, 'the block of a state') < seqno;
  if ([...states.values()].some(isOld)) return true;
  const ticking = states.get(elector);
  return lt !== null && ticking?.status === 'active' && lastLt(ticking) < lt;
};

const askAll = async (node: Node, path: string, field: string, query: Query): Promise<ReadonlyMap<string, Raw>> => {
  const answer = await nullIfMissing(node.get(path, query));
  const found = list(answer?.[field] ?? [], 'the accounts').map((one) => record(one, 'an account'));
  return new Map(found.map((one) => [address(one.address, 'an address'), one]));
};

const readStates = async ({ node, at, lastSeen }: Asked, accounts: readonly string[]) => {
  // A v2 server reads each account separately and reports the block of each state, so the elector is not needed.
  const address = node.isBackup ? accounts : [...accounts, elector];
  const states = await askAll(node, 'accountStates', 'accounts', { address, include_boc: false });
  node.states.outdated = areOutdated(states, at) ? node.states.outdated + 1 : 0;
  if (node.states.outdated > 0 && node.states.outdated <= maxOutdated)
    throw new NodeFault('missing', 'does not have the states as of the block yet');
  for (const account of accounts) checkAge(account, states.get(account), lastSeen);
  return states;
};

const balanceIn = (state: Raw | undefined) => decimal(state?.balance ?? '0', 'a balance');

/**
 * Maximum number of masterchain blocks (about 50 seconds) by which servers behind one index are assumed to lag. If a
 * get method does not report the time of the state, its result is accepted only for a wallet that has not changed for
 * this many blocks.
 */
const maxLagBlocks = 128;

/** Marks a balance that may be older than the last seen transaction. */
const stale = Symbol('stale');
/** Balance of an account. A jetton wallet also names its owner and its jetton master. */
type Held = { readonly balance: string; readonly owner?: string; readonly master?: string };
type Found = Held | null | typeof stale;
/**
 * Index server to query, the seqno of its last block, the block to read at, and the last transaction seen of each
 * account.
 */
type Asked = { readonly node: Node; readonly head: number; readonly at: Moment; readonly lastSeen: LastSeen };

const heldIn = (row: Raw): Held => ({
  balance: balanceIn(row),
  owner: address(row.owner, 'the owner of a jetton wallet'),
  master: address(row.jetton, 'a jetton'),
});

const isFresh = (row: Raw, state: Raw | undefined, seen: SeenAt | undefined) =>
  row.data_hash === state?.data_hash || (seen !== undefined && lastLt(row) >= seen.lt);

/**
 * Returns whether a get method ran on a state older than the requested block, or than the known state of the wallet.
 * Servers behind one index may be at different blocks.
 */
const isStale = async ({ lt, seqno }: StateTime, state: Raw, { head, at }: Asked, seen: SeenAt | undefined) => {
  if (lt !== undefined) return BigInt(lt) < lastLt(state) || BigInt(lt) < (seen?.lt ?? 0n);
  if (seqno !== undefined) return seqno < at.seqno;
  if (seen !== undefined && head < seen.seqno + maxLagBlocks) return true;
  // A wallet that has not changed for `maxLagBlocks` has the same balance on every server.
  const longAgo = await at.ltOf(head - maxLagBlocks + 1);
  return longAgo !== null && lastLt(state) >= longAgo;
};

/**
 * Reads a jetton balance from the index, or from the wallet itself if the index row is older than the wallet's state.
 * Null if the contract is not a jetton wallet.
 */
const jettonBalance = async (
  asked: Asked,
  account: string,
  state: Raw | undefined,
  row: Raw | undefined,
): Promise<Found> => {
  const seen = asked.lastSeen(account);
  if (row && isFresh(row, state, seen)) return heldIn(row);
  // A wallet that was never used or was destroyed holds nothing.
  if (state?.status !== 'active') return { balance: '0' };
  const data = await readWalletData(asked.node, account);
  return data && (await isStale(data.time, state, asked, seen)) ? stale : data;
};

type Asker = (asked: Asked, accounts: readonly string[]) => Promise<readonly Found[]>;

const askers: Readonly<Record<NonNullable<Place>['kind'], Asker>> = {
  account: async (asked, accounts) => {
    const states = await readStates(asked, accounts);
    return accounts.map((account) => ({ balance: balanceIn(states.get(account)) }));
  },
  wallet: async (asked, accounts) => {
    const states = await readStates(asked, accounts);
    const rows = await askAll(asked.node, 'jetton/wallets', 'jetton_wallets', {
      address: accounts,
      limit: accounts.length,
    });
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

const readSome = async (node: Node, jettons: Jettons, lastSeen: LastSeen, holdings: readonly Holding[], at: Moment) => {
  const { number: head } = await lastBlock(node);
  if (head < at.seqno) throw new NodeFault('missing', 'does not have the block yet');
  const places = await Promise.all(holdings.map((holding) => placeOf(node, jettons, holding)));
  const found = new Map<string, Found>();
  for (const kind of ['account', 'wallet'] as const) {
    const accounts = [...new Set(places.flatMap((place) => (place?.kind === kind ? [place.account] : [])))];
    const read = accounts.length > 0 ? await askers[kind]({ node, head, at, lastSeen }, accounts) : [];
    for (const [i, account] of accounts.entries()) found.set(`${kind} ${account}`, read[i] ?? null);
  }
  return places.map((place, i) =>
    place ? balanceFor(holdings[i] as Holding, found.get(`${place.kind} ${place.account}`)) : null,
  );
};

/**
 * Reads balances as of block `at` or a later one, because an index keeps no older states. A change in a later block
 * causes another read.
 */
export const readBalances = async (
  nodes: Nodes,
  jettons: Jettons,
  lastSeen: LastSeen,
  holdings: readonly Holding[],
  at: Moment,
): Promise<readonly (string | null)[]> => {
  /**
   * Reads one stale balance again, without the other balances; null if the balance stays older than the last seen
   * transaction.
   */
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
