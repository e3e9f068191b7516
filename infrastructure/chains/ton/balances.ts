import { slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/ledger.js';
import { NodeFault, nullIfMissing } from '../nodes/node-fault.js';
import { list, type Raw, record } from '../nodes/raw.js';
import { askJettonBalance } from './get-methods.js';
import type { Node, Query } from './http-transport.js';
import type { Jettons } from './jettons.js';
import { lastSeqno } from './masterchain.js';
import type { Nodes } from './nodes.js';
import { address, decimal } from './wire.js';

/** The logical time of the last transaction of an account that was seen; undefined when none was. */
export type LastSeen = (account: string) => bigint | undefined;

/** As many as fit into a URL that every proxy takes. */
const atOnce = 64;
const rawAddress = /^(?:0|-1):[0-9a-f]{64}$/;

/** A coin is held by the account itself, jettons by a wallet for each; null where nothing can be asked. */
type Place = { readonly account: string; readonly kind: 'account' | 'wallet' } | null;

const placeOf = async (node: Node, jettons: Jettons, { address: owner, asset }: Holding): Promise<Place> => {
  if (!rawAddress.test(owner)) return null;
  if (asset.standard === 'native') return { account: owner, kind: 'account' };
  if (asset.standard !== 'token') return null;
  const account = await jettons.walletOf(node, asset.contract, owner);
  return account === null ? null : { account, kind: 'wallet' };
};

/** Indexes keep the newest state alone. One that lacks what was seen to happen is behind, and may be a part of one that is not. */
const checkAge = (account: string, found: Raw | undefined, lastSeen: LastSeen) => {
  const seen = lastSeen(account);
  if (seen === undefined) return;
  const at = found ? BigInt(decimal(found.last_transaction_lt ?? '0', 'the last time of an account')) : -1n;
  if (at < seen) throw new NodeFault('missing', 'does not have the last transaction of an account yet');
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

/** What an index made of a jetton wallet may be older than the wallet; then the wallet itself is asked. */
const jettonBalance = async (node: Node, account: string, state: Raw | undefined, row: Raw | undefined) => {
  if (row && row.data_hash === state?.data_hash) return balanceIn(row);
  // What was never used, or is no more, is not there.
  if (state?.status !== 'active') return '0';
  const balance = await askJettonBalance(node, account);
  if (balance === null) throw new NodeFault('missing', 'does not have the balance of a jetton wallet yet');
  return balance;
};

const askers: Readonly<
  Record<NonNullable<Place>['kind'], (node: Node, accounts: readonly string[], lastSeen: LastSeen) => Promise<string[]>>
> = {
  account: async (node, accounts, lastSeen) => {
    const states = await readStates(node, accounts, lastSeen);
    return accounts.map((account) => balanceIn(states.get(account)));
  },
  wallet: async (node, accounts, lastSeen) => {
    const states = await readStates(node, accounts, lastSeen);
    const rows = await askAll(node, 'jetton/wallets', 'jetton_wallets', { address: accounts, limit: accounts.length });
    return Promise.all(accounts.map((account) => jettonBalance(node, account, states.get(account), rows.get(account))));
  },
};

const readSome = async (node: Node, jettons: Jettons, lastSeen: LastSeen, holdings: readonly Holding[], at: Header) => {
  if ((await lastSeqno(node)) < at.number) throw new NodeFault('missing', 'does not have the block yet');
  const places = await Promise.all(holdings.map((holding) => placeOf(node, jettons, holding)));
  const balances = new Map<string, string>();
  for (const kind of ['account', 'wallet'] as const) {
    const accounts = [...new Set(places.flatMap((place) => (place?.kind === kind ? [place.account] : [])))];
    const read = accounts.length > 0 ? await askers[kind](node, accounts, lastSeen) : [];
    for (const [i, account] of accounts.entries()) balances.set(`${kind} ${account}`, read[i] as string);
  }
  return places.map((place) => (place ? (balances.get(`${place.kind} ${place.account}`) ?? null) : null));
};

/**
 * As of that block or a later one: an index keeps no older states. What happened since is told of by its own block, and
 * the balance is then read again.
 */
export const readBalances = async (
  nodes: Nodes,
  jettons: Jettons,
  lastSeen: LastSeen,
  holdings: readonly Holding[],
  at: Header,
): Promise<readonly (string | null)[]> => {
  const balances: (string | null)[] = [];
  for (const some of slicesOf(holdings, atOnce))
    balances.push(...(await nodes.use((node) => readSome(node, jettons, lastSeen, some, at))));
  return balances;
};
