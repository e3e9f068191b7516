import { eventually } from '../support/eventually.js';
import { testSystem } from '../support/silent.js';
import { maxReorganizationDepth } from './faults.js';
import { spend } from './load.js';
import { whileNothingIsStored } from './standstill.js';
import { newWallet, type Tenant } from './tenant.js';
import type { World } from './world.js';

/** Time in ms within which a follower has very likely read a block and tries to store its events. */
const inHandMs = 1500;

/** Repeats the check until it finds no violation; returns the last violation when the time is up. */
const violationsAfter = (look: () => Promise<string | null>): Promise<string[]> =>
  eventually(async () => {
    const violations = await look();
    if (violations !== null) throw new Error(violations);
  }).then(
    () => [],
    (error: Error) => [error.message],
  );
const ofEach = async <T>(some: readonly T[], violations: (one: T) => Promise<string[]>) =>
  (await Promise.all(some.map(violations))).flat();

type Paid = { readonly tenant: Tenant; readonly hash: string };

const heightOf = async ({ ask }: World) => Number(await ask<string>('eth_blockNumber'));
/** Registers a wallet for each tenant, with a confirmation depth that keeps its transfers pending during the check. */
const newAddresses = (tenants: readonly Tenant[]) =>
  Promise.all(
    tenants.map(async (tenant) => {
      const [to] = tenant.addresses.get(await newWallet(tenant, maxReorganizationDepth)) ?? [];
      return { tenant, to };
    }),
  );
const payEach = async ({ ask }: World, receivers: Awaited<ReturnType<typeof newAddresses>>) => {
  const paid: Paid[] = [];
  for (const { tenant, to } of receivers) {
    const sent = await ask<{ transaction_hash: string }>('dev_transfer', { variant: 'c', to, value: '1' });
    paid.push({ tenant, hash: sent.transaction_hash });
  }
  return paid;
};
const expectTransfers = (paid: readonly Paid[], state: string) =>
  ofEach(paid, ({ tenant, hash }) =>
    violationsAfter(async () => {
      const { transfers } = await tenant.api().listTransfers({ transaction_hash: hash });
      const states = transfers.map(({ transfer_state = '' }) => transfer_state.replace('TRANSFER_STATE_', '')).join();
      return states === state
        ? null
        : `transfer ${hash} is ${states || 'not listed'}, expected ${state} while nothing else happens`;
    }),
  );
const expectPayment = ({ ask }: World, tenant: Tenant, transaction_id: string) =>
  violationsAfter(async () => {
    const { transaction } = await tenant.api().getTransaction({ transaction_id });
    const state = transaction.transaction_state.replace('TRANSACTION_STATE_', '');
    if (state === 'CANCELED') return null;
    const isThere = (await ask('eth_getTransactionReceipt', transaction.transaction_hash)) !== null;
    const isSaid = state === 'MINED' || state === 'CONFIRMED';
    return isThere && isSaid
      ? null
      : `payment ${transaction_id} is ${state} (on the chain: ${isThere}), expected MINED or CONFIRMED on the chain`;
  });

/** Waits until every payment is in a block. After that, the chain mines no further block. */
const becomeQuiet = (world: World, tenants: readonly Tenant[]) =>
  ofEach(tenants, (tenant) => ofEach([...tenant.payments.keys()], (id) => expectPayment(world, tenant, id)));

/** Checks that transfers in dropped blocks become REMOVED even when no further block follows. */
const checkTransfers = async (world: World, tenants: readonly Tenant[]) => {
  const before = await heightOf(world);
  const paid = await payEach(world, await newAddresses(tenants));
  const unseen = await expectTransfers(paid, 'PENDING');
  await world.ask('dev_reorg', (await heightOf(world)) - before, 'drop');
  return [...unseen, ...(await expectTransfers(paid, 'REMOVED'))];
};

/** Checks that the service itself sends payments again after a reorg has dropped them. */
const checkPayments = async (world: World, tenants: readonly Tenant[]) => {
  const before = await heightOf(world);
  const made = await Promise.all(tenants.map(async (tenant) => ({ tenant, id: await spend(tenant, false) })));
  const expectMined = () => ofEach(made, ({ tenant, id }) => expectPayment(world, tenant, id));
  const unseen = await expectMined();
  await world.ask('dev_reorg', (await heightOf(world)) - before, 'drop');
  return [...unseen, ...(await expectMined())];
};

/**
 * Checks that a follower that was killed before it could store the events of a block reads this block again after its
 * restart.
 */
const checkStored = async (world: World, tenants: readonly Tenant[]) => {
  const { processes } = world;
  const receivers = await newAddresses(tenants);
  const paid: Paid[] = [];
  await whileNothingIsStored(processes.home, async () => {
    paid.push(...(await payEach(world, receivers)));
    await testSystem.sleep(inHandMs);
    await processes.kill('follower');
  });
  await processes.start('follower');
  return expectTransfers(paid, 'PENDING');
};

/**
 * Injects single faults, each while nothing else happens. If many faults coincide, the damage of one is soon hidden:
 * another block replaces the damaged one, or the work for the next block repairs it.
 */
export const checkAlone = async (world: World, tenants: readonly Tenant[]): Promise<string[]> => {
  const violations: string[] = [];
  for (const check of [becomeQuiet, checkTransfers, checkPayments, checkStored])
    violations.push(...(await check(world, tenants)));
  return violations;
};
