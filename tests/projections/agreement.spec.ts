import assert from 'node:assert/strict';
import { streamName } from '../../application/ports/event-store.js';
import { address } from '../../domain/aggregates/address.js';
import { contract } from '../../domain/aggregates/contract.js';
import { credential } from '../../domain/aggregates/credential.js';
import { type Delivery, delivery } from '../../domain/aggregates/delivery.js';
import { type Ledger, ledger } from '../../domain/aggregates/ledger.js';
import { nonce } from '../../domain/aggregates/nonce.js';
import { token } from '../../domain/aggregates/token.js';
import { type Transaction, transaction } from '../../domain/aggregates/transaction.js';
import { wallet } from '../../domain/aggregates/wallet.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { webhookHeader } from '../../domain/aggregates/webhook-header.js';
import { assetKey } from '../../domain/asset.js';
import { type Decider, fold, type Message } from '../../domain/decider.js';
import { globalVariant } from '../../domain/variant.js';
import type { AddressDocument, AddressTokenDocument } from '../../projections/addresses.js';
import type { ContractDocument } from '../../projections/contracts.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import type { AttemptsDocument, HistoryDocument, OpenDeliveryDocument } from '../../projections/deliveries.js';
import { type NonceDocument, nonceKey, senderKey } from '../../projections/nonces.js';
import { tokenKey } from '../../projections/tokens.js';
import type { OpenTransactionDocument, TransactionDocument } from '../../projections/transactions.js';
import type { TransferDocument } from '../../projections/transfers.js';
import type { WalletDocument } from '../../projections/wallets.js';
import type { WebhookDocument, WebhookHealthDocument } from '../../projections/webhooks.js';
import { apiKey, blocks, coin, type Happened, moved, texts, tokenId } from '../support/histories/histories.js';
import { organizationIds, walletIds } from '../support/histories/history-asks.js';
import { type Documents, holds, owners, project, slot, tokensOf } from '../support/histories/replay.js';
import { from, genesis, transactionIds } from '../support/histories/transaction-histories.js';
import { deliveryIdsOf, headerId, webhookIds } from '../support/histories/webhook-histories.js';

type Owner = (typeof owners)[number];

const stateOf = <C extends Message, E extends Message, S>(
  history: readonly Happened[],
  decider: Decider<C, E, S>,
  organizationId: string,
  key: string,
) => {
  const stream = streamName(organizationId, decider.stream, key);
  return fold(decider, history.filter((event) => event.stream === stream) as never);
};
/** Runs the check for each owner on its documents, the states of its streams and its events. */
const holdsForOwners = (
  check: (
    owner: Owner & {
      documents: Documents;
      document: <T>(collection: string, id: string, of?: string) => T | undefined;
      state: <C extends Message, E extends Message, S>(decider: Decider<C, E, S>, key: string) => S;
      events: (type: string) => readonly Happened[];
    },
  ) => void,
) =>
  holds((history) => {
    const documents: Documents = project(history);
    for (const owner of owners) {
      const { organizationId, variant, scope } = owner;
      check({
        ...owner,
        documents,
        document: <T>(collection: string, id: string, of = scope) =>
          documents.get(slot(collection, of, id)) as T | undefined,
        state: (decider, key) => stateOf(history, decider, organizationId, `${variant}.${key}`),
        events: (type) =>
          history.filter(
            (event) =>
              event.type === type && event.about.organizationId === organizationId && event.about.variant === variant,
          ),
      });
    }
  });

