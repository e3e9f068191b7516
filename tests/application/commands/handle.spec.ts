import assert from 'node:assert/strict';
import { type Context, createHandle, idFor, step } from '../../../application/commands/handle.js';
import { createIdempotency } from '../../../application/commands/idempotency.js';
import { type EventStore, organizationOf, TooLarge, WrongRevision } from '../../../application/ports/event-store.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import { address } from '../../../domain/aggregates/address.js';
import { wallet } from '../../../domain/aggregates/wallet.js';
import { globalVariant } from '../../../domain/variant.js';
import { eventStores, limiters } from '../../support/engines/adapters.js';
import { testSystem } from '../../support/silent.js';

const by: Context = {
  organizationId: 'org_a',
  variant: globalVariant,
  actor: { kind: 'operator', id: 'me' },
  requestId: 'request-1',
};
const register = (walletId: string, name = 'a') =>
  step(wallet, 'org_a', walletId, { type: 'Register', data: { walletId, name } });
const hold = (key: string, walletId: string, at: string) =>
  step(address, 'org_a', key, { type: 'Register', data: { address: key, walletId } }, at);

describe('the command handler', () => {
  let events: EventStore;
  beforeEach(async () => {
    events = await (await eventStores.sqlite()).open();
  });
  afterEach(() => events.close());

  it('stamps every event with actor, time and request', async () => {
    await createHandle(events, testSystem)(by, [register('w1')]);
    const [{ metadata } = assert.fail()] = (await events.read('org_a.wallet-w1')).events;
    const { occurredAt, ...rest } = metadata;
    assert.deepEqual(rest, {
      organizationId: 'org_a',
      variant: globalVariant.tag,
      actor: { kind: 'operator', id: 'me' },
      requestId: 'request-1',
      causationId: 'request-1',
      correlationId: 'request-1',
    });
    assert.match(occurredAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('decides again after a concurrency conflict', async () => {
    let losses = 3;
    const contested: EventStore = {
      ...events,
      append: async (writes) => {
        if (losses-- > 0) throw new WrongRevision('contested');
        return events.append(writes);
      },
    };
    await createHandle(contested, testSystem)(by, [register('w1')]);
    assert.equal((await events.read('org_a.wallet-w1')).events.length, 1);
  });

  it('runs a large command after at most one command of another organization that has many waiting', async () => {
    const order: string[] = [];
    const recorded: EventStore = {
      ...events,
      append: (writes) => {
        order.push(organizationOf(writes[0]?.stream ?? ''));
        return events.append(writes);
      },
    };
    const handle = createHandle(recorded, testSystem);
    const large = (organizationId: string, part: string) =>
      handle(
        { ...by, organizationId, actor: { kind: 'credential', id: 'key' } },
        Array.from({ length: 300 }, (_, n) => {
          const name = `${part}${n}`;
          return step(address, organizationId, name, { type: 'Register', data: { address: name, walletId: 'w' } });
        }),
      );
    const greedy = Array.from({ length: 8 }, (_, n) => large('org_greedy', `g${n}-`));
    await Promise.all([...greedy, large('org_modest', 'm')]);
    assert.equal(order.length, 9);
    assert.ok(order.indexOf('org_modest') <= 1, order.join(' '));
  });

  it('pauses ten times as long between two large commands while another organization is active', async () => {
    const order: string[] = [];
    let now = 0;
    const recorded: EventStore = {
      ...events,
      append: (writes) => {
        order.push(writes.length > 1 ? 'large' : 'small');
        if (writes.length > 1) now += 20;
        return events.append(writes);
      },
    };
    const inOrganization = (organizationId: string): Context => ({
      ...by,
      organizationId,
      actor: { kind: 'credential', id: 'key' },
    });
    const small = () => handle(inOrganization('org_modest'), [register(`small-${order.length}`)]);
    const system = { ...testSystem, now: () => now, sleep: async () => void (await small()) };
    const handle = createHandle(recorded, system);
    const large = (part: string) =>
      handle(
        inOrganization('org_greedy'),
        Array.from({ length: 100 }, (_, n) => register(`${part}${n}`)),
      );
    await Promise.all([large('one-'), large('two-'), small()]);
    // One small command runs in each of the 40 sleeps of 5 ms that make up the pause of 200 ms, and one small command
    // was issued with the large commands.
    assert.equal(order.filter((one) => one === 'small').length, 41);
    assert.equal(order.at(-1), 'large');
  });

  for (const { title, steps, commands, concurrent } of [
    {
      title: 'treats batches of one organization as large once together they have a hundred steps within a second',
      steps: 60,
      commands: 8,
      concurrent: 2,
    },
    {
      title: 'starts single changes of one organization at once, however many there are',
      steps: 1,
      commands: 150,
      concurrent: 150,
    },
  ])
    it(title, async () => {
      let [inFlight, most] = [0, 0];
      const recorded: EventStore = {
        ...events,
        append: async (writes) => {
          most = Math.max(most, ++inFlight);
          // Pauses for a turn of the event loop, in which every command that may run concurrently with this command
          // starts.
          await testSystem.breathe();
          inFlight--;
          return events.append(writes);
        },
      };
      const handle = createHandle(recorded, { ...testSystem, now: () => 0 });
      const context = { ...by, actor: { kind: 'credential', id: 'key' } } as const;
      const command = (part: number) => Array.from({ length: steps }, (_, n) => register(`${part}-${n}`));
      await Promise.all(Array.from({ length: commands }, (_, part) => handle(context, command(part))));
      assert.equal(await events.head(), steps * commands);
      assert.equal(most, concurrent);
    });

  it('starts no large command before the read models include the previous one', async () => {
    const order: string[] = [];
    const recorded: EventStore = {
      ...events,
      append: (writes) => {
        order.push('append');
        return events.append(writes);
      },
    };
    const included = async () => {
      order.push('included');
    };
    const handle = createHandle(recorded, testSystem, undefined, included);
    const large = (part: string) =>
      handle(
        { ...by, actor: { kind: 'credential', id: 'key' } },
        Array.from({ length: 100 }, (_, n) => register(`${part}${n}`)),
      );
    await Promise.all([large('one-'), large('two-'), handle(by, [register('small')])]);
    // A small command waits neither for a turn nor for the read models.
    assert.deepEqual(order, ['append', 'append', 'included', 'append', 'included']);
  });

  it('applies two hundred concurrent changes of one wallet', async () => {
    const handle = createHandle(events, testSystem);
    await handle(by, [register('w1')]);
    const change = (confirmation: number) =>
      step(wallet, 'org_a', 'w1', { type: 'UpdateConfirmation', data: { walletId: 'w1', confirmation } });
    await Promise.all(Array.from({ length: 200 }, (_, n) => handle(by, [change(n)])));
    assert.equal((await events.read('org_a.wallet-w1')).events.length, 201);
  });

  it('rejects events that are too large for the store, without a retry', async () => {
    let tries = 0;
    const small: EventStore = {
      ...events,
      append: async () => {
        tries++;
        throw new TooLarge(2_000_000, 1_048_576);
      },
    };
    await assert.rejects(createHandle(small, testSystem)(by, [register('w1')]), { code: 'INVALID_ARGUMENT' });
    assert.equal(tries, 1);
  });

  it('gives up after 64 concurrency conflicts', async () => {
    let tries = 0;
    const hopeless: EventStore = {
      ...events,
      append: async () => {
        tries++;
        throw new WrongRevision('contested');
      },
    };
    await assert.rejects(createHandle(hopeless, testSystem)(by, [register('w1')]), { code: 'CONFLICT' });
    assert.equal(tries, 64);
  });

  it('names every rejected part of a command, and stores nothing of it', async () => {
    const handle = createHandle(events, testSystem);
    await handle(by, [hold('x', 'w1', '/0'), hold('y', 'w1', '/1')]);
    await assert.rejects(
      handle(by, [register('w2'), hold('x', 'w2', '/0'), hold('z', 'w2', '/1'), hold('y', 'w2', '/2')]),
      {
        code: 'ALREADY_EXISTS',
        faults: [
          { path: '/0', message: 'Address x is held by another wallet' },
          { path: '/2', message: 'Address y is held by another wallet' },
        ],
      },
    );
    assert.deepEqual((await events.read('org_a.wallet-w2')).events, []);
    assert.deepEqual((await events.read('org_a.address-z')).events, []);
  });

  it('returns the position of the current state for a command that changes nothing', async () => {
    const handle = createHandle(events, testSystem);
    const position = await handle(by, [register('w1')]);
    assert.equal(await handle(by, [register('w1')]), position);
    assert.equal(await events.head(), position);
  });

  it('has the same effect and answer when a command is retried after a crash that lost the answer', async () => {
    const limiter = await (await limiters.sqlite()).open();
    const forgetful: Limiter = { ...limiter, recordAnswer: async () => undefined };
    const handle = createHandle(events, testSystem);
    const retry = { apiKey: 'key', idempotencyKey: 'k', request: 'r' };
    const attempt = () =>
      createIdempotency(forgetful)({ ...retry, confidential: false }, async (idSeed) => {
        const context = { ...by, idSeed };
        const walletId = idFor(context, 'wal', testSystem);
        return { answer: { walletId }, position: await handle(context, [register(walletId)]) };
      });
    const [first, second] = [await attempt(), await attempt()];
    assert.deepEqual(second, first);
    assert.equal(await events.head(), first.position);
    await limiter.close();
  });

  it("recognizes its own events, and no other request's, by the digest of the seed", async () => {
    const handle = createHandle(events, testSystem);
    const change = (idSeed: string | undefined, confirmation: number) =>
      handle({ ...by, idSeed }, [
        step(wallet, 'org_a', 'w1', { type: 'UpdateConfirmation', data: { walletId: 'w1', confirmation } }),
      ]);
    await handle(by, [register('w1')]);
    for (const idSeed of ['one', 'two', 'one', 'two', undefined, undefined])
      await change(idSeed, idSeed === 'one' ? 1 : 2);
    const stored = (await events.read('org_a.wallet-w1')).events;
    assert.deepEqual(
      stored.map(({ data }) => (data as { confirmation?: number }).confirmation),
      [undefined, 1, 2],
    );
    const seeds = stored.map(({ metadata }) => metadata.seed);
    assert.equal(new Set(seeds).size, 3);
    assert.ok(!JSON.stringify(stored).includes('one') && !JSON.stringify(stored).includes('two'));
  });

  it('decides facts again even if an earlier attempt of the request recorded some', async () => {
    const handle = createHandle(events, testSystem);
    const fact = (confirmation: number) => ({
      ...step(wallet, 'org_a', 'w1', { type: 'UpdateConfirmation', data: { walletId: 'w1', confirmation } }),
      divisible: true as const,
    });
    await handle(by, [register('w1')]);
    for (const confirmation of [1, 2]) await handle({ ...by, idSeed: 'seed' }, [fact(confirmation)]);
    assert.equal((await events.read('org_a.wallet-w1')).events.length, 3);
  });

  it("derives ids from the request's seed and the kind of id, and generates random ids without a seed", () => {
    const ids = [
      idFor({ ...by, idSeed: 'k' }, 'wal', testSystem),
      idFor({ ...by, idSeed: 'k2' }, 'wal', testSystem),
      idFor({ ...by, idSeed: 'k' }, 'org', testSystem),
      idFor(by, 'wal', testSystem),
      idFor(by, 'wal', testSystem),
    ];
    assert.equal(new Set(ids.map((id) => id.slice(4))).size, ids.length);
    assert.equal(idFor({ ...by, idSeed: 'k' }, 'wal', testSystem), ids[0]);
  });
});
