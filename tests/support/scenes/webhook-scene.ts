import { Wallet } from 'ethers';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import type { Engine, Home } from '../engines/engines.js';
import { everyPage } from '../following/following.js';
import { keepSecret } from '../run/secrets.js';
import type { Client } from '../service/client.js';
import { clientOf, type Service, startService } from '../service/service.js';
import { silent } from '../silent.js';
import { type Choose, createVerifier, type Keys, startReceiver } from '../webhooks/webhook-receiver.js';

type Sent = { transaction_hash: string; block_number: number; block_hash: string };

/** Creates a list of clean-up functions of a scene, which run in reverse order. */
const createEnds = () => {
  const ends: (() => unknown)[] = [];
  return {
    add: (end: () => unknown) => void ends.push(end),
    run: async () => {
      for (const end of ends.splice(0).toReversed()) await end();
    },
  };
};

/** Starts two processes on the same stores: a deliverer that may be killed, and one for all other roles. */
const startProcesses = async (on: Engine | Home, env: Record<string, string>) => {
  let main = await startService({ on, role: 'api,projector,follower', env });
  const { home } = main;
  /** Starts the deliverer. Retries like a supervisor, because a slow store can make it exit during startup. */
  const startDeliverer = async (tries = 3): Promise<Service> => {
    try {
      return await startService({ on: home, role: 'deliverer', env });
    } catch (error) {
      if (tries === 1) throw error;
      return startDeliverer(tries - 1);
    }
  };
  let deliverer: Service | undefined = await startDeliverer();
  const deliver = async () => {
    deliverer = await startDeliverer();
  };
  return {
    home,
    main: () => main,
    deliver,
    /**
     * Stops both processes at the same moment, not one after the other, so that one may be behind the other at the next
     * start.
     */
    stop: async () => {
      await Promise.all([main.stop(), deliverer?.stop()]);
      deliverer = undefined;
    },
    killDeliverer: async () => {
      await deliverer?.kill();
      deliverer = undefined;
    },
    start: async () => {
      main = await startService({ on: home, role: 'api,projector,follower', env });
      await deliver();
    },
  };
};

/**
 * Starts a development chain in this process and a service that follows the chain. Returns null if EDR, the EVM of the
 * chain, is not installed.
 */
export const openScene = async (on: Engine | Home) => {
  const chain = await startDevelopmentEvm({ blockMs: 0, log: silent });
  if (!chain) return null;
  const ends = createEnds();
  ends.add(() => chain.close());
  const env = { CHAIN_C_URL: chain.wsUrl, CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' };
  const processes = await startProcesses(on, env);
  ends.add(processes.stop);
  const keys = new Map<string, Keys>();
  const api = (): Client['c'] => clientOf(processes.main()).c;
  const check = createVerifier(keys);
  const control = <T>(method: string, ...params: unknown[]) => chain.request(method, params) as Promise<T>;

  return {
    processes,
    api,
    control,
    send: (to: string, value: string) => control<Sent>('dev_transfer', { variant: 'c', to, value }),
    mine: (blocks: number) => control<Sent>('dev_mine', blocks),
    isMined: async (hash: string) => (await control<object | null>('eth_getTransactionReceipt', hash)) !== null,
    /** Starts a receiver that verifies each notification. */
    receiver: async (choose?: Choose) => {
      const receiver = await startReceiver({ check, ...(choose && { choose }) });
      ends.add(receiver.close);
      return receiver;
    },
    newAddress: () => Wallet.createRandom().address.toLowerCase(),
    newWallet: async (confirmation = 1) => {
      const address = Wallet.createRandom().address.toLowerCase();
      const { wallet_id } = await api().registerWallet({ name: 'told', address, confirmation });
      return { wallet_id, address };
    },
    /** Registers a webhook for one wallet, or for all wallets if none is given. */
    register: async ({ url }: { readonly url: string }, confirmation: number, wallet_id?: string) => {
      const { webhook_id } = await api().registerWebhook({
        webhook_endpoint: url,
        confirmation,
        ...(wallet_id !== undefined && { wallet_id }),
      });
      const { webhook } = await api().getWebhook({ webhook_id });
      for (const form of [webhook.secret, webhook.secret.slice('whsec_'.length)]) keepSecret(form);
      keys.set(webhook_id, webhook);
      return webhook_id;
    },
    histories: (webhook_id: string) =>
      everyPage(async (page_token) => {
        const { webhook_histories, pagination } = await api().listWebhookHistories({
          webhook_id,
          page_size: 100,
          ...(page_token !== undefined && { page_token }),
        });
        return { documents: webhook_histories, nextPageToken: pagination.next_page_token };
      }),
    close: ends.run,
  };
};
export type Scene = NonNullable<Awaited<ReturnType<typeof openScene>>>;
