import assert from 'node:assert/strict';
import { createQuotaGuard } from '../../../application/access/quota-guard.js';
import { createQuotas } from '../../../application/access/quotas.js';
import { type Context, createHandle, type Handle, step } from '../../../application/commands/handle.js';
import { beginning, type EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createProgress, type Progress } from '../../../application/read-models/progress.js';
import { address } from '../../../domain/aggregates/address.js';
import { organization } from '../../../domain/aggregates/organization.js';
import { transaction } from '../../../domain/aggregates/transaction.js';
import { wallet } from '../../../domain/aggregates/wallet.js';
import type { QuotaName } from '../../../domain/quota.js';
import { globalVariant } from '../../../domain/variant.js';
import { projections } from '../../../projections/index.js';
import { eventStores, readModels } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { describeInFull } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const by = (organizationId: string, kind: 'credential' | 'process' | 'operator' = 'credential'): Context => ({
  organizationId,
  variant: globalVariant,
  actor: { kind, id: 'someone' },
  requestId: 'request-1',
});
const registerWallet = (organizationId: string, walletId: string) => [
  step(wallet, organizationId, walletId, { type: 'Register', data: { walletId, name: 'a' } }),
];
const onAddress = (type: 'Register' | 'Remove', names: readonly string[]) =>
  names.map((name) => step(address, 'org_a', name, { type, data: { address: name, walletId: 'w' } }));
const createTransaction = (transactionId: string, data: string) => {
  const numbers = { chainId: 1, nonce: 0, value: '1', gas: '1', gasPrice: '1' };
  const texts = { to: '0xb', from: '0xa', walletId: 'w', chain: '0xc', request: 'r' };
  const created = { transactionId, ...numbers, ...texts, data };
  return [step(transaction, 'org_a', transactionId, { type: 'Create', data: created })];
};

const pairs = [
  { name: 'SQLite', eventPlace: eventStores.sqlite, modelPlace: readModels.sqlite },
  {
    name: 'EventStoreDB and MongoDB',
    eventPlace: eventStores['eventstoredb over its wire'],
    modelPlace: readModels.mongodb,
  },
];

