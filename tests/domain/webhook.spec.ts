import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decide, fold } from '../../domain/decider.js';
import { type DeliveryCommand, type DeliveryEvent, delivery, retryDelays } from '../../domain/delivery.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHeader } from '../../domain/webhook-header.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

describe('webhook', () => {
  const named = { webhookId: 'whk_1' };
  const data = { ...named, walletId: 'wal_1', endpoint: 'https://a.example/', confirmation: 3, sealedSecret: 'sealed' };
  const registered = { type: 'WebhookRegistered', data } as const;
  const broken = { ...named, reason: 'gone' };
  const disabled = { type: 'WebhookDisabled', data: broken } as const;
  const revived = { type: 'WebhookRevived', data: named } as const;
  const removed = { type: 'WebhookRemoved', data: named } as const;
  const missing = refused('NOT_FOUND', 'there is no webhook whk_1');
  const { walletId, ...ofEveryWallet } = data;
  const every = { ...ofEveryWallet, confirmation: 0 };
  check(webhook, {
    pasts: {
      none: [],
      active: [registered],
      disabled: [registered, disabled],
      revived: [registered, disabled, revived],
      removed: [registered, removed],
      'removed while disabled': [registered, disabled, removed],
    },
    rows: [
      ['Register', { type: 'Register', data }, emits(registered), ...Array(5).fill(nothing)],
      [
        'Register for every wallet',
        { type: 'Register', data: every },
        emits({ type: 'WebhookRegistered', data: every } as const),
        ...Array(5).fill(nothing),
      ],
      ['Remove', { type: 'Remove', data: named }, missing, ...Array(3).fill(emits(removed)), missing, missing],
      [
        'Disable',
        { type: 'Disable', data: broken },
        nothing,
        emits(disabled),
        nothing,
        emits(disabled),
        nothing,
        nothing,
      ],
      ['Revive', { type: 'Revive', data: named }, missing, nothing, emits(revived), nothing, missing, missing],
      [
        'RequireRegistered',
        { type: 'RequireRegistered', data: named },
        missing,
        nothing,
        nothing,
        nothing,
        missing,
        missing,
      ],
    ],
  });
});

describe('webhook header', () => {
  const data = { headerId: 'whh_1', webhookId: 'whk_1', name: 'x-environment', sealedValue: 'sealed' };
  const ofEvery = { headerId: 'whh_1', name: 'x-environment', sealedValue: 'sealed' };
  const registered = { type: 'WebhookHeaderRegistered', data } as const;
  const removed = { type: 'WebhookHeaderRemoved', data: { headerId: 'whh_1' } } as const;
  const missing = refused('NOT_FOUND', 'there is no webhook header whh_1');
  check(webhookHeader, {
    pasts: { none: [], registered: [registered], removed: [registered, removed] },
    rows: [
      ['Register', { type: 'Register', data }, emits(registered), nothing, nothing],
      [
        'Register for every webhook',
        { type: 'Register', data: ofEvery },
        emits({ type: 'WebhookHeaderRegistered', data: ofEvery } as const),
        nothing,
        nothing,
      ],
      ['Remove', { type: 'Remove', data: { headerId: 'whh_1' } }, missing, emits(removed), missing],
    ],
  });
});

