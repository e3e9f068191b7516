import assert from 'node:assert/strict';
import { streamName } from '../../application/ports/event-store.js';
import { address } from '../../domain/address.js';
import { assetKey } from '../../domain/asset.js';
import { contract } from '../../domain/contract.js';
import { credential } from '../../domain/credential.js';
import { type Decider, fold, type Message } from '../../domain/decider.js';
import { delivery } from '../../domain/delivery.js';
import { type Ledger, ledger } from '../../domain/ledger.js';
import { nonce } from '../../domain/nonce.js';
import { token } from '../../domain/token.js';
import { type Transaction, transaction } from '../../domain/transaction.js';
import { globalVariant } from '../../domain/variant.js';
import { wallet } from '../../domain/wallet.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHeader } from '../../domain/webhook-header.js';
import type { AddressDocument } from '../../projections/addresses.js';
import type { ContractDocument } from '../../projections/contracts.js';
import { scopeOf } from '../../projections/define.js';
import type { HistoryDocument, OpenDeliveryDocument } from '../../projections/deliveries.js';
import type { NoncesDocument } from '../../projections/nonces.js';
import { tokenKey } from '../../projections/tokens.js';
import type { OpenTransactionDocument, TransactionDocument } from '../../projections/transactions.js';
import type { TransferDocument } from '../../projections/transfers.js';
import type { WalletDocument } from '../../projections/wallets.js';
import type { WebhookDocument, WebhookHealthDocument } from '../../projections/webhooks.js';
import { apiKey, blocks, coin, type Happened, moved, texts, tokenId } from '../support/histories.js';
import { organizationIds, walletIds } from '../support/history-asks.js';
import { type Documents, holds, owners, project, slot } from '../support/replay.js';
import { from, genesis, transactionIds } from '../support/transaction-histories.js';
import { deliveryIds, headerId, webhookIds } from '../support/webhook-histories.js';

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
/** For each owner: the document of an id, and the state of a decider's stream under a key. */
const holdsForOwners = (
  check: (
    owner: Owner & {
      document: <T>(collection: string, id: string) => T | undefined;
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
        document: <T>(collection: string, id: string) => documents.get(slot(collection, scope, id)) as T | undefined,
        state: (decider, key) => stateOf(history, decider, organizationId, `${variant}.${key}`),
        events: (type) =>
          history.filter(
            (event) =>
              event.type === type && event.about.organizationId === organizationId && event.about.variant === variant,
          ),
      });
    }
  });

