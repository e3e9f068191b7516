import { testSystem } from '../support/silent.js';
import { deepestReorganization } from './faults.js';
import { insist } from './insist.js';
import { spend } from './load.js';
import { whileNothingIsStored } from './standstill.js';
import { newWallet, type Tenant } from './tenant.js';
import type { World } from './world.js';

const lookMs = 200;
const patienceMs = 30_000;
/** Long enough for a follower to have a block in hand. */
const inHandMs = 1500;

/** What is wrong for as long as it is; nothing once it is right in time. */
const wrongAfter = async (look: () => Promise<string | null>): Promise<string[]> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const wrong = await insist(look);
    if (wrong === null) return [];
    if (Date.now() > deadline) return [wrong];
    await testSystem.sleep(lookMs);
  }
};
const ofEach = async <T>(some: readonly T[], wrong: (one: T) => Promise<string[]>) =>
  (await Promise.all(some.map(wrong))).flat();

type Paid = { readonly tenant: Tenant; readonly hash: string };

const heightOf = async ({ ask }: World) => Number(await ask<string>('eth_blockNumber'));
/** A wallet each that waits longer than anything here takes. */
const newAddresses = (tenants: readonly Tenant[]) =>
  Promise.all(
    tenants.map(async (tenant) => {
      const [to] = tenant.addresses.get(await newWallet(tenant, deepestReorganization)) ?? [];
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
    wrongAfter(async () => {
      const { transfers } = await tenant.api().listTransfers({ transaction_hash: hash });
      const states = transfers.map(({ transfer_state = '' }) => transfer_state.replace('TRANSFER_STATE_', '')).join();
      return states === state
        ? null
        : `transfer ${hash} is ${states || 'not listed'}, not ${state}, though all is quiet`;
    }),
  );
const expectPayment = ({ ask }: World, tenant: Tenant, transaction_id: string) =>
  wrongAfter(async () => {
    const { transaction } = await tenant.api().getTransaction({ transaction_id });
    const state = transaction.transaction_state.replace('TRANSACTION_STATE_', '');
    if (state === 'CANCELED') return null;
    const isThere = (await ask('eth_getTransactionReceipt', transaction.transaction_hash)) !== null;
    const isSaid = state === 'MINED' || state === 'CONFIRMED';
    return isThere && isSaid
      ? null
      : `payment ${transaction_id} is ${state}, on the chain ${isThere}, though all is quiet`;
  });

/** Until every payment is in a block again, so that no block comes of itself. */
const becomeQuiet = (world: World, tenants: readonly Tenant[]) =>
  ofEach(tenants, (tenant) => ofEach([...tenant.payments.keys()], (id) => expectPayment(world, tenant, id)));

/** Transfers that are dropped are taken back though no block follows, which would make them deep enough to be looked at. */
const checkTransfers = async (world: World, tenants: readonly Tenant[]) => {
  const before = await heightOf(world);
  const paid = await payEach(world, await newAddresses(tenants));
  const unseen = await expectTransfers(paid, 'PENDING');
  await world.ask('dev_reorg', (await heightOf(world)) - before, 'drop');
  return [...unseen, ...(await expectTransfers(paid, 'REMOVED'))];
};

/** Payments that are dropped are sent again, without anybody's help. */
const checkPayments = async (world: World, tenants: readonly Tenant[]) => {
  const before = await heightOf(world);
  const made = await Promise.all(tenants.map(async (tenant) => ({ tenant, id: await spend(tenant, false) })));
  const expectMined = () => ofEach(made, ({ tenant, id }) => expectPayment(world, tenant, id));
  const unseen = await expectMined();
  await world.ask('dev_reorg', (await heightOf(world)) - before, 'drop');
  return [...unseen, ...(await expectMined())];
};

/** A block whose events could not be stored before the follower was killed is taken again, though no other replaces it. */
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
 * Single faults while nothing else happens: among all the others what one of them breaks is soon replaced by another
 * block, or found by what is done for the next.
 */
export const checkAlone = async (world: World, tenants: readonly Tenant[]): Promise<string[]> => {
  const wrong: string[] = [];
  for (const check of [becomeQuiet, checkTransfers, checkPayments, checkStored])
    wrong.push(...(await check(world, tenants)));
  return wrong;
};
