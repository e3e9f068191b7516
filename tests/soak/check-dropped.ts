import { testSystem } from '../support/silent.js';
import { deepestReorganization } from './faults.js';
import { insist } from './insist.js';
import { spend } from './load.js';
import { newWallet, type Tenant } from './tenant.js';
import type { World } from './world.js';

const lookMs = 200;

/** What is wrong for as long as it is; nothing once it is right in time. */
const wrongAfter = async (patienceMs: number, look: () => Promise<string | null>): Promise<string[]> => {
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

/**
 * Transfers that are dropped are taken back though no block follows: none is deep enough then for the settlement, which
 * would find out as well.
 */
const checkTransfers = async ({ ask }: World, tenants: readonly Tenant[], patienceMs: number) => {
  const paid: Paid[] = [];
  const wallets: string[] = [];
  for (const tenant of tenants) wallets.push(await newWallet(tenant, deepestReorganization));
  for (const [i, tenant] of tenants.entries()) {
    const [to] = tenant.addresses.get(wallets[i] ?? '') ?? [];
    const sent = await ask<{ transaction_hash: string }>('dev_transfer', { variant: 'c', to, value: '1' });
    paid.push({ tenant, hash: sent.transaction_hash });
  }
  const expectState =
    (state: string) =>
    ({ tenant, hash }: Paid) =>
      wrongAfter(patienceMs, async () => {
        const { transfers } = await tenant.api().listTransfers({ transaction_hash: hash });
        const states = transfers.map(({ transfer_state = '' }) => transfer_state.replace('TRANSFER_STATE_', ''));
        return states.join() === state ? null : `transfer ${hash} is ${states}, not ${state}, while no block follows`;
      });
  const unseen = await ofEach(paid, expectState('PENDING'));
  await ask('dev_reorg', paid.length, 'drop');
  return [...unseen, ...(await ofEach(paid, expectState('REMOVED')))];
};

/** Payments that are dropped are sent again, without anybody's help. */
const checkPayments = async ({ ask }: World, tenants: readonly Tenant[], patienceMs: number) => {
  const height = async () => Number(await ask<string>('eth_blockNumber'));
  const before = await height();
  const ids = await Promise.all(tenants.map((tenant) => spend(tenant, false)));
  const expectMined = (tenant: Tenant, i: number) =>
    wrongAfter(patienceMs, async () => {
      const { transaction } = await tenant.api().getTransaction({ transaction_id: ids[i] ?? '' });
      const isThere = (await ask('eth_getTransactionReceipt', transaction.transaction_hash)) !== null;
      const isSaid = transaction.transaction_state === 'TRANSACTION_STATE_MINED';
      return isThere && isSaid ? null : `payment ${ids[i]} is ${transaction.transaction_state}, on the chain ${isThere}`;
    });
  const each = [...tenants.entries()];
  const unseen = await ofEach(each, ([i, tenant]) => expectMined(tenant, i));
  await ask('dev_reorg', (await height()) - before, 'drop');
  return [...unseen, ...(await ofEach(each, ([i, tenant]) => expectMined(tenant, i)))];
};

/** What becomes of what a reorganization drops when nothing else happens; everything works meanwhile. */
export const checkDropped = async (world: World, tenants: readonly Tenant[], patienceMs: number): Promise<string[]> => [
  ...(await checkTransfers(world, tenants, patienceMs)),
  ...(await checkPayments(world, tenants, patienceMs)),
];
