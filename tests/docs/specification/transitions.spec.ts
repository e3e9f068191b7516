import assert from 'node:assert/strict';
import { stateOf as transferStateOf } from '../../../application/assets/wire-records.js';
import { stateOf as transactionStateOf } from '../../../application/transactions/wire-record.js';
import { retryDelays } from '../../../domain/aggregates/delivery/retry-schedule.js';
import { type DeliveryCommand, delivery } from '../../../domain/aggregates/delivery.js';
import { type Ledger, type LedgerCommand, ledger } from '../../../domain/aggregates/ledger.js';
import { type Outcome, type TransactionCommand, transaction } from '../../../domain/aggregates/transaction.js';
import { webhookStatusOf } from '../../../interfaces/operations/webhooks/webhook-records.js';
import { webhookHistories } from '../../../projections/deliveries.js';
import { transactions } from '../../../projections/transactions.js';
import { transfers } from '../../../projections/transfers.js';
import { readPage } from '../../support/docs/markdown.js';
import { transitionsOf } from '../../support/docs/transitions.js';

const sections = readPage('docs/specification.md');
const byText = (a: string, b: string) => a.localeCompare(b);
const lastWord = (status: string) => status.split('_').at(-1)?.toLowerCase() ?? '';

/** Reads the column "may become" of a table: for each status, the statuses that its cell names. */
const documentedAt = (anchor: string, column: string) => {
  const table = sections.find((one) => one.anchor === anchor)?.tables.find(({ columns }) => columns[0] === column);
  const rows = table?.rows ?? assert.fail(`no table of ${column} at #${anchor}`);
  const names = rows.map((row) => (row[column] ?? '').replaceAll('`', ''));
  const words = names.map(lastWord);
  return names.map((name, i) => {
    const cell = rows[i]?.['may become'] ?? '';
    return [name, words.filter((word) => new RegExp(`\\b${word}\\b`).test(cell)).toSorted(byText)];
  });
};
const compare = (anchor: string, column: string, inCode: ReadonlyMap<string, ReadonlySet<string>>) => {
  const documented = documentedAt(anchor, column);
  const derived = documented.map(([name]) => [
    name,
    [...(inCode.get(name as string) ?? [])].map(lastWord).toSorted(byText),
  ]);
  assert.deepEqual(documented, derived);
  assert.equal(inCode.size, documented.length);
};

describe('docs/specification.md', () => {
  it('lists the transitions of a transfer that its decider allows', () => {
    const block = { number: 5, hash: '0xb5', time: 1, chain: '0xb0' };
    const of = { walletId: 'wal_1', block };
    const seen = (failed: boolean): LedgerCommand => {
      const asset = { standard: 'native' } as const;
      const transfer = { transaction: '0x1', index: '0', asset, from: 'a', to: 'b', value: '1', fee: '1', details: {} };
      return {
        type: 'Observe',
        data: { ...of, transfers: [{ transfer: { ...transfer, failed }, own: ['b'] }], touches: [] },
      };
    };
    const { number, hash, chain } = block;
    const commands = ({ drops, phase }: Pick<Ledger, 'drops' | 'phase'>): LedgerCommand[] => [
      seen(false),
      seen(true),
      { type: 'Confirm', data: { ...of, open: true } },
      {
        type: 'Settle',
        data: {
          ...of,
          balances: [],
          aside: [],
          at: { number, hash, chain },
          open: false,
          drops,
          retracted: phase === 'due',
        },
      },
      { type: 'Drop', data: { ...of, notified: false } },
    ];
    const statusOf = ({ state }: { readonly state: Parameters<typeof transferStateOf>[0] }) => transferStateOf(state);
    compare(
      '31-transfers',
      'transfer_state',
      transitionsOf({
        decider: ledger,
        projection: transfers,
        commands,
        statusOf,
        bounded: ({ state, document }) => ({ state: { ...state, drops: Math.min(state.drops, 2) }, document }),
      }),
    );
  });

  it('lists the transitions of a managed transaction that its decider allows', () => {
    const named = { transactionId: 'tx_1' };
    const request = { walletId: 'wal_1', from: '0xaa', chain: '0xb0', request: 'r', chainId: 1, nonce: 7 };
    const unsigned = { to: '0xbb', value: '1', gas: '21000', gasPrice: '8', data: '0x' };
    const blocks = ['0xb5', '0xc5'].map((hash) => ({ number: 5, hash }));
    const observe = (outcome: Outcome): TransactionCommand[] =>
      [false, true].flatMap((isDeep) =>
        [false, isDeep].map((isFinal) => ({
          type: 'Observe' as const,
          data: { ...named, outcome, confirmations: 1, isDeep, isFinal },
        })),
      );
    const commands = ({ cancellation }: { readonly cancellation: object | null }): TransactionCommand[] => [
      { type: 'Create', data: { ...named, ...request, ...unsigned } },
      { type: 'Sign', data: { ...named, raw: '0x01', hash: cancellation ? '0x22' : '0x11' } },
      { type: 'Send', data: named },
      { type: 'Take', data: named },
      { type: 'Refuse', data: { ...named, reason: 'underpriced' } },
      { type: 'Cancel', data: named },
      { type: 'RequestCancel', data: { ...named, gasPrice: '9' } },
      ...observe({ kind: 'waiting' }),
      ...observe({ kind: 'replaced' }),
      ...blocks.flatMap((block) => [
        ...[false, true].flatMap((failed) => observe({ kind: 'mined', block, failed })),
        // A watcher finds no cancellation in a block before one was requested.
        ...(cancellation ? observe({ kind: 'canceled', block }) : []),
      ]),
    ];
    const statusOf = ({ state }: { readonly state: Parameters<typeof transactionStateOf>[0] }) =>
      transactionStateOf(state);
    compare(
      '32-managed-transactions',
      'transaction_state',
      transitionsOf({ decider: transaction, projection: transactions, commands, statusOf }),
    );
  });

  it('lists the transitions of a delivery that its decider allows', () => {
    const named = { deliveryId: 'dlv_1', webhookId: 'wh_1' };
    const attempt = (status: number): DeliveryCommand => ({
      type: 'Attempt',
      data: { ...named, status, failure: '', durationMs: 1, answer: '', at: 0, jitter: 0.5, retryAt: null },
    });
    // A canceled delivery belongs to a removed webhook, to which ResendWebhook sends nothing.
    const orders = (isCanceled: boolean) => [
      ...(isCanceled ? [] : (['Resend'] as const)),
      ...(['Cancel', 'Park', 'Unpark'] as const),
    ];
    const commands = ({ state }: { readonly state: string }): DeliveryCommand[] => [
      { type: 'Request', data: { ...named, notificationType: 'any', data: {} } },
      ...[200, 500, 410].map(attempt),
      ...orders(state === 'canceled').map((type) => ({ type, data: named })),
    ];
    const statusOf = ({ status }: { readonly status: Parameters<typeof webhookStatusOf>[0] }) =>
      webhookStatusOf(status);
    compare(
      '33-webhook-deliveries',
      'webhook_status',
      transitionsOf({
        decider: delivery,
        projection: webhookHistories,
        commands,
        statusOf,
        bounded: ({ state, document }) => ({
          state: { ...state, attempts: 0, tries: Math.min(state.tries, retryDelays.length + 1) },
          document: document && { ...document, delivery_count: 0 },
        }),
      }),
    );
  });
});
