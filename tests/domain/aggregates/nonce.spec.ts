import { nonce } from '../../../domain/aggregates/nonce.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('a nonce', () => {
  const place = { chain: '0xb0', from: '0xaa', nonce: 7, transactionId: 'one' };
  const other = { ...place, transactionId: 'two' };
  const outbids = { ...other, replaces: 'one' };
  const third = { ...place, transactionId: 'three', replaces: 'one' };
  const held = { type: 'NonceHeld', data: place } as const;
  const heldByOther = { type: 'NonceHeld', data: other } as const;
  const heldByThird = { type: 'NonceHeld', data: third } as const;
  const replaced = { type: 'NonceHeld', data: outbids } as const;
  const released = (data: typeof place, free: boolean) => ({ type: 'NonceReleased', data: { ...data, free } }) as const;
  const taken = (by: string) => refused('FAILED_PRECONDITION', `Nonce 7 of 0xaa is held by transaction ${by}`);
  check(nonce, {
    states: {
      free: [],
      held: [held],
      outbid: [held, replaced],
      'outbid without success': [held, replaced, released(other, false)],
      'free again': [held, released(place, true)],
    },
    rows: [
      {
        asks: 'Hold',
        command: { type: 'Hold', data: place },
        when: { free: emits(held), 'free again': emits(held), otherwise: nothing },
      },
      {
        asks: 'Hold by another transaction',
        command: { type: 'Hold', data: other },
        when: {
          free: emits(heldByOther),
          held: taken('one'),
          outbid: nothing,
          'outbid without success': taken('one'),
          'free again': emits(heldByOther),
        },
      },
      {
        asks: 'Hold to outbid',
        command: { type: 'Hold', data: outbids },
        when: { outbid: nothing, otherwise: emits(replaced) },
      },
      {
        asks: 'Hold by a third transaction',
        command: { type: 'Hold', data: third },
        when: { outbid: taken('two'), otherwise: emits(heldByThird) },
      },
      {
        asks: 'Release',
        command: { type: 'Release', data: place },
        when: {
          free: nothing,
          held: emits(released(place, true)),
          outbid: emits(released(place, false)),
          'outbid without success': emits(released(place, true)),
          'free again': nothing,
        },
      },
    ],
  });
});
