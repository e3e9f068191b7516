import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.js';
import { testSystem } from '../support/silent.js';
import type { Target } from './faults.js';
import { newAddress, newWallet, type Tenant } from './tenant.js';

type Around = Target & { readonly complain: (text: string) => void };

const maxPauseMs = 60;
const someAddress = ({ random, addresses }: Tenant) => random.pick([...random.pick([...addresses.values()])]);

const pay = async ({ ask, token, shared }: Around, tenant: Tenant, isToken: boolean) => {
  const { random, sender } = tenant;
  const drawn = random.below(8) === 0 ? shared : someAddress(tenant);
  // The sender's address receives no payments, because its own spending would hide whether they were noticed.
  const to = drawn === sender.address ? shared : drawn;
  const value = String(random.between(1, 1_000_000));
  await ask('dev_transfer', { variant: 'c', to, value, ...(isToken && { token }) });
};

/** Pays an address that nobody watches and that must not be reported. */
const payStranger = ({ ask }: Around, { random }: Tenant) =>
  ask('dev_transfer', { variant: 'c', to: random.address(), value: '1' });

/** Creates a payment under the caller's own id, so that it can be repeated; then signs and sends it, or cancels it. */
export const spend = async (tenant: Tenant, canceled: boolean): Promise<string> => {
  const { api, random, sender, payments, name } = tenant;
  const transaction_id = `${name}-${payments.size}`;
  const to = random.below(2) === 0 ? random.address() : someAddress(tenant);
  const value = String(random.between(1, 1_000_000));
  const request = { wallet_id: sender.walletId, from: sender.address, to, value, transaction_id };
  await eventually(() => api().createTransaction(request));
  payments.set(transaction_id, { canceled });
  /** Accepts an error of a repeated call if the first call, whose answer a crash lost, has already taken effect. */
  const orDone = async (ask: () => Promise<object>, ...done: readonly string[]) => {
    const refused = await ask().then(
      () => null,
      (error: Error) => error,
    );
    if (refused === null) return;
    const { transaction } = await api().getTransaction({ transaction_id });
    if (!done.includes(transaction.transaction_state.replace('TRANSACTION_STATE_', ''))) throw refused;
  };
  if (canceled) {
    await eventually(() => orDone(() => api().cancelTransaction({ transaction_id }), 'CANCELED'));
    return transaction_id;
  }
  const { transaction_message_to_sign } = await eventually(() => api().getTransactionMessageToSign({ transaction_id }));
  const signature = sender.sign(transaction_message_to_sign);
  await eventually(() => api().submitTransactionSignature({ transaction_id, signature }));
  await eventually(() => orDone(() => api().sendTransaction({ transaction_id }), 'SENT', 'MINED', 'CONFIRMED'));
  return transaction_id;
};

/** Returns a function that returns whether any node that is healthy now has stayed healthy and connected since. */
const watchHealthy = (nodes: Around['nodes']) => {
  const healthy = nodes.filter((node) => node.isHealthy()).map((node) => ({ node, changes: node.changes() }));
  return () => healthy.some(({ node, changes }) => node.changes() === changes);
};

/**
 * Checks that the gateway answers as the node does. Accepts an error only if no node was healthy throughout the
 * request, or if the API process was killed meanwhile.
 */
const readThrough = async ({ ask, nodes, processes, tally, complain }: Around, { key }: Tenant) => {
  const before = { life: processes.life('api'), url: processes.api() };
  if (before.url === null) return;
  const known = await ask<{ hash: string }>('eth_getBlockByNumber', 'latest', false);
  const hasHealthyNode = watchHealthy(nodes);
  const question = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params: [known.hash, false] };
  const answer = await fetch(`${before.url}/c/mainnet/v1/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  })
    .then((response) => response.json() as Promise<{ result?: { hash: string } | null; error?: object }>)
    .catch((error: Error) => ({ error: { message: String(error.cause ?? error) } }));
  const isExcused = !hasHealthyNode() || processes.life('api') !== before.life;
  tally.add('reads through the gateway');
  if (!('result' in answer)) {
    if (!isExcused)
      complain(`the gateway answered ${JSON.stringify(answer.error)} while a node was healthy all the time`);
  } else if (answer.result !== null && !isDeepStrictEqual(answer.result, known))
    complain(`the gateway answered another block than ${known.hash}`);
};

const readBack = async (_: Around, tenant: Tenant) => {
  const [wallet_id, addresses] = tenant.random.pick([...tenant.addresses]);
  const { wallet } = await eventually(() => tenant.api().getWallet({ wallet_id }));
  if (!wallet.addresses.some((one) => addresses.has(one))) throw new Error(`wallet ${wallet_id} has other addresses`);
};

const steps = {
  transfers: { weight: 10, run: (around: Around, tenant: Tenant) => pay(around, tenant, false) },
  'token transfers': { weight: 4, run: (around: Around, tenant: Tenant) => pay(around, tenant, true) },
  'transfers to strangers': { weight: 2, run: payStranger },
  'managed transactions': {
    weight: 3,
    run: (_: Around, tenant: Tenant) => spend(tenant, tenant.random.below(6) === 0),
  },
  wallets: { weight: 1, run: (_: Around, tenant: Tenant) => newWallet(tenant, tenant.random.between(1, 4)) },
  addresses: {
    weight: 2,
    run: (_: Around, tenant: Tenant) => newAddress(tenant, tenant.random.pick([...tenant.addresses.keys()])),
  },
  'gateway reads': { weight: 4, run: readThrough },
  'reads back': { weight: 2, run: readBack },
};
type Step = keyof typeof steps;
const weights = Object.fromEntries(Object.entries(steps).map(([name, { weight }]) => [name, weight])) as Record<
  Step,
  number
>;

/** Runs random steps of an organization, one after the other, until the signal aborts. */
export const work = async (around: Around, tenant: Tenant, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const name = tenant.random.weighted(weights);
    try {
      await steps[name].run(around, tenant);
      around.tally.add(name);
    } catch (error) {
      around.complain(`${tenant.name}, ${name}: ${error}`);
    }
    await testSystem.sleep(tenant.random.below(maxPauseMs));
  }
};
