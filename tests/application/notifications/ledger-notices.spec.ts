import assert from 'node:assert/strict';
import { noticesAt } from '../../../application/notifications/ledger-notices.js';
import type { NewEvent } from '../../../application/ports/event-store.js';
import type { LedgerEvent } from '../../../domain/aggregates/ledger.js';
import {
  closed,
  closedForFeed,
  corrected,
  dropped,
  inBlock,
  observed,
  paid,
  settled,
  settledOpen,
  unread,
} from '../../support/histories/ledger-events.js';

/** Returns the transactions and states that the feed reports at each event of a ledger, by the index of the event. */
const reportedBy = (...events: readonly LedgerEvent[]) => {
  const past = events.map((event, i) => ({ ...event, id: String(i) }) as unknown as NewEvent);
  return Object.fromEntries(
    past
      .map(
        ({ id }) =>
          [id, noticesAt(past, id).map(({ seen, state }) => `${seen.transfer.transaction} ${state}`)] as const,
      )
      .filter(([, notices]) => notices.length > 0),
  );
};
const confirmedNotices = ['0xt1 SUCCESS', '0xt2 FAILED'];
const removedNotices = ['0xt1 REMOVED', '0xt2 REMOVED'];
const last = (...events: readonly LedgerEvent[]) => String(events.length - 1);

describe('the notifications that the feed derives from a ledger', () => {
  const alone = [...observed, ...settled];

  it('report transfers that are confirmed without a webhook, once', () => {
    assert.deepEqual(reportedBy(...observed), {});
    assert.deepEqual(reportedBy(...alone), { [last(...alone)]: confirmedNotices });
    const refreshed: LedgerEvent = { type: 'ActivitySettled', data: inBlock };
    assert.deepEqual(reportedBy(...alone, refreshed), { [last(...alone)]: confirmedNotices });
  });

  it('report them when they are confirmed, even if their balances are read later', () => {
    const late = [...observed, ...settled.slice(0, 2), unread];
    assert.deepEqual(reportedBy(...late, ...settled.slice(2)), { [last(...late)]: confirmedNotices });
  });

  it('leave out transfers that webhooks are notified of', () =>
    assert.deepEqual(reportedBy(...observed, ...settledOpen, closed), {}));

  it('report transfers whose webhooks were all disabled or removed', () => {
    const events = [...observed, ...settledOpen, closedForFeed];
    assert.deepEqual(reportedBy(...events), { [last(...events)]: confirmedNotices });
  });

  it('report a late transfer of a confirmed block alone', () => {
    const transfer = { ...paid, transaction: '0xt3' };
    const found: LedgerEvent = { type: 'TransferObserved', data: { ...inBlock, transfer, own: ['0xaa'] } };
    const events = [...alone, found, unread];
    assert.deepEqual(reportedBy(...events), {
      [last(...alone)]: confirmedNotices,
      [last(...events)]: ['0xt3 SUCCESS'],
    });
  });

  it('retract what they reported when the block is dropped, and nothing else', () => {
    const events = [...alone, ...dropped(true)];
    assert.deepEqual(reportedBy(...events, ...corrected), {
      [last(...alone)]: confirmedNotices,
      [last(...events)]: removedNotices,
    });
    assert.deepEqual(reportedBy(...observed, ...dropped(false)), {});
    assert.deepEqual(reportedBy(...observed, ...settledOpen, closed, ...dropped(true)), {});
  });

  it('report everything again each time that a dropped block comes back', () => {
    const once = [...alone, ...dropped(true)];
    const twice = [...once, ...observed, ...settled];
    const thrice = [...twice, ...dropped(true)];
    assert.deepEqual(reportedBy(...thrice), {
      [last(...alone)]: confirmedNotices,
      [last(...once)]: removedNotices,
      [last(...twice)]: confirmedNotices,
      [last(...thrice)]: removedNotices,
    });
  });
});
