import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  jsonEvent,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';

/** An event that is told from others by one number. */
export const numbered = (type: string, n = 0) => jsonEvent({ type, data: { n } });

export const collect = async (reading: AsyncIterable<ResolvedEvent>) => {
  const found: ResolvedEvent[] = [];
  for await (const one of reading) found.push(one);
  return found;
};

export const numbersOf = (found: readonly ResolvedEvent[]) =>
  found.map(({ event }) => (event?.data as { n: number } | undefined)?.n);

/** Where events are, as `stream/revision`; of a resolved link first the link, then the event. */
export const placesOf = (found: readonly ResolvedEvent[]) =>
  found.map(({ event, link }) =>
    [link, event].flatMap((one) => (one ? `${one.streamId}/${one.revision}` : [])).join(' '),
  );

/** What a subscription brings, as it comes in. */
export const follow = (subscription: AllStreamSubscription | StreamSubscription) => {
  const seen: ResolvedEvent[] = [];
  const errors: Error[] = [];
  subscription.on('data', (one: ResolvedEvent) => seen.push(one)).on('error', (error: Error) => errors.push(error));
  return { seen, errors };
};

export const until = async (check: () => boolean | Promise<boolean>) => {
  const deadline = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < deadline, 'it never came about');
    await wait(5);
  }
};