describe('the documents and the deciders', () => {
  const shown = (document?: WalletDocument) =>
    document
      ? { state: 'registered', name: document.name, confirmation: document.confirmation ?? null }
      : { state: 'none' };

  it('agree on every wallet', () =>
    holdsForOwners(({ document, state }) => {
      for (const walletId of walletIds)
        assert.deepEqual(shown(document<WalletDocument>('wallets', walletId)), state(wallet, walletId));
    }));

  const assetsIn = (tokens: readonly AddressTokenDocument[]) => tokens.map(({ asset }) => assetKey(asset));
  it('agree on the holder of an address, and on its imports and token accounts', () =>
    holdsForOwners(({ document, state, documents, scope }) => {
      for (const text of texts) {
        const found = document<AddressDocument>('addresses', text);
        const { imports, accounts = [], ...held } = state(address, text);
        assert.deepEqual(held, { heldBy: found?.wallet_id ?? null, counted: imports.length });
        assert.deepEqual(found ? assetsIn(tokensOf(documents, 'address_imports', scope, found)) : [], imports);
        assert.deepEqual(found ? assetsIn(tokensOf(documents, 'token_accounts', scope, found)) : [], accounts);
      }
    }));

  it('agree on which credentials are active', () =>
    holds((history) => {
      const documents = project(history);
      for (const organizationId of organizationIds) {
        const listed = documents.has(slot('credentials', scopeOf(organizationId, globalVariant.tag), apiKey));
        assert.equal(listed, stateOf(history, credential, organizationId, apiKey).state === 'active');
      }
    }));

  const ledgers = walletIds.flatMap((walletId) => blocks.map((block) => ({ walletId, block })));
  const unsettled: readonly Ledger['phase'][] = ['pending', 'open', 'due'];
  it('agree on which blocks are not settled', () =>
    holdsForOwners(({ document, state }) => {
      for (const { walletId, block } of ledgers) {
        const { phase } = state(ledger, `${walletId}.${block.hash}`);
        const expected = unsettled.includes(phase) ? { wallet_id: walletId, block, phase } : undefined;
        assert.deepEqual(document('unsettled', `${walletId}|${block.hash}`), expected);
      }
    }));

  /** Returns the API state of a transfer, given the phase of its activity in a block. */
  const transferState = (phase: Ledger['phase'], failed: boolean) => {
    if (phase === 'pending') return 'PENDING';
    if (phase === 'dropped' || phase === 'due') return 'REMOVED';
    return failed ? 'FAILED' : 'SUCCESS';
  };
  const transfersOf = walletIds.flatMap((walletId) => moved.map((transfer) => ({ walletId, ...transfer })));
  const inclusionsIn = (document?: TransferDocument) =>
    document ? [document, ...document.others].map(({ block_hash, state }) => `${block_hash} ${state}`) : [];
  it('agree on the blocks that contain a transfer, and on its state in each', () =>
    holdsForOwners(({ document, state }) => {
      for (const { walletId, transaction, failed } of transfersOf) {
        const seen = blocks
          .map(({ hash }) => ({ hash, ...state(ledger, `${walletId}.${hash}`) }))
          .filter(({ transfers }) => transfers.some(({ transfer }) => transfer.transaction === transaction))
          .map(({ hash, phase }) => `${hash} ${transferState(phase, failed)}`);
        const standing = seen.filter((one) => !one.endsWith('REMOVED'));
        const found = inclusionsIn(document('transfers', `${walletId}|${transaction}|0`));
        // A transfer that is no longer in any block is shown in its last block.
        const expected = standing.length > 0 ? standing : seen.filter((one) => found[0] === one);
        assert.deepEqual(new Set(found), new Set(expected));
        assert.equal(found.length > 0, seen.length > 0);
      }
    }));

  it("agree on who follows a contract, and on a token's description", () =>
    holdsForOwners(({ document, state }) => {
      const followed = document<ContractDocument>('contracts', coin);
      assert.equal(followed?.registered === 'yes' ? followed.standard : null, state(contract, coin).standard);
      const described = document('tokens', tokenKey(coin, tokenId)) ?? { uri: '', text: '' };
      assert.deepEqual(described, state(token, `${coin}.${tokenId}`));
    }));

  const kept = (document?: WebhookDocument) => {
    if (!document) return 'none';
    return document.disabled ? 'disabled' : 'active';
  };
  it('agree on which webhooks and headers are registered, and on which webhooks are disabled', () =>
    holdsForOwners(({ document, state }) => {
      for (const webhookId of webhookIds) {
        const past = state(webhook, webhookId).state;
        assert.equal(kept(document('webhooks', webhookId)), past === 'removed' ? 'none' : past);
      }
      const listed = document('webhook_headers', headerId) !== undefined;
      assert.equal(listed, state(webhookHeader, headerId).state === 'registered');
    }));

  const askedAt = (events: (type: string) => readonly Happened[], deliveryId: string) =>
    [...events('DeliveryRequested'), ...events('DeliveryResent')]
      .filter(({ data }) => Reflect.get(data, 'deliveryId') === deliveryId)
      .reduce((last, { about }) => Math.max(last, Date.parse(about.occurredAt)), 0);
  /**
   * Returns a pattern for the expected status in the document of a delivery. A parked delivery keeps its earlier
   * status; a notification that is only in the feed has no status.
   */
  const statusOf = ({ state }: Delivery) => {
    if (state === 'parked') return /^(pending|retrying)$/;
    return state === 'recorded' ? /^none$/ : new RegExp(`^${state}$`);
  };
  it('agree on the status of a delivery, and on the time of its next attempt', () =>
    holdsForOwners(({ document, state, events, ...owner }) => {
      for (const deliveryId of deliveryIdsOf(owner)) {
        const past = state(delivery, deliveryId);
        const history = document<HistoryDocument>('webhook_histories', deliveryId);
        assert.match(history?.status.toLowerCase() ?? 'none', statusOf(past));
        assert.equal(history?.delivery_count ?? 0, past.attempts);
        assert.equal(document<AttemptsDocument>('webhook_attempts', deliveryId)?.count ?? 0, past.attempts);
        assert.deepEqual(history?.data, past.request?.data);
        const open = document<OpenDeliveryDocument>('open_deliveries', deliveryId, systemOwner);
        const isOpen = ['parked', 'pending', 'retrying'].includes(past.state);
        // A delivery without an attempt since its last request is due at the time of that request.
        const [due, of] = [past.nextAt || askedAt(events, deliveryId), owner.scope];
        assert.deepEqual([open?.next_at, open?.owner], isOpen ? [due, of] : [undefined, undefined]);
        assert.equal(open?.parked === 'yes', past.state === 'parked');
      }
    }));

  it('agree on the time since which a webhook has had no success', () =>
    holdsForOwners(({ document, events }) => {
      for (const webhookId of webhookIds) {
        type Happening = { webhookId: string; outcome?: string; at?: number };
        const happened = ['DeliveryAttempted', 'WebhookRevived', 'WebhookUpdated', 'WebhookRemoved']
          .flatMap((type) => events(type))
          .filter(({ data }) => (data as Happening).webhookId === webhookId)
          .sort((one, other) => one.about.position - other.about.position);
        // Reviving, updating or removing a webhook resets its failures, so only later attempts count.
        const since = happened.slice(happened.findLastIndex(({ type }) => type !== 'DeliveryAttempted') + 1);
        const attempts = since.map(({ data }) => data as Happening);
        const failures = attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === 'completed') + 1);
        const expected = attempts.length > 0 ? { failing_since: failures[0]?.at ?? null } : undefined;
        assert.deepEqual(document<WebhookHealthDocument>('webhook_health', webhookId), expected);
      }
    }));

  const mayChange = ({ state, block, isFinal }: Transaction) =>
    !isFinal &&
    (['sent', 'canceling', 'mined', 'confirmed', 'failed', 'replaced'].includes(state) ||
      (state === 'canceled' && block !== null));
  const assertOpen = (open: OpenTransactionDocument | undefined, past: Transaction) => {
    assert.equal(open !== undefined, mayChange(past), past.state);
    if (!open) return;
    const isEnded = past.state === 'confirmed' || past.state === 'failed';
    const isSeen = isEnded || ['mined', 'replaced', 'canceled'].includes(past.state);
    const block = open.seen && 'block' in open.seen ? open.seen.block : null;
    assert.deepEqual(
      [open.is_taken, open.is_canceling, open.is_ended, open.seen !== null, block],
      [past.isTaken, past.cancellation !== null, isEnded, isSeen, past.block],
    );
  };
  it('agree on every transaction, and on whether it may still change', () =>
    holdsForOwners(({ document, state }) => {
      for (const transactionId of transactionIds) {
        const past = state(transaction, transactionId);
        const shown = document<TransactionDocument>('transactions', transactionId);
        assert.equal(shown?.state.toLowerCase() ?? 'none', past.state);
        assert.equal(shown?.hash ?? '', past.signed?.hash ?? '');
        assert.equal(shown?.cancellation_hash ?? '', past.cancellation?.signed?.hash ?? '');
        assert.deepEqual(shown?.mined?.block ?? null, past.block);
        assertOpen(document<OpenTransactionDocument>('open_transactions', transactionId), past);
      }
    }));

  it('agree on which nonces are held and which are free again', () =>
    holdsForOwners(({ document, state, events }) => {
      for (const number of new Set(events('NonceHeld').map(({ data }) => (data as { nonce: number }).nonce))) {
        const { holders } = state(nonce, `${genesis}.${from}.${number}`);
        const sender = senderKey({ chain: genesis, from });
        const expected = { sender, nonce: number, state: holders.length > 0 ? 'held' : 'free' };
        assert.deepEqual(document<NonceDocument>('nonces', nonceKey(sender, number)), expected);
      }
    }));
});
