import assert from 'node:assert/strict';
import {
  type Cancellation,
  cancellationOf,
  createCancellation,
  signalOf,
  untilCancelled,
} from '../../../application/async/cancellation.js';
import { createSingleFlight } from '../../../application/async/single-flight.js';

/** Work that the test completes. `cancellations` lists the cancellation that each start received. */
const manualWork = () => {
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const cancellations: Cancellation[] = [];
  const work = (cancellation: Cancellation) => {
    cancellations.push(cancellation);
    return new Promise<string>((resolve, reject) => ends.push({ resolve, reject }));
  };
  return { work, ends, cancellations };
};

describe('a single flight', () => {
  it('does the work once for all concurrent callers with the same key, and again after it has ended', async () => {
    const { work, ends } = manualWork();
    const flights = createSingleFlight<string>();
    const asked = [1, 2].map(() => flights.run('a', undefined, work));
    const other = flights.run('b', undefined, work);
    assert.deepEqual([ends.length, flights.has('a', 0), flights.has('c', 0)], [2, true, false]);
    ends[0]?.resolve('first');
    ends[1]?.resolve('other');
    assert.deepEqual(await Promise.all([...asked, other]), ['first', 'first', 'other']);
    const again = flights.run('a', undefined, work);
    ends[2]?.resolve('second');
    assert.equal(await again, 'second');
  });

  it('passes a failure to every caller, and starts again for the next one', async () => {
    const { work, ends } = manualWork();
    const flights = createSingleFlight<string>();
    const asked = [1, 2].map(() => flights.run('a', createCancellation(), work));
    ends[0]?.reject(new Error('the work failed'));
    for (const one of asked) await assert.rejects(one, /the work failed/);
    assert.equal(flights.has('a', 0), false);
  });

  it('cancels the work when the last caller leaves, and lets no one join it afterwards', async () => {
    const { work, ends, cancellations } = manualWork();
    const flights = createSingleFlight<string>();
    const callers = [createCancellation(), createCancellation()];
    const [first] = callers.map((caller) => flights.run('a', caller, work));
    callers[0]?.cancel();
    assert.equal(cancellations[0]?.isCancelled(), false);
    callers[1]?.cancel();
    assert.deepEqual([cancellations[0]?.isCancelled(), flights.has('a', 0)], [true, false]);
    const next = flights.run('a', undefined, work);
    ends[1]?.resolve('for the next caller');
    ends[0]?.resolve('too late');
    assert.deepEqual(await Promise.all([first, next]), ['too late', 'for the next caller']);
  });

  it('rejects callers immediately when they leave if requested, and continues for the others', async () => {
    const { work, ends } = manualWork();
    const flights = createSingleFlight<string>(undefined, { rejectCancelled: true });
    const caller = createCancellation();
    const [gone, stays] = [flights.run('a', caller, work), flights.run('a', undefined, work)];
    caller.cancel();
    await assert.rejects(gone, /Client disconnected/);
    ends[0]?.resolve('for the other');
    assert.equal(await stays, 'for the other');
  });

  it('cancels the work of a caller who had already left', () => {
    const { work, cancellations } = manualWork();
    void createSingleFlight<string>().run('a', cancellationOf(AbortSignal.abort()), work);
    assert.equal(cancellations[0]?.isCancelled(), true);
  });

  it('is never cancelled while a caller without a signal waits', () => {
    const { work, cancellations } = manualWork();
    const flights = createSingleFlight<string>();
    const caller = createCancellation();
    void flights.run('a', undefined, work);
    void flights.run('a', caller, work);
    caller.cancel();
    assert.equal(cancellations[0]?.isCancelled(), false);
  });

  it('is joined only up to a given age', async () => {
    let now = 0;
    const { work, ends } = manualWork();
    const flights = createSingleFlight<string>(() => now);
    const old = flights.run('a', undefined, work);
    now = 100;
    assert.deepEqual([flights.has('a', 100), flights.has('a', 99)], [true, false]);
    const young = flights.run('a', undefined, work, 99);
    ends[0]?.resolve('old');
    ends[1]?.resolve('young');
    assert.deepEqual(await Promise.all([old, young]), ['old', 'young']);
  });
});

describe('a caller who may leave', () => {
  it('is created from a signal and converts back to one', () => {
    const stop = new AbortController();
    const signal = signalOf(cancellationOf(stop.signal));
    assert.equal(signal.aborted, false);
    stop.abort();
    assert.equal(signal.aborted, true);
  });

  it('gets the result of a promise, or an immediate rejection on leaving', async () => {
    const caller = createCancellation();
    assert.equal(await untilCancelled(Promise.resolve('there'), caller), 'there');
    await assert.rejects(untilCancelled(Promise.reject(new Error('failed')), caller), /failed/);
    const asked = untilCancelled(new Promise(() => undefined), caller);
    caller.cancel();
    await assert.rejects(asked, /Client disconnected/);
  });
});
