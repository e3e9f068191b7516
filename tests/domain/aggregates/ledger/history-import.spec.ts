import { historyImport } from '../../../../domain/aggregates/ledger/history-import.js';
import { check, emits, nothing, refused } from '../../../support/histories/matrix.js';

describe('the import of the history of an address', () => {
  const of = (importId: string) => ({ importId, walletId: 'wal_1', address: '0xa' });
  const request = (importId: string, fromBlock: number, chain = '0xb0') =>
    ({ ...of(importId), fromBlock, toBlock: 90, chain }) as const;
  const ended = { ...of('imp_1'), completeSince: 10, sinceTime: 1_700_000_000, chain: '0xb0' };
  const failure = { ...of('imp_1'), block: 12, reason: 'Block 12 cannot be read.' };
  const requested = { type: 'ImportRequested', data: request('imp_1', 10) } as const;
  const completed = { type: 'ImportCompleted', data: ended } as const;
  const failed = { type: 'ImportFailed', data: failure } as const;
  const askedAgain = request('imp_2', 10);
  const [earlier, onNewChain] = [request('imp_3', 9), request('imp_4', 10, '0xc0')];
  const running = refused(
    'CONFLICT',
    'Import imp_1 of this address is running from block 10. Retry when GetImport shows that it has ended.',
  );
  check(historyImport, {
    states: {
      unknown: [],
      running: [requested],
      completed: [requested, completed],
      failed: [requested, failed],
      'running on a replaced chain': [requested, { type: 'ImportRequested', data: onNewChain }],
    },
    rows: [
      {
        asks: 'Request of the same blocks',
        command: { type: 'Request', data: askedAgain },
        when: { running: nothing, otherwise: emits({ type: 'ImportRequested', data: askedAgain }) },
      },
      {
        asks: 'Request of earlier blocks',
        command: { type: 'Request', data: earlier },
        when: { running, otherwise: emits({ type: 'ImportRequested', data: earlier }) },
      },
      {
        asks: 'Request on another chain',
        command: { type: 'Request', data: onNewChain },
        when: {
          'running on a replaced chain': nothing,
          otherwise: emits({ type: 'ImportRequested', data: onNewChain }),
        },
      },
      {
        asks: 'Complete',
        command: { type: 'Complete', data: ended },
        when: { running: emits(completed), otherwise: nothing },
      },
      { asks: 'Fail', command: { type: 'Fail', data: failure }, when: { running: emits(failed), otherwise: nothing } },
    ],
  });
});
