import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../application/async/group-by.js';
import { everyPage } from '../support/following/following.js';
import type { Client } from '../support/service/client.js';
import type { Tenant } from './tenant.js';
import { concerning, type Movement, type Truth } from './truth.js';
import type { World } from './world.js';

type Api = Client['c'];
type TransferRecord = Awaited<ReturnType<Api['listTransfers']>>['transfers'][number];
const pageSize = 100;
const removed = 'TRANSFER_STATE_REMOVED';
const finalState = ({ failed }: Movement) => (failed ? 'TRANSFER_STATE_FAILED' : 'TRANSFER_STATE_SUCCESS');

const transfersOf = (api: Api, wallet_id: string) =>
  everyPage(async (page_token = '') => {
    const { transfers, pagination } = await api.listTransfers({ wallet_id, page_size: pageSize, page_token });
    return { documents: transfers, nextPageToken: pagination.next_page_token };
  });
const walletsOf = (api: Api) =>
  everyPage(async (page_token = '') => {
    const { wallets, pagination } = await api.listWallets({ page_size: pageSize, page_token });
    return { documents: wallets, nextPageToken: pagination.next_page_token };
  });
const assetsOf = (api: Api, wallet_id: string, asset_type: string) =>
  everyPage(async (page_token = '') => {
    const { assets, pagination } = await api.listAssets({ wallet_id, asset_type, page_size: pageSize, page_token });
    return { documents: assets, nextPageToken: pagination.next_page_token };
  });

const checkWallet = (walletId: string, listed: readonly TransferRecord[], expected: ReadonlyMap<string, Movement>) => {
  const standing = listed.filter(({ transfer_state }) => transfer_state !== removed);
  const byHash = groupBy(standing, ({ transaction_hash = '' }) => transaction_hash);
  const violations = [...expected].flatMap(([hash, movement]) => {
    const [found, ...more] = byHash.get(hash) ?? [];
    if (!found) return [`${hash} is on the chain and not listed`];
    if (more.length > 0) return [`${hash} is listed ${more.length + 1} times`];
    const { asset_type, from, to, value, block_number, transfer_state } = found;
    const { assetType, blockNumber } = movement;
    const is = [asset_type, from, to, value, block_number, transfer_state];
    const ought = [assetType, movement.from, movement.to, movement.value, blockNumber, finalState(movement)];
    return isDeepStrictEqual(is, ought) ? [] : [`${hash} is listed as ${is}, expected ${ought}`];
  });
  const invented = standing.filter(({ transaction_hash = '' }) => !expected.has(transaction_hash));
  const states = invented.map(
    ({ transaction_hash, transfer_state }) => `${transaction_hash} is listed as ${transfer_state} and not on the chain`,
  );
  return [...violations, ...states].map((text) => `wallet ${walletId}: transfer ${text}`);
};

const checkTransfers = async (tenant: Tenant, truth: Truth) => {
  const violations: string[] = [];
  for (const [walletId, expected] of concerning(truth, tenant))
    violations.push(...checkWallet(walletId, await transfersOf(tenant.api(), walletId), expected));
  return violations;
};

const balanceOf = `0x70a08231${'0'.repeat(24)}`;
const askBalance = async ({ ask, token }: World, assetType: string, address: string) =>
  String(
    BigInt(
      assetType === 'ASSET_TYPE_C'
        ? await ask<string>('eth_getBalance', address, 'latest')
        : await ask<string>('eth_call', { to: token, data: balanceOf + address.slice(2) }, 'latest'),
    ),
  );

/** Checks that every listed balance equals that on the chain, and that every address with a transfer has a balance. */
const checkHoldings = async (world: World, tenant: Tenant, walletId: string, moved: readonly Movement[]) => {
  const violations: string[] = [];
  for (const assetType of ['ASSET_TYPE_C', 'ASSET_TYPE_ERC20']) {
    const listed = await assetsOf(tenant.api(), walletId, assetType);
    const shown = new Map(listed.map(({ address, balance }) => [address, balance]));
    const touched = moved.filter((one) => one.assetType === assetType).flatMap(({ from, to }) => [from, to]);
    const own = touched.filter((one) => tenant.addresses.get(walletId)?.has(one));
    for (const address of new Set([...shown.keys(), ...own])) {
      const [is, ought] = [shown.get(address), await askBalance(world, assetType, address)];
      if (is !== ought) violations.push(`wallet ${walletId}: ${assetType} of ${address} is ${is}, expected ${ought}`);
    }
  }
  return violations;
};
const checkBalances = async (world: World, tenant: Tenant, truth: Truth) => {
  const violations: string[] = [];
  for (const [walletId, expected] of concerning(truth, tenant))
    violations.push(...(await checkHoldings(world, tenant, walletId, [...expected.values()])));
  return violations;
};

