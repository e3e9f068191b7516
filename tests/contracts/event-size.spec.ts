import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type EventStore, type NewEvent, noStream, TooLarge } from '../../application/ports/event-store.js';
import { eventStores } from '../support/engines/adapters.js';
import { collect, event, numbers, write } from '../support/engines/counted-events.js';
import { usePlace } from '../support/engines/places.js';

const range = (length: number) => Array.from({ length }, (_, n) => n);
const large = (count: number): NewEvent[] => range(count).map((n) => event(n, { text: 'x'.repeat(100_000) }));

for (const [adapter, place] of Object.entries(eventStores))
  describe(`a large append to the event store on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: EventStore;
    let organization: string;
    const stream = (n: number) => `${organization}.thing-${n}`;
    beforeEach(async () => {
      store = await open();
      organization = `org_${randomUUID().replaceAll('-', '')}`;
    });

    it('of several megabytes is stored whole and in order if it is divisible', async () => {
      await store.append([{ ...write(stream(1), large(40)), divisible: true }]);
      const { events, revision } = await store.read(stream(1));
      assert.deepEqual(numbers(events), range(40));
      await store.append([{ ...write(stream(1), large(20), revision), divisible: true }]);
      assert.deepEqual(numbers((await store.read(stream(1))).events), [...range(40), ...range(20)]);
    });

    it('of several megabytes is stored whole, or rejected as too large without a trace, if it is indivisible', async () => {
      const commands = [[write(stream(1), large(20))], [write(stream(2), large(20)), write(stream(3), [event(20)])]];
      for (const writes of commands) {
        const before = await store.head();
        const refusal = await store.append(writes).then(
          () => null,
          (error: unknown) => error,
        );
        if (refusal !== null) assert.ok(refusal instanceof TooLarge, String(refusal));
        const stored = writes.flatMap(({ events }) => numbers(events));
        assert.deepEqual(numbers(await collect(store.readAll(before))), refusal === null ? stored : []);
        for (const one of writes)
          assert.equal((await store.read(one.stream)).revision === noStream, refusal !== null, one.stream);
      }
    });
  });
