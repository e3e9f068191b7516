import assert from 'node:assert/strict';
import type { App } from '../../application/app.js';
import { currentEvents } from '../../application/commands/current-events.js';
import type { EventStore } from '../../application/ports/event-store.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import { eventContextOf } from '../../application/read-models/event-context.js';
import { projections } from '../../projections/index.js';
import { allEvents, coinsOf, contextOf, tokensOf, transfersOf } from '../support/following/following.js';
import { standingNotices } from '../support/following/standing-notices.js';
import { walk } from '../support/histories/rebuild.js';
import { project, slot } from '../support/histories/replay.js';
import type { LedgerChain, Payment } from '../support/simulation/chain.js';
import { type Account, bankVariant, type Client } from './bank.js';
import type { Receivers } from './receivers.js';

/** Parts of a simulated world with which the service's data are compared. */
export type Known = {
  readonly chain: LedgerChain;
  readonly receivers: Receivers;
  readonly clients: readonly Client[];
};

const linesOf = (texts: Iterable<string>) => [...texts].sort((a, b) => a.localeCompare(b));

/** Returns the height from which an organization follows an asset: 0 for the chain's coin, NaN for an unknown token. */
const followedSince = (client: Client, token: string | undefined) =>
  token === undefined ? 0 : (client.tokens().get(token) ?? Number.NaN);

/**
 * Lists the transactions of the canonical chain with payments from or to addresses of the account. Calls `isAfter` with
 * a block number and the height from which both the address and the asset are followed. That height is NaN if one of
 * them was never registered.
 */
const paymentsTo = (
  chain: LedgerChain,
  client: Client,
  account: Account,
  isAfter: (number: number, since: number) => boolean,
) =>
  chain
    .canonical()
    .flatMap(({ number, payments }) =>
      payments
        .filter(({ from, to, token }) =>
          [from, to].some((one) =>
            isAfter(number, Math.max(account.addresses.get(one) ?? Number.NaN, followedSince(client, token))),
          ),
        )
        .map(({ transaction }) => transaction),
    );

/** Checks that the transfers of a wallet are those on the chain since the addresses of the wallet were registered. */
const checkTransfers = async (app: App, { chain }: Known, client: Client, account: Account) => {
  const found = await transfersOf(app, contextOf(client.organizationId, bankVariant), account.walletId);
  const standing = found.filter(({ state }) => state !== 'REMOVED').map(({ transfer }) => transfer.transaction);
  assert.deepEqual(linesOf(standing), linesOf(new Set(standing)), 'a transfer is listed twice');
  const listed = new Set(standing);
  const due = paymentsTo(chain, client, account, (number, since) => number > since);
  const missing = due.filter((one) => !listed.has(one));
  assert.deepEqual(missing, [], `${client.organizationId} misses transfers of ${account.name}`);
  // Transfers that were mined before the registration was acknowledged may be listed too.
  const possible = new Set(paymentsTo(chain, client, account, (_, since) => Number.isFinite(since)));
  const invented = standing.filter((one) => !possible.has(one));
  assert.deepEqual(invented, [], `${client.organizationId} has transfers that the chain does not`);
  return standing;
};

const concerns = (payments: readonly Payment[], address: string, asset: string | undefined) =>
  payments.some(({ from, to, token }) => (from === address || to === address) && token === asset);

/** Lists the balances of a wallet in a token, or in the coin of the chain. */
const balancesOf = async (app: App, client: Client, account: Account, token: string | undefined) => {
  const by = contextOf(client.organizationId, bankVariant);
  const found = await (token === undefined
    ? coinsOf(app, by, account.walletId)
    : tokensOf(app, by, account.walletId, token));
  return new Map(found.map(({ address, balance }) => [address, balance]));
};

const checkBalances = async (app: App, { chain }: Known, client: Client, account: Account) => {
  for (const token of [undefined, ...client.tokens().keys()]) {
    const balances = await balancesOf(app, client, account, token);
    for (const [address, since] of account.addresses) {
      const from = Math.max(since, followedSince(client, token));
      const isActive = chain
        .canonical()
        .some(({ number, payments }) => number > from && concerns(payments, address, token));
      // Untouched addresses may lack a balance, because the service reads the balance of an address with its first
      // transfer.
      if (isActive || balances.has(address))
        assert.equal(
          balances.get(address),
          String(chain.balanceOf(address, token)),
          `balance of ${address} in ${token ?? 'coins'}`,
        );
    }
  }
};

/**
 * Checks that each transfer was notified exactly once, and that only deliveries that the service had requested arrived.
 */
const checkNotices = async (
  events: EventStore,
  { chain, receivers }: Known,
  client: Client,
  account: Account,
  standing: readonly string[],
) => {
  const { standing: notices, pending } = await standingNotices(events, account.walletId);
  const heard = account.heardFrom ?? Number.POSITIVE_INFINITY;
  const due = paymentsTo(chain, client, account, (number, since) => number > Math.max(since, heard));
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

/** Checks that the read models are what the projections make of all events. */
const checkReadModels = async (events: EventStore, readModels: ReadModels) => {
  const history = (await allEvents(currentEvents(events))).map((event) => ({ ...event, about: eventContextOf(event) }));
  const found = new Map<string, object>();
  for (const projection of projections)
    for await (const { scope, id, document } of walk(readModels, projection))
      found.set(slot(projection.name, scope, id), document);
  assert.ok(found.size > 0, 'there are no documents');
  assert.deepEqual(found, project(history));
};

type Stores = { readonly events: EventStore; readonly readModels: ReadModels };

/** Checks everything that must hold once a world has settled. */
export const checkTruth = async (app: App, { events, readModels }: Stores, known: Known): Promise<void> => {
  await checkReadModels(events, readModels);
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
      await checkNotices(events, known, client, account, standing);
    }
  }
};
