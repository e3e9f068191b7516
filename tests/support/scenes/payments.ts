import assert from 'node:assert/strict';
import { HDNodeWallet, type SigningKey, Wallet } from 'ethers';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import type { Engine, Home } from '../engines/engines.js';
import { eventually } from '../eventually.js';
import type { Client } from '../service/client.js';
import { clientOf, startService } from '../service/service.js';
import { silent } from '../silent.js';

const phrase = 'test test test test test test test test test test test junk';

/** Returns one of the development chain's ten accounts with its key, which the service does not have. */
export const account = (index: number) => {
  const { address, signingKey } = HDNodeWallet.fromPhrase(phrase, '', `m/44'/60'/0'/0/${index}`);
  return { address: address.toLowerCase(), key: signingKey };
};

export const receiver = () => Wallet.createRandom().address.toLowerCase();

export const refusedWith =
  (code: string, text = /./) =>
  (error: unknown) => {
    const { problem } = error as { problem?: { code: string; detail: string } };
    assert.equal(problem?.code, code, `${JSON.stringify(problem)} ${error}`);
    assert.match(problem?.detail ?? '', text);
    return true;
  };

/** Signs the current message of a transaction, and submits the signature. */
export const signOutside = async (api: Client['c'], key: SigningKey, transaction_id: string) => {
  const { transaction_message_to_sign } = await api.getTransactionMessageToSign({ transaction_id });
  await api.submitTransactionSignature({ transaction_id, signature: key.sign(transaction_message_to_sign).serialized });
};

export type Payments = NonNullable<Awaited<ReturnType<typeof openPayments>>>;

/**
 * Starts a service with a funded wallet and a chain whose blocks come only on request, so that a sent transaction stays
 * pending until the test mines it. Returns null where there is no development chain.
 */
export const openPayments = async (engine: Engine, env: Record<string, string> = {}, { withWallet = true } = {}) => {
  const chain = await startDevelopmentEvm({ blockMs: 3_600_000, log: silent });
  if (!chain) return null;
  const start = (on: Engine | Home, role?: string) =>
    startService({ on, env: { CHAIN_C_URL: `${chain.wsUrl},${chain.url}`, ...env }, ...(role && { role }) });
  let service = await start(engine);
  let api = clientOf(service).c;
  const sender = account(0);
  const { wallet_id } = withWallet
    ? await api.registerWallet({ name: 'payments', address: sender.address, confirmation: 2 })
    : { wallet_id: '' };

  const stateOf = async (transaction_id: string) =>
    (await api.getTransaction({ transaction_id })).transaction.transaction_state.replace('TRANSACTION_STATE_', '');
  const create = async (given: object = {}) => {
    const request = { wallet_id, from: sender.address, to: receiver(), value: '1000', ...given };
    return (await api.createTransaction(request)).transaction;
  };
  const sign = (transaction_id: string) => signOutside(api, sender.key, transaction_id);

  return {
    chain,
    sender,
    wallet_id,
    get api() {
      return api;
    },
    service: () => service,
    /** Starts another process of the service on the same stores. */
    another: (role: string) => start(service.home, role),
    killAndRestart: async () => {
      await service.kill();
      service = await start(service.home);
      api = clientOf(service).c;
    },
    mine: (blocks = 1) => chain.request('dev_mine', [blocks]),
    stateOf,
    becomes: (transaction_id: string, state: string) =>
      eventually(async () => assert.equal(await stateOf(transaction_id), state)),
    create,
    sign,
    createSent: async (given: object = {}) => {
      const made = await create(given);
      await sign(made.transaction_id);
      await api.sendTransaction({ transaction_id: made.transaction_id });
      return made;
    },
    balanceOf: async (address: string) =>
      BigInt((await chain.request('eth_getBalance', [address, 'latest'])) as string),
    close: async () => {
      await service.stop();
      await chain.close();
    },
  };
};