describe('delivery', () => {
  type Attempt = Extract<DeliveryCommand, { type: 'Attempt' }>['data'];
  const named = { deliveryId: 'whd_1', webhookId: 'whk_1' };
  const data = { ...named, notificationType: 'N', data: { value: '5' } };
  const at = 1_700_000_000_000;
  const asked = { type: 'DeliveryRequested', data } as const;
  const canceled = { type: 'DeliveryCanceled', data: named } as const;
  const resent = { type: 'DeliveryResent', data: named } as const;

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
  /** As many tries as there are, of which none came through. */
  const exhausted = [...delays.map((_, i) => again(i + 1)), failed];

  const retried = (made: typeof failing | typeof silent, tries: number) =>
    emits<DeliveryEvent>(attempted('retrying', at + (delays[tries - 1] ?? 0), made));
  const late = (made: typeof failing | typeof silent) => emits<DeliveryEvent>(attempted('failed', null, made));
  const pasts: Record<string, DeliveryEvent[]> = {
    none: [],
    pending: [asked],
    retrying: [asked, again(1)],
    'at its last try': [asked, ...exhausted.slice(0, -1)],
    completed: [asked, again(1), completed],
    failed: [asked, ...exhausted],
    canceled: [asked, again(1), canceled],
    'asked for again': [asked, ...exhausted, resent],
    'asked for again after it was completed': [asked, completed, resent],
    'completed though it was canceled': [asked, canceled, completed],
  };
  check(delivery, {
    pasts,
    rows: [
      ['Request', { type: 'Request', data }, emits(asked), ...Array(9).fill(nothing)],
      ['Attempt that succeeds', attempt(succeeding), nothing, ...Array(9).fill(emits(completed))],
      ...[failing, silent].map((made): [string, DeliveryCommand, ...ReturnType<typeof late>[]] => [
        made === silent ? 'Attempt without an answer' : 'Attempt that fails',
        attempt(made),
        nothing,
        retried(made, 1),
        retried(made, 2),
        late(made),
        late(made),
        late(made),
        late(made),
        retried(made, 1),
        retried(made, 1),
        late(made),
      ]),
      [
        'Cancel',
        { type: 'Cancel', data: named },
        nothing,
        ...Array(3).fill(emits(canceled)),
        ...Array(3).fill(nothing),
        ...Array(2).fill(emits(canceled)),
        nothing,
      ],
      ['Resend', { type: 'Resend', data: named }, nothing, ...Array(9).fill(emits(resent))],
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

  it('waits longer after each try, seven times', () => assert.deepEqual(retryDelays, delays));
  for (const [i, delay] of delays.entries())
    it(`is tried again ${delay / second} seconds after try ${i + 1}, give or take a tenth`, () => {
      const retrying = (share: number) => ({ outcome: 'retrying', nextAt: at + Math.round(delay * share) });
      assert.deepEqual(nextAfter(i + 1, 0), retrying(0.9));
      assert.deepEqual(nextAfter(i + 1, 0.5), retrying(1));
      assert.deepEqual(nextAfter(i + 1, 1), retrying(1.1));
    });
  it('never waits more than a tenth less or longer, in whole milliseconds', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, jitter) => {
        const waited = (nextAfter(tries, jitter).nextAt ?? 0) - at;
        const delay = delays[tries - 1] ?? 0;
        assert.ok(Number.isInteger(waited) && waited >= 0.9 * delay && waited <= 1.1 * delay, `${waited}`);
      }),
    ));
  it('fails with the eighth try, whatever the receiver asks for', () => {
    const over = { outcome: 'failed', nextAt: null };
    for (const retryAt of [null, at + hour]) assert.deepEqual(nextAfter(8, 0.5, retryAt), over);
    assert.deepEqual([stateAfter(...exhausted).state, stateAfter(...exhausted).attempts], ['failed', 8]);
  });
  it('leaves the receiver alone for as long as it asks, and never for less than the delay', () => {
    for (const [i, delay] of delays.entries()) {
      const next = (retryAt: number) => nextAfter(i + 1, 0.5, retryAt).nextAt;
      assert.equal(next(at + delay + 1), at + delay + 1);
      assert.equal(next(at + delay - 1), at + delay);
      assert.equal(next(0), at + delay);
    }
  });
  it('is completed by every 2xx and by nothing else', () => {
    const outcomes = (...statuses: (number | null)[]) =>
      statuses.map((status) => decided(1, { ...failing, status, jitter: 0, retryAt: null }).outcome);
    assert.deepEqual(new Set(outcomes(200, 201, 202, 204, 299)), new Set(['completed']));
    assert.deepEqual(
      new Set(outcomes(null, 100, 199, 300, 301, 304, 400, 404, 409, 411, 429, 500)),
      new Set(['retrying']),
    );
  });

  it('is not tried again where the receiver says that it is gone', () => {
    for (const retryAt of [null, at + hour]) {
      const { outcome, nextAt } = decided(1, { ...failing, status: 410, jitter: 0.5, retryAt });
      assert.deepEqual({ outcome, nextAt }, { outcome: 'failed', nextAt: null });
    }
    assert.deepEqual([stateAfter(failed).state, stateAfter(failed, resent).state], ['failed', 'pending']);
  });

  it('counts every attempt, and the tries since it was asked for', () => {
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
  it('keeps its state when an attempt fails after it was finished, but counts it', () => {
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
  it('is completed by an attempt that succeeds after it was finished otherwise', () => {
    for (const past of [[canceled], exhausted, [completed]]) {
      const [before, then] = [stateAfter(...past), stateAfter(...past, completed)];
      assert.deepEqual([then.state, then.attempts], ['completed', before.attempts + 1]);
    }
  });
  it('remembers what to send, whatever becomes of it', () => {
    assert.equal(fold(delivery, []).request, null);
    for (const past of Object.values(pasts).slice(1)) assert.deepEqual(fold(delivery, past).request, data);
  });
});