describe('replayed documents and deciders', () => {
  const shown = (document?: WalletDocument) =>
    document
      ? { state: 'registered', name: document.name, confirmation: document.confirmation ?? null }
      : { state: 'none' };

  it('agree on every wallet', () =>
    holdsForOwners(({ document, state }) => {
      for (const walletId of walletIds)
        assert.deepEqual(shown(document<WalletDocument>('wallets', walletId)), state(wallet, walletId));
    }));

  it('agree on who holds an address, and on what was imported for it', () =>
    holdsForOwners(({ document, state }) => {
      for (const text of texts) {
        const found = document<AddressDocument>('addresses', text);
        const imports = (found?.imports ?? []).map(({ asset }) => assetKey(asset));
        assert.deepEqual({ heldBy: found?.wallet_id ?? null, imports }, state(address, text));
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
  it('agree on what is not settled', () =>
    holdsForOwners(({ document, state }) => {
      for (const { walletId, block } of ledgers) {
        const { phase } = state(ledger, `${walletId}.${block.hash}`);
        const expected = unsettled.includes(phase) ? { wallet_id: walletId, block, phase } : undefined;
        assert.deepEqual(document('unsettled', `${walletId}|${block.hash}`), expected);
      }
    }));

  /** How a block that is in such a phase shows a transfer. */
  const transferState = (phase: Ledger['phase'], failed: boolean) => {
    if (phase === 'pending') return 'PENDING';
    if (phase === 'dropped' || phase === 'due') return 'REMOVED';
    return failed ? 'FAILED' : 'SUCCESS';
  };
  const transfersOf = walletIds.flatMap((walletId) => moved.map((transfer) => ({ walletId, ...transfer })));
  const inclusionsIn = (document?: TransferDocument) =>
    document ? [document, ...document.others].map(({ block_hash, state }) => `${block_hash} ${state}`) : [];
  it('agree on which blocks a transfer stands in, and on its state in each', () =>
    holdsForOwners(({ document, state }) => {
      for (const { walletId, transaction, failed } of transfersOf) {
        const seen = blocks
          .map(({ hash }) => ({ hash, ...state(ledger, `${walletId}.${hash}`) }))
          .filter(({ transfers }) => transfers.some(({ transfer }) => transfer.transaction === transaction))
          .map(({ hash, phase }) => `${hash} ${transferState(phase, failed)}`);
        const standing = seen.filter((one) => !one.endsWith('REMOVED'));
        const found = inclusionsIn(document('transfers', `${walletId}|${transaction}|0`));
        // Where it stands nowhere, the last block that it stood in is shown.
        const expected = standing.length > 0 ? standing : seen.filter((one) => found[0] === one);
        assert.deepEqual(new Set(found), new Set(expected));
        assert.equal(found.length > 0, seen.length > 0);
      }
    }));

  it('agree on who follows a contract, and on what a token says', () =>
    holdsForOwners(({ document, state }) => {
      const followed = document<ContractDocument>('contracts', coin);
      assert.equal(followed?.registered === 'yes' ? followed.standard : null, state(contract, coin).standard);
      const told = document('tokens', tokenKey(coin, tokenId)) ?? { uri: '', text: '' };
      assert.deepEqual(told, state(token, `${coin}.${tokenId}`));
    }));

  const kept = (document?: WebhookDocument) => {
    if (!document) return 'none';
    return document.disabled ? 'disabled' : 'active';
  };
  it('agree on which webhooks and headers there are, and on which webhooks are disabled', () =>
    holdsForOwners(({ document, state }) => {
      for (const webhookId of webhookIds) {
        const past = state(webhook, webhookId).state;
        assert.equal(kept(document('webhooks', webhookId)), past === 'removed' ? 'none' : past);
      }
      const listed = document('webhook_headers', headerId) !== undefined;
      assert.equal(listed, state(webhookHeader, headerId).state === 'registered');
    }));

  it('agree on what became of a delivery, and on whether and when it is sent', () =>
    holdsForOwners(({ document, state }) => {
      for (const deliveryId of deliveryIds) {
        const past = state(delivery, deliveryId);
        const history = document<HistoryDocument>('webhook_histories', deliveryId);
        assert.equal(history?.status.toLowerCase() ?? 'none', past.state);
        assert.equal(history?.delivery_count ?? 0, past.attempts);
        assert.deepEqual(history?.data, past.request?.data);
        const open = document<OpenDeliveryDocument>('open_deliveries', deliveryId);
        const isOpen = past.state === 'pending' || past.state === 'retrying';
        assert.equal(open?.next_at, isOpen ? past.nextAt : undefined);
      }
    }));

  it('agree on since when a webhook has had no success', () =>
    holdsForOwners(({ document, events }) => {
      for (const webhookId of webhookIds) {
        type Happening = { webhookId: string; outcome?: string; at?: number };
        const happened = ['DeliveryAttempted', 'WebhookRevived', 'WebhookRemoved']
          .flatMap((type) => events(type))
          .filter(({ data }) => (data as Happening).webhookId === webhookId)
          .sort((one, other) => one.about.position - other.about.position);
        // Being revived, or removed, starts it anew.
        const since = happened.slice(happened.findLastIndex(({ type }) => type !== 'DeliveryAttempted') + 1);
        const attempts = since.map(({ data }) => data as Happening);
        const failures = attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === 'completed') + 1);
        const expected = attempts.length > 0 ? { failing_since: failures[0]?.at ?? null } : undefined;
        assert.deepEqual(document<WebhookHealthDocument>('webhook_health', webhookId), expected);
      }
    }));

  const mayChange = ({ state, block, isFinal }: Transaction) =>
    !isFinal &&
    (['sent', 'canceling', 'mined', 'replaced'].includes(state) || (state === 'canceled' && block !== null));
  it('agree on every transaction, and on which may still change', () =>
    holdsForOwners(({ document, state }) => {
      for (const transactionId of transactionIds) {
        const past = state(transaction, transactionId);
        const shown = document<TransactionDocument>('transactions', transactionId);
        assert.equal(shown?.state.toLowerCase() ?? 'none', past.state);
        assert.equal(shown?.hash ?? '', past.signed?.hash ?? '');
        assert.equal(shown?.cancellation_hash ?? '', past.cancellation?.signed?.hash ?? '');
        const open = document<OpenTransactionDocument>('open_transactions', transactionId);
        assert.equal(open !== undefined, mayChange(past), past.state);
        if (!open) continue;
        assert.equal(open.is_taken, past.isTaken);
        assert.equal(open.is_canceling, past.cancellation !== null);
        assert.equal(open.is_seen, ['mined', 'replaced', 'canceled'].includes(past.state));
      }
    }));

  it('agree on which nonces are free again', () =>
    holdsForOwners(({ document, state, events }) => {
      const held = new Set(events('NonceHeld').map(({ data }) => (data as { nonce: number }).nonce));
      const free = [...held].filter((number) => state(nonce, `${genesis}.${from}.${number}`).holders.length === 0);
      const found = document<NoncesDocument>('nonces', `${genesis}|${from}`);
      assert.deepEqual(
        found?.free ?? [],
        free.toSorted((a, b) => a - b),
      );
      assert.equal(found?.next ?? 0, Math.max(0, ...[...held].map((number) => number + 1)));
    }));
});