for (const { name, eventPlace, modelPlace } of pairs)
  (name === 'SQLite' ? describe : describeInFull)(`the quota guard on ${name}`, () => {
    let stop: () => Promise<void>;
    // Registered before the hooks of `usePlace`, so that the projector stops before its stores are closed.
    afterEach(() => stop());
    const log = usePlace<Place<EventStore>>(eventPlace);
    const documents = usePlace<Place<ReadModels>>(() => modelPlace(projections));
    let events: EventStore;
    let models: ReadModels;
    let progress: Progress;
    let handle: Handle;
    const startProjector = () => {
      const ended = new AbortController();
      const running = createProjector({ events, readModels: models, progress, system: testSystem, projections }).run(
        ended.signal,
      );
      return async () => {
        ended.abort();
        await running;
      };
    };
    const guarded = () =>
      createHandle(events, testSystem, createQuotaGuard({ readModels: models, progress, system: testSystem }));
    beforeEach(async () => {
      [events, models] = await Promise.all([log.open(), documents.open()]);
      progress = createProgress({ readModels: models, events, system: testSystem });
      stop = startProjector();
      handle = guarded();
      for (const organizationId of ['org_a', 'org_b'])
        await handle(by(organizationId, 'operator'), [
          step(organization, organizationId, organizationId, {
            type: 'Create',
            data: { organizationId, name: 'A', domain: 'a' },
          }),
        ]);
    });

    const included = async () => assert.ok(await progress.reached(await events.head(), 10_000));
    const limit = async (quota: QuotaName, to: number) => {
      await createQuotas({ handle, readModels: models }).set(by('org_b', 'operator'), 'org_a', quota, to);
      await included();
    };
    const countEvents = async () => {
      let count = 0;
      for await (const batch of events.readAll(beginning)) count += batch.length;
      return count;
    };
    const usedOf = async (wanted: QuotaName) =>
      (await createQuotas({ handle, readModels: models }).list('org_a')).find(({ quota }) => quota === wanted)?.used;
    const exceeded = (quota: QuotaName, most: number, used: number, more: number) => ({
      code: 'QUOTA_EXCEEDED',
      message: `Quota ${quota} exceeded: the limit is ${most}, ${used} are used, and this request needs ${more} more.`,
    });

    it('admits as many wallets as the quota allows and rejects the next without a trace', async () => {
      await limit('wallets', 3);
      for (let n = 0; n < 3; n++) await handle(by('org_a'), registerWallet('org_a', `w${n}`));
      const before = await countEvents();
      await assert.rejects(handle(by('org_a'), registerWallet('org_a', 'w3')), exceeded('wallets', 3, 3, 1));
      assert.equal(await countEvents(), before);
      await handle(by('org_b'), registerWallet('org_b', 'w3'));
    });

    it('admits as many of a hundred concurrent commands as the quota allows, before they are projected', async () => {
      await limit('wallets', 10);
      await stop();
      const asked = await Promise.allSettled(
        Array.from({ length: 100 }, (_, n) => handle(by('org_a'), registerWallet('org_a', `w${n}`))),
      );
      stop = startProjector();
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 10);
      await included();
      assert.equal(await usedOf('wallets'), 10);
    });

    it('counts a batch as a whole, and does not count items that already exist', async () => {
      await limit('addresses', 3);
      await handle(by('org_a'), onAddress('Register', ['a', 'b']));
      await assert.rejects(handle(by('org_a'), onAddress('Register', ['c', 'd'])), exceeded('addresses', 3, 2, 2));
      await handle(by('org_a'), onAddress('Register', ['a', 'b', 'c']));
      await handle(by('org_a'), onAddress('Register', ['a', 'b', 'c']));
      await included();
      assert.equal(await usedOf('addresses'), 3);
    });

    it('admits as many imports as the quota allows, rejects the next without a trace, and admits one more after a removal', async () => {
      await limit('imports', 2);
      await handle(by('org_a'), onAddress('Register', ['a', 'b']));
      const importToken = (at: string, contract: string) => {
        const data = { address: at, walletId: 'w', asset: { standard: 'token', contract } } as const;
        return handle(by('org_a'), [step(address, 'org_a', at, { type: 'Import', data })]);
      };
      await importToken('a', 'x');
      await importToken('a', 'y');
      await importToken('a', 'y');
      const before = await countEvents();
      await assert.rejects(importToken('b', 'x'), exceeded('imports', 2, 2, 1));
      assert.equal(await countEvents(), before);
      await handle(by('org_a'), onAddress('Remove', ['a']));
      await importToken('b', 'x');
      await included();
      assert.equal(await usedOf('imports'), 1);
    });

    it('admits one more item for each that was removed', async () => {
      await limit('addresses', 1);
      for (const one of ['a', 'b', 'c']) {
        await handle(by('org_a'), onAddress('Register', [one]));
        await assert.rejects(handle(by('org_a'), onAddress('Register', ['x'])), { code: 'QUOTA_EXCEEDED' });
        await handle(by('org_a'), onAddress('Remove', [one]));
      }
    });

    it('rejects 200 kB of data beyond the storage quota, and still lets the organization remove items', async () => {
      const data = `0x${'ab'.repeat(100_000)}`;
      await handle(by('org_a'), onAddress('Register', ['a']));
      await included();
      await limit('storage_bytes', 1_000_000);
      const asked = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => handle(by('org_a'), createTransaction(`t${n}`, data))),
      );
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 4);
      await included();
      const used = await usedOf('storage_bytes');
      assert.ok(used && used > 800_000 && used <= 1_000_000, `${used}`);
      await limit('storage_bytes', 0);
      await assert.rejects(handle(by('org_a'), registerWallet('org_a', 'w')), { code: 'QUOTA_EXCEEDED' });
      await handle(by('org_a'), onAddress('Remove', ['a']));
    });

    it('counts events recorded by background processes and never rejects them', async () => {
      await limit('wallets', 1);
      for (let n = 0; n < 3; n++) await handle(by('org_a', 'process'), registerWallet('org_a', `w${n}`));
      await included();
      assert.equal(await usedOf('wallets'), 3);
      await assert.rejects(handle(by('org_a'), registerWallet('org_a', 'w3')), exceeded('wallets', 1, 3, 1));
    });

    it('exceeds a quota by no more than another process has in flight', async () => {
      await limit('wallets', 10);
      const other = guarded();
      const ask = (through: Handle, from: string) =>
        Array.from({ length: 20 }, (_, n) => through(by('org_a'), registerWallet('org_a', `${from}${n}`)));
      const asked = await Promise.allSettled([...ask(handle, 'here'), ...ask(other, 'there')]);
      assert.ok(asked.filter(({ status }) => status === 'fulfilled').length <= 20);
      await included();
      for (const through of [handle, other])
        await assert.rejects(through(by('org_a'), registerWallet('org_a', 'more')), { code: 'QUOTA_EXCEEDED' });
    });

    it('reads the counts once a second while an organization is far from its limits', async () => {
      let reads = 0;
      const counted: ReadModels = {
        ...models,
        getMany: (collection, keys) => {
          reads++;
          return models.getMany(collection, keys);
        },
      };
      const clock = { ...testSystem, now: () => 1_000_000 };
      const guard = createQuotaGuard({ readModels: counted, progress, system: clock });
      const quick = createHandle(events, testSystem, guard);
      for (let n = 0; n < 50; n++) await quick(by('org_a'), registerWallet('org_a', `w${n}`));
      assert.equal(reads, 1);
    });
  });
