import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventTypes } from '../../domain/aggregates.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import { deciders, type Happened, histories, moved } from '../support/histories/histories.js';
import { organizationIds } from '../support/histories/history-asks.js';
import { type Documents, holds, owners, project } from '../support/histories/replay.js';

/** Writes a value as JSON and reads it again, as every store does. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const storedDocuments = (documents: Documents): Documents => new Map(stored([...documents]));
const where = (documents: Documents, is: (scope: string, id: string) => boolean): Documents =>
  new Map(
    [...documents].filter(([at]) => {
      const [, scope, id] = JSON.parse(at) as [string, string, string];
      return is(scope, id);
    }),
  );

const transferKey = (data: object) => projections.find(({ name }) => name === 'transfers')?.key({ data });

const handled: Record<string, readonly string[]> = {
  organizations: ['OrganizationCreated'],
  rate_limits: ['RateLimitSet', 'RateLimitDeleted'],
  usage: eventTypes,
  credentials: ['CredentialIssued', 'CredentialDeleted'],
  gateway_tokens: ['GatewayTokenCreated', 'GatewayTokenDeleted'],
  wallets: ['WalletRegistered', 'ConfirmationUpdated', 'AddressRegistered', 'AddressRemoved'],
  addresses: ['AddressRegistered', 'AddressRemoved', 'ImportCompleted'],
  address_imports: ['AssetImported'],
  token_accounts: ['TokenAccountFound'],
  removals: ['RemovalStarted', 'RemovalEnded'],
  departures: ['AddressRemoved'],
  contracts: ['ContractRegistered', 'ContractRemoved', 'ContractBalancesFailed', 'ContractBalancesRecovered'],
  transfers: ['TransferObserved', 'TransferConfirmed', 'TransferRemoved'],
  assets: ['BalanceRead', 'BalanceRefreshed'],
  refreshes: ['RefreshStarted', 'RefreshAdvanced', 'RefreshEnded'],
  searches: ['RefreshEnded'],
  tokens: ['TokenDescribed'],
  unread_balances: ['BalanceSetAside', 'BalanceRead'],
  balance_readings: ['BalanceRead', 'BalanceRefreshed'],
  replaced_blocks: ['ActivityDropped'],
  balance_touches: ['BalanceTouched'],
  balance_drifts: ['BalanceDrifted'],
  registrations: ['AddressRegistered', 'ImportCompleted', 'AssetImported', 'ContractRegistered'],
  imports: ['ImportRequested', 'ImportCompleted', 'ImportFailed'],
  running_imports: ['ImportRequested', 'ImportCompleted', 'ImportFailed'],
  drift_counts: ['BalanceDrifted'],
  unreadable_blocks: ['BlockUnreadable', 'BalancesReadInstead', 'BlockRetryRequested', 'BlockRead'],
  unsettled: ['TransferObserved', 'BalanceTouched', 'ActivitySettled', 'ActivityClosed', 'ActivityDropped'],
  webhooks: [
    'WebhookRegistered',
    'WebhookRemoved',
    'WebhookDisabled',
    'WebhookRevived',
    'WebhookUpdated',
    'WebhookSecretRotated',
  ],
  webhook_headers: ['WebhookHeaderRegistered', 'WebhookHeaderRemoved'],
  webhook_editions: [
    'WebhookRegistered',
    'WebhookRemoved',
    'WebhookDisabled',
    'WebhookRevived',
    'WebhookUpdated',
    'WebhookSecretRotated',
    'WebhookHeaderRegistered',
    'WebhookHeaderRemoved',
  ],
  webhook_histories: ['DeliveryRequested', 'DeliveryAttempted', 'DeliveryCanceled', 'DeliveryResent'],
  webhook_attempts: ['DeliveryRequested', 'DeliveryAttempted'],
  webhook_health: ['DeliveryAttempted', 'WebhookRevived', 'WebhookUpdated', 'WebhookRemoved'],
  feed_notifications: ['NotificationRecorded'],
  open_deliveries: ['DeliveryRequested', 'DeliveryAttempted', 'DeliveryCanceled', 'DeliveryResent', 'DeliveryParked'],
  transactions: [
    'TransactionCreated',
    'TransactionSigned',
    'TransactionSent',
    'TransactionTaken',
    'TransactionRefused',
    'TransactionMined',
    'TransactionConfirmed',
    'TransactionFailed',
    'TransactionReplaced',
    'TransactionDropped',
    'TransactionCancelRequested',
    'CancellationSigned',
    'CancellationSent',
    'CancellationRefused',
    'CancellationMined',
    'TransactionCanceled',
    'TransactionClosed',
  ],
  open_transactions: [
    'TransactionSent',
    'TransactionTaken',
    'TransactionRefused',
    'TransactionMined',
    'CancellationMined',
    'TransactionReplaced',
    'TransactionDropped',
    'TransactionCancelRequested',
    'CancellationSent',
    'CancellationRefused',
    'TransactionConfirmed',
    'TransactionFailed',
    'TransactionCanceled',
    'TransactionClosed',
  ],
  nonces: ['NonceHeld', 'NonceReleased'],
};

describe('a replay', () => {
  it('is tested with histories that contain every event, moved addresses and transfers that were mined again', () => {
    const samples = fc.sample(histories, { numRuns: 50, seed: 1 });
    const types = deciders.flatMap(({ evolve }) => Object.keys(evolve));
    assert.deepEqual(new Set(samples.flat().map(({ type }) => type)), new Set(types));
    const withMoves = samples.filter((history) => {
      const taken = history.filter(({ type }) => type === 'AddressRegistered');
      const holders = new Set(taken.map(({ stream, data }) => `${stream} ${Reflect.get(data, 'walletId')}`));
      return holders.size > new Set(taken.map(({ stream }) => stream)).size;
    });
    assert.ok(withMoves.length > 25, `an address moved in ${withMoves.length} of 50 histories`);
    const again = samples.filter((history) => {
      const seen = history.filter(({ type }) => type === 'TransferObserved');
      const [whole, streams] = [
        seen.map(({ about, data }) => `${scopeOf(about.organizationId, about.variant)} ${transferKey(data)}`),
        seen.map(({ stream }) => stream),
      ];
      return new Set(whole).size < new Set(streams).size * moved.length;
    });
    assert.ok(again.length > 25, `a transfer was mined again in ${again.length} of 50 histories`);
    const double = samples.filter((history) =>
      [...project(history).values()].some(
        (document) => 'others' in document && Object.values(document.others as []).length > 0,
      ),
    );
    assert.ok(double.length > 10, `a transfer stands in two blocks at the end of ${double.length} of 50 histories`);
    const resent = samples.flat().filter(({ type }) => type === 'DeliveryResent');
    assert.ok(resent.length > 50, `a delivery was sent again ${resent.length} times in 50 histories`);
  });

  it('yields the same documents every time and does not change the history', () =>
    holds((history) => {
      const before = structuredClone(history);
      const documents = project(history);
      assert.deepEqual(history, before);
      assert.deepEqual(project(history), documents);
      assert.deepEqual(project(stored(history)), documents);
    }));

  it('yields the same documents when it is repeated over its own documents', () =>
    holds((history) => {
      const documents = project(history);
      const inOrder = (found: Documents) => new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
      assert.deepEqual(inOrder(project(history, documents)), inOrder(documents));
    }));

  it('yields the same documents in any batches, stored and read again between them', () =>
    holds((history) => {
      const [cuts] = fc.sample(fc.array(fc.nat(history.length)), { seed: history.length, numRuns: 1 });
      const ends = [...(cuts ?? []).sort((a, b) => a - b), history.length];
      const batches = ends.map((end, i) => history.slice(ends[i - 1] ?? 0, end));
      const inBatches = batches.reduce<Documents>((from, batch) => storedDocuments(project(batch, from)), new Map());
      assert.deepEqual(inBatches, project(history));
    }));

  it('passes every projection the events that it handles', () =>
    assert.deepEqual(
      projections.map(({ name, on }) => [name, Object.keys(on)]),
      Object.entries(handled),
    ));

  it("builds a projection's documents only from the events that it handles", () =>
    holds((history) => {
      const all = project(history);
      for (const { name, on } of projections) {
        const collected = (documents: Documents) => [...documents].filter(([at]) => JSON.parse(at)[0] === name);
        const named = history.filter(({ type }) => Object.hasOwn(on, type));
        assert.deepEqual(collected(project(named)), collected(all), name);
      }
    }));
});

describe('a replay for one owner', () => {
  it('yields the same documents for an organization as its own events alone', () =>
    holds((history) => {
      for (const organizationId of organizationIds) {
        const own = project(history.filter(({ about }) => about.organizationId === organizationId));
        const isOwn = (scope: string, id: string) =>
          scope.startsWith(`${organizationId}/`) || (scope === systemOwner && id.endsWith(organizationId));
        assert.deepEqual(own, where(project(history), isOwn));
      }
    }));

  it('yields the same documents for a variant of an organization as its own events alone', () =>
    holds((history) => {
      for (const { organizationId, variant, scope } of owners) {
        const isOwn = ({ about }: Happened) => about.organizationId === organizationId && about.variant === variant;
        const own = project(history.filter(isOwn));
        assert.deepEqual(
          own,
          where(project(history), (found, id) => found === scope || id.endsWith(`.${variant}.${organizationId}`)),
        );
      }
    }));
});
