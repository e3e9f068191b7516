import assert from 'node:assert/strict';
import { createWatchIndex } from '../../../application/watch-list/watch-index.js';

const holder = { organizationId: 'org_a', walletId: 'wal_1' };
const other = { organizationId: 'org_b', walletId: 'wal_1' };
const address = `0x${'a'.repeat(40)}`;

/**
 * Returns a watch index in which two organizations held the address and the first organization removed the address at
 * height 9.
 */
const departed = () => {
  const watched = createWatchIndex('C', 7);
  watched.hold(holder, address);
  watched.hold(other, address);
  watched.depart({ holder, address, head: 9 });
  return watched;
};

describe('an address that was removed at a height', () => {
  it("is no longer held by its wallet, but still by another organization's wallet", () =>
    assert.deepEqual(departed().holders(address), [other]));

  it('counts for its wallet in blocks up to that height', () => {
    assert.deepEqual(new Set(departed().holdersAt(address, 9)), new Set([holder, other]));
    assert.deepEqual(departed().holdersAt(address, 10), [other]);
  });

  it('is forgotten once that height is final', () => {
    const watched = departed();
    watched.finalize(8);
    assert.equal(watched.holdersAt(address, 9).length, 2);
    watched.finalize(9);
    assert.deepEqual(watched.holdersAt(address, 9), [other]);
  });

  it('is not visited before that height is final, however many addresses depart', () => {
    const watched = createWatchIndex('C', 7);
    let visits = 0;
    for (let n = 0; n < 500; n++) {
      const removed = `0x${n.toString(16).padStart(40, '0')}`;
      watched.hold(holder, removed);
      const departure = { holder, address: removed, head: 1000 + n };
      watched.depart({
        ...departure,
        get head() {
          visits++;
          return departure.head;
        },
      });
    }
    visits = 0;
    for (let height = 0; height < 1000; height++) watched.finalize(height);
    assert.equal(visits, 0);
    watched.finalize(1009);
    assert.ok(visits <= 20, `${visits} visits`);
    assert.equal(watched.holdersAt(`0x${'9'.padStart(40, '0')}`, 1009).length, 0);
    assert.equal(watched.holdersAt(`0x${'a'.padStart(40, '0')}`, 1009).length, 1);
  });

  it('departs once more after it was registered again, at the later height', () => {
    const watched = departed();
    watched.hold(holder, address);
    watched.depart({ holder, address, head: 20 });
    watched.finalize(19);
    assert.deepEqual(new Set(watched.holdersAt(address, 20)), new Set([holder, other]));
    watched.finalize(20);
    assert.deepEqual(watched.holdersAt(address, 20), [other]);
  });

  it('is held again after another registration, whatever height becomes final', () => {
    const watched = departed();
    watched.hold(holder, address);
    watched.finalize(9);
    assert.deepEqual(new Set(watched.holders(address)), new Set([holder, other]));
  });
});
