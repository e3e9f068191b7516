import assert from 'node:assert/strict';
import fc from 'fast-check';
import { retryDelays } from '../../../domain/aggregates/delivery/retry-schedule.js';
import {
  type Delivery,
  type DeliveryCommand,
  type DeliveryEvent,
  delivery,
  type NotificationEvent,
} from '../../../domain/aggregates/delivery.js';
import { decide, fold } from '../../../domain/decider.js';
import { check, emits, nothing } from '../../support/histories/matrix.js';

describe('a delivery', () => {
  type Attempt = Extract<DeliveryCommand, { type: 'Attempt' }>['data'];
  const named = { deliveryId: 'whd_1', webhookId: 'whk_1' };
  const data = { ...named, notificationType: 'N', data: { value: '5' } };
  const at = 1_700_000_000_000;
  const asked = { type: 'DeliveryRequested', data } as const;
  const canceled = { type: 'DeliveryCanceled', data: named } as const;
  const resent = { type: 'DeliveryResent', data: named } as const;
  const parked = { type: 'DeliveryParked', data: named } as const;
  const forFeed = { deliveryId: 'whd_1', notificationType: 'N', data: { value: '5' } };
  const recorded = { type: 'NotificationRecorded', data: forFeed } as const;

  const [second, minute, hour] = [1000, 60_000, 3_600_000];
  const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

  const failing = { ...named, status: 503, failure: '', durationMs: 12, answer: 'busy', at };
  const succeeding = { ...failing, status: 200, answer: 'ok' };
  const silent = { ...failing, status: null, failure: 'no answer in time', answer: '' };
  const attempt = (made: typeof failing | typeof silent, jitter = 0.5, retryAt: number | null = null) =>
    ({ type: 'Attempt', data: { ...made, jitter, retryAt } }) as const;
  const attempted = (
    outcome: 'completed' | 'retrying' | 'failed',
    nextAt: number | null,
    made: typeof failing | typeof silent = failing,
  ) => ({ type: 'DeliveryAttempted', data: { ...made, outcome, nextAt } }) as const;

  const again = (tries: number) => attempted('retrying', at + (delays[tries - 1] ?? 0));
  const [failed, completed] = [attempted('failed', null), attempted('completed', null, succeeding)];
  /** Events of a delivery after every attempt has failed. */
  const exhausted = [...delays.map((_, i) => again(i + 1)), failed];

  const retried = (made: typeof failing | typeof silent, tries: number) =>
    emits<DeliveryEvent | NotificationEvent>(attempted('retrying', at + (delays[tries - 1] ?? 0), made));
  const late = (made: typeof failing | typeof silent) =>
    emits<DeliveryEvent | NotificationEvent>(attempted('failed', null, made));
  const states = {
    unknown: [],
    pending: [asked],
    retrying: [asked, again(1)],
    'at its last try': [asked, ...exhausted.slice(0, -1)],
    completed: [asked, again(1), completed],
    failed: [asked, ...exhausted],
    canceled: [asked, again(1), canceled],
    'resent after it failed': [asked, ...exhausted, resent],
    'resent after it was completed': [asked, completed, resent],
    'completed though it was canceled': [asked, canceled, completed],
    parked: [asked, parked],
    'parked after a failure': [asked, again(1), parked],
    'parked with an attempt that failed later': [asked, parked, again(1)],
    'resent after it was parked': [asked, again(1), parked, resent],
    recorded: [recorded],
  };
  check<DeliveryCommand, DeliveryEvent | NotificationEvent, Delivery, keyof typeof states>(delivery, {
    states,
    rows: [
      { asks: 'Request', command: { type: 'Request', data }, when: { unknown: emits(asked), otherwise: nothing } },
      {
        asks: 'Attempt that succeeds',
        command: attempt(succeeding),
        when: { unknown: nothing, recorded: nothing, otherwise: emits(completed) },
      },
      ...[failing, silent].map((made) => ({
        asks: made === silent ? 'Attempt without an answer' : 'Attempt that fails',
        command: attempt(made),
        when: {
          unknown: nothing,
          recorded: nothing,
          pending: retried(made, 1),
          retrying: retried(made, 2),
          'resent after it failed': retried(made, 1),
          'resent after it was completed': retried(made, 1),
          'resent after it was parked': retried(made, 1),
          parked: retried(made, 1),
          'parked after a failure': retried(made, 2),
          'parked with an attempt that failed later': retried(made, 2),
          otherwise: late(made),
        },
      })),
      {
        asks: 'Cancel',
        command: { type: 'Cancel', data: named },
        when: {
          pending: emits(canceled),
          retrying: emits(canceled),
          'at its last try': emits(canceled),
          'resent after it failed': emits(canceled),
          'resent after it was completed': emits(canceled),
          'resent after it was parked': emits(canceled),
          parked: emits(canceled),
          'parked after a failure': emits(canceled),
          'parked with an attempt that failed later': emits(canceled),
          otherwise: nothing,
        },
      },
      {
        asks: 'Park',
        command: { type: 'Park', data: named },
        when: {
          pending: emits(parked),
          retrying: emits(parked),
          'at its last try': emits(parked),
          'resent after it failed': emits(parked),
          'resent after it was completed': emits(parked),
          'resent after it was parked': emits(parked),
          otherwise: nothing,
        },
      },
      {
        asks: 'Unpark',
        command: { type: 'Unpark', data: named },
        when: {
          parked: emits(resent),
          'parked after a failure': emits(resent),
          'parked with an attempt that failed later': emits(resent),
          otherwise: nothing,
        },
      },
      {
        asks: 'Resend',
        command: { type: 'Resend', data: named },
        when: { unknown: nothing, recorded: nothing, otherwise: emits(resent) },
      },
      {
        asks: 'Record',
        command: { type: 'Record', data: forFeed },
        when: { unknown: emits(recorded), otherwise: nothing },
      },
    ],
  });

  const stateAfter = (...events: DeliveryEvent[]) => fold(delivery, [asked, ...events]);
  const decided = (tries: number, data: Attempt) => {
    const events = decide(delivery, stateAfter(...exhausted.slice(0, tries - 1)), { type: 'Attempt', data });
    const [event] = events;
    assert.ok(event?.type === 'DeliveryAttempted' && events.length === 1);
    return event.data;
  };
  const nextAfter = (tries: number, jitter: number, retryAt: number | null = null) => {
    const { outcome, nextAt } = decided(tries, { ...failing, jitter, retryAt });
    return { outcome, nextAt };
  };

  it('waits after each of seven attempts, with growing delays', () => assert.deepEqual(retryDelays, delays));
  for (const [i, delay] of delays.entries())
    it(`is retried ${delay / second} seconds after attempt ${i + 1}, plus or minus 10%`, () => {
      const retrying = (share: number) => ({ outcome: 'retrying', nextAt: at + Math.round(delay * share) });
      assert.deepEqual(nextAfter(i + 1, 0), retrying(0.9));
      assert.deepEqual(nextAfter(i + 1, 0.5), retrying(1));
      assert.deepEqual(nextAfter(i + 1, 1), retrying(1.1));
    });
  it('waits a whole number of milliseconds within 10% of the delay', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, jitter) => {
        const waited = (nextAfter(tries, jitter).nextAt ?? 0) - at;
        const delay = delays[tries - 1] ?? 0;
        assert.ok(Number.isInteger(waited) && waited >= 0.9 * delay && waited <= 1.1 * delay, `${waited}`);
      }),
    ));
  it('fails with the eighth attempt, whatever the receiver requests', () => {
    const over = { outcome: 'failed', nextAt: null };
    for (const retryAt of [null, at + hour]) assert.deepEqual(nextAfter(8, 0.5, retryAt), over);
    assert.deepEqual([stateAfter(...exhausted).state, stateAfter(...exhausted).attempts], ['failed', 8]);
  });
  it('waits as long as the receiver requests, and never less than the delay', () => {
    for (const [i, delay] of delays.entries()) {
      const next = (retryAt: number) => nextAfter(i + 1, 0.5, retryAt).nextAt;
      assert.equal(next(at + delay + 1), at + delay + 1);
      assert.equal(next(at + delay - 1), at + delay);
      assert.equal(next(0), at + delay);
    }
  });
  it('is completed by every 2xx response and by no other', () => {
    const outcomes = (...statuses: (number | null)[]) =>
      statuses.map((status) => decided(1, { ...failing, status, jitter: 0, retryAt: null }).outcome);
    assert.deepEqual(new Set(outcomes(200, 201, 202, 204, 299)), new Set(['completed']));
    assert.deepEqual(
      new Set(outcomes(null, 100, 199, 300, 301, 304, 400, 404, 409, 411, 429, 500)),
      new Set(['retrying']),
    );
  });

  it('is not retried after 410 Gone', () => {
    for (const retryAt of [null, at + hour]) {
      const { outcome, nextAt } = decided(1, { ...failing, status: 410, jitter: 0.5, retryAt });
      assert.deepEqual({ outcome, nextAt }, { outcome: 'failed', nextAt: null });
    }
    assert.deepEqual([stateAfter(failed).state, stateAfter(failed, resent).state], ['failed', 'pending']);
  });

  it('counts all its attempts, and those since it was last requested or resent', () => {
    const counts = (...events: DeliveryEvent[]) => {
      const { state, attempts, tries, nextAt } = stateAfter(...events);
      return { state, attempts, tries, nextAt };
    };
    const next = (tries: number) => at + (delays[tries - 1] ?? 0);
    assert.deepEqual(counts(), { state: 'pending', attempts: 0, tries: 0, nextAt: 0 });
    assert.deepEqual(counts(again(1)), { state: 'retrying', attempts: 1, tries: 1, nextAt: next(1) });
    assert.deepEqual(counts(again(1), again(2)), { state: 'retrying', attempts: 2, tries: 2, nextAt: next(2) });
    const anew = [...exhausted, resent];
    assert.deepEqual(counts(...anew), { state: 'pending', attempts: 8, tries: 0, nextAt: 0 });
    assert.deepEqual(counts(...anew, again(1)), { state: 'retrying', attempts: 9, tries: 1, nextAt: next(1) });
    assert.deepEqual(counts(...anew, ...exhausted).state, 'failed');
    assert.deepEqual(counts(again(1), resent), { state: 'pending', attempts: 1, tries: 0, nextAt: 0 });
  });
  it('keeps its final state when a late attempt fails, and counts the attempt', () => {
    for (const [state, past] of Object.entries({
      completed: [again(1), completed],
      canceled: [again(1), canceled],
      failed: exhausted,
    })) {
      const [before, then] = [stateAfter(...past), stateAfter(...past, failed)];
      assert.equal(before.state, state);
      assert.deepEqual(then, { ...before, attempts: before.attempts + 1, tries: before.tries + 1 });
    }
  });
  it('is completed by a late attempt that succeeds, even if it had failed or was canceled', () => {
    for (const past of [[canceled], exhausted, [completed]]) {
      const [before, then] = [stateAfter(...past), stateAfter(...past, completed)];
      assert.deepEqual([then.state, then.attempts], ['completed', before.attempts + 1]);
    }
  });
  it('keeps its request in every state', () => {
    assert.equal(fold(delivery, []).request, null);
    for (const past of Object.values(states).slice(1, -1)) assert.deepEqual(fold(delivery, past).request, data);
  });
});
