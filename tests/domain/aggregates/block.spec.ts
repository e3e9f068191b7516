import { block } from '../../../domain/aggregates/chain/block.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('a block', () => {
  const of = { block: { number: 7, hash: '0x7', chain: '0x0' } };
  const unreadable = { type: 'BlockUnreadable', data: { ...of, reason: 'a receipt is missing' } } as const;
  const readInstead = { type: 'BalancesReadInstead', data: of } as const;
  const retried = { type: 'BlockRetryRequested', data: of } as const;
  const read = { type: 'BlockRead', data: of } as const;
  const accepted = { type: 'ReplacementAccepted', data: { ...of, replacement: '0x8', from: 5 } } as const;
  const other = { type: 'ReplacementAccepted', data: { ...of, replacement: '0x9', from: 5 } } as const;
  const followed = { type: 'ReplacementFollowed', data: { ...of, replacement: '0x8' } } as const;
  const present = refused('FAILED_PRECONDITION', 'Block 7 was not skipped');
  check(block, {
    states: {
      'followed normally': [],
      skipped: [unreadable],
      'skipped with balances read instead': [unreadable, readInstead],
      'to be read again': [unreadable, retried],
      'read late': [unreadable, retried, read],
      'skipped again': [unreadable, retried, unreadable],
      'replaced with an accepted block': [accepted],
      'finally replaced': [accepted, followed],
    },
    rows: [
      {
        asks: 'LeaveOut',
        command: { type: 'LeaveOut', data: unreadable.data },
        when: {
          skipped: nothing,
          'skipped with balances read instead': nothing,
          'skipped again': nothing,
          otherwise: emits(unreadable),
        },
      },
      {
        asks: 'ReadInstead',
        command: { type: 'ReadInstead', data: of },
        when: { 'skipped with balances read instead': nothing, otherwise: emits(readInstead) },
      },
      {
        asks: 'Retry',
        command: { type: 'Retry', data: of },
        when: {
          'followed normally': present,
          'read late': present,
          'replaced with an accepted block': present,
          'finally replaced': present,
          'to be read again': nothing,
          otherwise: emits(retried),
        },
      },
      {
        asks: 'Read',
        command: { type: 'Read', data: of },
        when: {
          'followed normally': nothing,
          'read late': nothing,
          'replaced with an accepted block': nothing,
          'finally replaced': nothing,
          otherwise: emits(read),
        },
      },
      {
        asks: 'Accept',
        command: { type: 'Accept', data: accepted.data },
        when: { 'replaced with an accepted block': nothing, otherwise: emits(accepted) },
      },
      {
        asks: 'Accept of another replacement',
        command: { type: 'Accept', data: other.data },
        when: { otherwise: emits(other) },
      },
      {
        asks: 'Follow',
        command: { type: 'Follow', data: followed.data },
        when: { 'replaced with an accepted block': emits(followed), otherwise: nothing },
      },
    ],
  });
});
