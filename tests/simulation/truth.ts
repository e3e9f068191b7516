import assert from 'node:assert/strict';
import type { App } from '../../application/app.js';
import type { EventStore } from '../../application/ports/event-store.js';
import { coinsOf, contextOf, transfersOf } from '../support/following/following.js';
import { standingNotices } from '../support/following/standing-notices.js';
import type { LedgerChain, Payment } from '../support/simulation/chain.js';
import { type Account, bankVariant, type Client } from './bank.js';
import type { Receivers } from './receivers.js';

/** Facts of a world that the independent model knows. */
export type Known = {
  readonly chain: LedgerChain;
  readonly receivers: Receivers;
  readonly clients: readonly Client[];
};

const linesOf = (texts: Iterable<string>) => [...texts].sort((a, b) => a.localeCompare(b));

/** Lists the payments of the canonical chain that concern the addresses, from a height of each address on. */
const paymentsTo = (chain: LedgerChain, account: Account, isAfter: (number: number, since: number) => boolean) =>
  chain
    .canonical()
    .flatMap(({ number, payments }) =>
      payments
        .filter(({ from, to }) =>
          [from, to].some((one) => isAfter(number, account.addresses.get(one) ?? Number.POSITIVE_INFINITY)),
        )
        .map(({ transaction }) => transaction),
    );

/** Checks that the transfers of a wallet are those of the chain since its addresses were registered. */
const checkTransfers = async (app: App, { chain }: Known, client: Client, account: Account) => {
  const found = await transfersOf(app, contextOf(client.organizationId, bankVariant), account.walletId);
  const standing = found.filter(({ state }) => state !== 'REMOVED').map(({ transfer }) => transfer.transaction);
  assert.deepEqual(linesOf(standing), linesOf(new Set(standing)), 'a transfer is listed twice');
  const listed = new Set(standing);
  const due = paymentsTo(chain, account, (number, since) => number > since);
  const missing = due.filter((one) => !listed.has(one));
  assert.deepEqual(missing, [], `${client.organizationId} misses transfers of ${account.name}`);
  // Transfers that were mined shortly before the registration may appear.
  const possible = new Set(paymentsTo(chain, account, (_, since) => Number.isFinite(since)));
  const invented = standing.filter((one) => !possible.has(one));
  assert.deepEqual(invented, [], `${client.organizationId} has transfers that the chain does not`);
  return standing;
};

const concerns = (payments: readonly Payment[], address: string) =>
  payments.some(({ from, to }) => from === address || to === address);
const checkBalances = async (app: App, { chain }: Known, client: Client, account: Account) => {
  const found = await coinsOf(app, contextOf(client.organizationId, bankVariant), account.walletId);
  const balances = new Map(found.map(({ address, balance }) => [address, balance]));
  for (const [address, since] of account.addresses) {
    const isActive = chain.canonical().some(({ number, payments }) => number > since && concerns(payments, address));
    // The balance of an address is read with its first transfer.
    if (isActive || balances.has(address))
      assert.equal(balances.get(address), String(chain.balanceOf(address)), `balance of ${address}`);
  }
};

/** Checks that each transfer was notified once, and each notice arrived where it was wanted. */
const checkNotices = async (
  events: EventStore,
  { chain, receivers }: Known,
  account: Account,
  standing: readonly string[],
) => {
  const { standing: notices, pending } = await standingNotices(events, account.walletId);
  const heard = account.heardFrom ?? Number.POSITIVE_INFINITY;
  const due = paymentsTo(chain, account, (number, since) => number > Math.max(since, heard));
  for (const transaction of due) assert.equal(notices.get(transaction), 1, `notices of ${transaction}`);
  const known = new Set(standing);
  for (const [transaction, count] of notices)
    assert.ok(count === 0 || known.has(transaction), `${transaction} was notified and is not there`);
  assert.deepEqual(
    [...pending].filter(([, count]) => count > 0),
    [],
    'pending notices without an end',
  );
  const requested = new Set<string>();
  for await (const batch of events.readAll(0))
    for (const { type, data } of batch) {
      const { deliveryId, url } = data as { deliveryId?: string; url?: string };
      if (type === 'DeliveryRequested' && url === account.endpoint && deliveryId) requested.add(deliveryId);
    }
  const arrived = [...receivers.arrivedAt(account.endpoint).keys()];
  assert.deepEqual(
    arrived.filter((id) => requested.size > 0 && !requested.has(id)),
    [],
    'notices nobody asked for',
  );
};

/** Checks everything that must hold once a world has settled. */
export const checkTruth = async (app: App, events: EventStore, known: Known): Promise<void> => {
  for (const client of known.clients) {
    const by = contextOf(client.organizationId, bankVariant);
    const { wallets } = await app.wallets.list(by, { size: 100, token: undefined });
    const listed: string[] = [];
    for await (const one of wallets as AsyncIterable<{ wallet_id: string }> | Iterable<{ wallet_id: string }>)
      listed.push(one.wallet_id);
    assert.deepEqual(linesOf(listed), linesOf(client.accounts().map(({ walletId }) => walletId)), 'wallets');
    for (const account of client.accounts()) {
      const standing = await checkTransfers(app, known, client, account);
      await checkBalances(app, known, client, account);
      await checkNotices(events, known, account, standing);
    }
  }
};