/** Checks that exactly the acknowledged wallets and addresses are listed, each once. */
const checkWallets = async ({ api, addresses }: Tenant) => {
  const found = await walletsOf(api());
  const listed = new Map(found.map((wallet) => [wallet.wallet_id, new Set(wallet.addresses)]));
  const known = new Map(addresses);
  const violations = [...known].filter(([walletId, own]) => !isDeepStrictEqual(listed.get(walletId), own));
  const invented = found.filter(({ wallet_id }) => !known.has(wallet_id));
  return [
    ...violations.map(
      ([walletId, own]) =>
        `wallet ${walletId} lists ${[...(listed.get(walletId) ?? [])]}, expected the acknowledged ${[...own]}`,
    ),
    ...invented.map(({ wallet_id }) => `wallet ${wallet_id} is listed, but was never registered`),
    ...(found.length > listed.size ? ['a wallet was listed twice'] : []),
  ];
};

/** Checks that each payment ends as expected under a nonce of its own, and that the sender has used no other nonce. */
const checkPayments = async ({ ask }: World, { api, payments, sender, name }: Tenant, { hashes }: Truth) => {
  const violations: string[] = [];
  const nonces: number[] = [];
  for (const [transaction_id, { canceled }] of payments) {
    const { transaction } = await api().getTransaction({ transaction_id });
    const { transaction_state, transaction_hash, nonce } = transaction;
    const ought = `TRANSACTION_STATE_${canceled ? 'CANCELED' : 'CONFIRMED'}`;
    if (transaction_state !== ought)
      violations.push(`transaction ${transaction_id} is ${transaction_state}, expected ${ought}`);
    if (hashes.has(transaction_hash) === canceled)
      violations.push(`transaction ${transaction_id} is expected to be ${ought}, but the chain says otherwise`);
    if (!canceled) nonces.push(Number(nonce));
  }
  const spent = Number(await ask<string>('eth_getTransactionCount', sender.address, 'latest'));
  const isGapless = isDeepStrictEqual(
    nonces.toSorted((a, b) => a - b),
    Array.from({ length: spent }, (_, i) => i),
  );
  return isGapless
    ? violations
    : [...violations, `${name} used the nonces ${nonces}, but the chain counts ${spent} transactions`];
};

/** Checks that a tenant finds nothing that belongs to another tenant. */
const checkSecrecy = async (tenant: Tenant, others: readonly Tenant[]) => {
  const violations: string[] = [];
  const expectNothing = async (what: string, ask: () => Promise<object>) => {
    const outcome = await ask().catch((error: { problem?: { code: string } }) => error.problem?.code ?? String(error));
    if (outcome !== 'NOT_FOUND')
      violations.push(`${tenant.name} asked for ${what} and got ${JSON.stringify(outcome)}, expected NOT_FOUND`);
  };
  for (const { name, addresses, hooks, payments } of others) {
    const [wallet_id = ''] = addresses.keys();
    await expectNothing(`a wallet of ${name}`, () => tenant.api().getWallet({ wallet_id }));
    await expectNothing(`transfers of ${name}`, () => tenant.api().listTransfers({ wallet_id }));
    for (const transaction_id of payments.keys())
      await expectNothing(`a transaction of ${name}`, () => tenant.api().getTransaction({ transaction_id }));
    for (const { webhookId } of hooks)
      await expectNothing(`a webhook of ${name}`, () => tenant.api().getWebhook({ webhook_id: webhookId }));
  }
  return violations;
};

/** Compares the service's answers with the chain, and with the commands that the service acknowledged. */
export const checkAnswers = async (world: World, tenants: readonly Tenant[], truth: Truth): Promise<string[]> => {
  const violations: string[] = [];
  for (const tenant of tenants) {
    const others = tenants.filter((one) => one !== tenant);
    violations.push(
      ...(await checkWallets(tenant)),
      ...(await checkTransfers(tenant, truth)),
      ...(await checkBalances(world, tenant, truth)),
      ...(await checkPayments(world, tenant, truth)),
      ...(await checkSecrecy(tenant, others)),
    );
  }
  return violations;
};
