import fc from 'fast-check';
import { step } from '../../../application/commands/handle.js';
import { nonce } from '../../../domain/aggregates/nonce.js';
import { type TransactionCommand, transaction } from '../../../domain/aggregates/transaction.js';
import { type Ask, one, owner } from './history-asks.js';

/** Ids of the transactions. The nonce of a transaction is the index of its id. */
export const transactionIds = ['tx_1', 'tx_2'];
export const from = `0x${'a'.repeat(40)}`;
export const genesis = '0xb0';

const moves = {
  create: 'create',
  sign: 'create sign',
  take: 'create sign send take',
  refuse: 'create sign send refuse',
  confirm: 'create sign send take mined confirmed',
  confirmFinally: 'create sign send take mined confirmed final',
  confirmAtOnce: 'create sign send final',
  undoConfirmation: 'create sign send take mined confirmed waiting',
  fail: 'create sign send mined failed',
  drop: 'create sign send mined waiting',
  replace: 'create sign send replaced closed',
  cancel: 'create cancel',
  cancelSent: 'create sign send requestCancel signCancel send canceled',
  refuseCancel: 'create sign send requestCancel signCancel send refuse',
  closeCanceled: 'create sign send requestCancel signCancel send canceled canceledDeep',
} as const;

const block = { number: 7, hash: '0xb7' };
const commandsFor = (transactionId: string, walletId: string): Record<string, TransactionCommand> => {
  const named = { transactionId };
  const observe = (
    outcome: Extract<TransactionCommand, { type: 'Observe' }>['data']['outcome'],
    confirmations: number,
  ) => {
    const [isDeep, isFinal] = [confirmations >= 3, confirmations >= 64];
    return { type: 'Observe', data: { ...named, outcome, confirmations, isDeep, isFinal } } as const;
  };
  const created = { ...named, walletId, from, chain: genesis, chainId: 1, request: 'r' };
  const unsigned = { nonce: transactionIds.indexOf(transactionId), to: from, value: '1', gas: '2', gasPrice: '3' };
  return {
    create: { type: 'Create', data: { ...created, ...unsigned, data: '0x' } },
    sign: { type: 'Sign', data: { ...named, raw: '0x01', hash: `0x${transactionId}` } },
    signCancel: { type: 'Sign', data: { ...named, raw: '0x02', hash: `0xc${transactionId}` } },
    send: { type: 'Send', data: named },
    take: { type: 'Take', data: named },
    refuse: { type: 'Refuse', data: { ...named, reason: 'underpriced' } },
    cancel: { type: 'Cancel', data: named },
    requestCancel: { type: 'RequestCancel', data: { ...named, gasPrice: '4' } },
    mined: observe({ kind: 'mined', block, failed: false }, 1),
    confirmed: observe({ kind: 'mined', block, failed: false }, 3),
    final: observe({ kind: 'mined', block, failed: false }, 64),
    failed: observe({ kind: 'mined', block, failed: true }, 3),
    waiting: observe({ kind: 'waiting' }, 0),
    replaced: observe({ kind: 'replaced' }, 1),
    closed: observe({ kind: 'replaced' }, 64),
    canceled: observe({ kind: 'canceled', block }, 1),
    canceledDeep: observe({ kind: 'canceled', block }, 64),
  };
};

export const transactionAsks = fc
  .record({ ...owner, what: one(Object.values(moves)), transactionId: one(transactionIds) })
  .map(({ organizationId, variant, walletId, what, transactionId }): Ask[] => {
    const commands = commandsFor(transactionId, walletId);
    const number = transactionIds.indexOf(transactionId);
    const data = { chain: genesis, from, nonce: number, transactionId };
    const key = `${variant}.${genesis}.${from}.${number}`;
    const held = {
      create: [step(nonce, organizationId, key, { type: 'Hold', data })],
      cancel: [step(nonce, organizationId, key, { type: 'Release', data })],
    };
    return what.split(' ').map((each) => ({
      organizationId,
      variant,
      steps: [
        step(transaction, organizationId, `${variant}.${transactionId}`, commands[each] as TransactionCommand),
        ...(each === 'create' || each === 'cancel' ? held[each] : []),
      ],
    }));
  });
