import { nonce } from '../../domain/nonce.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

describe('nonce', () => {
  const place = { chain: '0xb0', from: '0xaa', nonce: 7, transactionId: 'one' };
  const other = { ...place, transactionId: 'two' };
  const outbids = { ...other, replaces: 'one' };
  const held = { type: 'NonceHeld', data: place } as const;
  const replaced = { type: 'NonceHeld', data: outbids } as const;
  const released = (data: typeof place, free: boolean) => ({ type: 'NonceReleased', data: { ...data, free } }) as const;
  const taken = (by: string) => refused('FAILED_PRECONDITION', `nonce 7 of 0xaa is held by transaction ${by}`);
  check(nonce, {
    pasts: {
      free: [],
      held: [held],
      outbid: [held, replaced],
      'outbid in vain': [held, replaced, released(other, false)],
      'free again': [held, released(place, true)],
    },
    rows: [
      ['Hold', { type: 'Hold', data: place }, emits(held), nothing, nothing, nothing, emits(held)],
      [
        'Hold by another',
        { type: 'Hold', data: other },
        emits({ type: 'NonceHeld', data: other } as const),
        taken('one'),
        nothing,
        taken('one'),
        emits({ type: 'NonceHeld', data: other } as const),
      ],
      [
        'Hold to outbid',
        { type: 'Hold', data: outbids },
        emits(replaced),
        emits(replaced),
        nothing,
        emits(replaced),
        emits(replaced),
      ],
      [
        'Hold by a third',
        { type: 'Hold', data: { ...place, transactionId: 'three', replaces: 'one' } },
        emits({ type: 'NonceHeld', data: { ...place, transactionId: 'three', replaces: 'one' } } as const),
        emits({ type: 'NonceHeld', data: { ...place, transactionId: 'three', replaces: 'one' } } as const),
        taken('two'),
        emits({ type: 'NonceHeld', data: { ...place, transactionId: 'three', replaces: 'one' } } as const),
        emits({ type: 'NonceHeld', data: { ...place, transactionId: 'three', replaces: 'one' } } as const),
      ],
      [
        'Release',
        { type: 'Release', data: place },
        nothing,
        emits(released(place, true)),
        emits(released(place, false)),
        emits(released(place, true)),
        nothing,
      ],
    ],
  });
});
