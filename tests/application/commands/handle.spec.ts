import assert from 'node:assert/strict';
import { type Context, createHandle, idFor, step } from '../../../application/commands/handle.js';
import { createOnce } from '../../../application/commands/idempotency.js';
import { type EventStore, WrongRevision } from '../../../application/ports/event-store.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import { address } from '../../../domain/address.js';
import { globalVariant } from '../../../domain/variant.js';
import { wallet } from '../../../domain/wallet.js';
import { eventStores, limiters } from '../../support/adapters.js';
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

describe('handling a command', () => {
  let events: EventStore;
  beforeEach(async () => {
    events = await (await eventStores.sqlite()).open();
  });
  afterEach(() => events.close());

  it('stamps every event with who, when and in answer to what', async () => {
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

  it('decides again when somebody else was faster', async () => {
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

  it('gives up after so many lost races', async () => {
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

  it('names each part of a command that is refused, and stores nothing of it', async () => {
    const handle = createHandle(events, testSystem);
    await handle(by, [hold('x', 'w1', '/0'), hold('y', 'w1', '/1')]);
    await assert.rejects(
      handle(by, [register('w2'), hold('x', 'w2', '/0'), hold('z', 'w2', '/1'), hold('y', 'w2', '/2')]),
      {
        code: 'ALREADY_EXISTS',
        faults: [
          { path: '/0', message: 'x is held by another wallet' },
          { path: '/2', message: 'y is held by another wallet' },
        ],
      },
    );
    assert.deepEqual((await events.read('org_a.wallet-w2')).events, []);
    assert.deepEqual((await events.read('org_a.address-z')).events, []);
  });

  it('gives a command that changes nothing a position that includes what it found', async () => {
    const handle = createHandle(events, testSystem);
    const position = await handle(by, [register('w1')]);
    assert.equal(await handle(by, [register('w1')]), position);
    assert.equal(await events.head(), position);
  });

  it('has the same effect and answer when it is retried after a crash that lost the answer', async () => {
    const limiter = await (await limiters.sqlite()).open();
    const forgetful: Limiter = { ...limiter, recordAnswer: async () => undefined };
    const handle = createHandle(events, testSystem);
    const retry = { apiKey: 'key', idempotencyKey: 'k', request: 'r' };
    const attempt = () =>
      createOnce(forgetful)({ ...retry, confidential: false }, async (idSeed) => {
        const context = { ...by, idSeed };
        const walletId = idFor(context, 'wal', testSystem);
        return { answer: { walletId }, position: await handle(context, [register(walletId)]) };
      });
    const [first, second] = [await attempt(), await attempt()];
    assert.deepEqual(second, first);
    assert.equal(await events.head(), first.position);
    await limiter.close();
  });

  it('derives ids from the seed of a retried request and the kind of id, and makes new ones otherwise', () => {
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
