import type { Chain } from '../../../application/ports/chain.js';
import { contextOf, openStores, type Running, startFollowing, transfersOf } from './following.js';

export const ann = `0x${'a'.repeat(40)}`;
/** Operator who sends the commands that retry or accept a block. */
export const person = { actor: { kind: 'operator', id: 'eve' }, requestId: 'test' } as const;

/**
 * Opens stores for the suite, and returns functions that follow a chain on these stores and register a wallet with
 * Ann's address.
 */
export const useFollowedWallet = (organizationId: string) => {
  const by = contextOf(organizationId);
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;
  let walletId = '';
  before(async () => {
    stores = await openStores();
  });
  after(async () => {
    await running.stop();
    await stores.close();
  });
  const app = () => running.app;
  const follower = () => app().followers[0];
  return {
    by,
    app,
    stores: () => stores,
    walletId: () => walletId,
    start: (chain: Chain, options: Parameters<typeof startFollowing>[2] = {}) => {
      running = startFollowing(stores, chain, { fromGenesis: false, ...options });
    },
    stop: () => running.stop(),
    register: async () => {
      const wallet = { name: 'ann', address: ann, importAsset: false, confirmation: 2 };
      walletId = (await app().wallets.register(by, wallet)).answer.wallet_id;
    },
    height: () => follower()?.status()?.height,
    alarm: () => follower()?.alarm() ?? '',
    /** Lists the transfers of the wallet, each as a text with its block hash and state. */
    transfers: async () => {
      const found = await transfersOf(app(), by, walletId);
      return found.map(({ block_hash, state }) => `${block_hash} ${state}`).toSorted((a, b) => (a < b ? -1 : 1));
    },
  };
};
