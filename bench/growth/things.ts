import type { Step } from '../../application/commands/handle.js';
import { transactionStep } from '../../application/transactions/transactions.js';
import { addressStep } from '../../application/wallets/addresses.js';
import { deliveryIdFor } from '../../application/webhooks/deliveries.js';
import { addressOf } from '../../tests/support/following/running-app.js';
import { testSystem } from '../../tests/support/silent.js';
import { openConnections } from './gateway-connections.js';
import { laterUrl, type Scene } from './scene.js';

/**
 * Functions that create things: `one` creates thing number `n`; `many` creates the things from number `from` up to, but
 * not including, number `to`.
 */
export type Making = {
  readonly one: (n: number) => Promise<unknown>;
  readonly many?: (from: number, to: number) => Promise<unknown>;
};
type Thing = (scene: Scene) => Making | Promise<Making>;

const atOnce = 50;
const noticeTimeoutMs = 30_000;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** Creates a function that makes several things with `one`, `atOnce` of them concurrently. */
export const oneByOne =
  (one: Making['one']) =>
  async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += atOnce) await Promise.all(numbers(n, Math.min(to, n + atOnce)).map(one));
  };

const byOperation =
  (path: string, request: (n: number, scene: Scene) => object): Thing =>
  (scene) => {
    const make = scene.operation(path);
    return { one: (n) => make(request(n, scene)) };
  };

const transfers: Thing = (scene) => {
  scene.start('follower', 'notification fan-out', 'balance reader');
  const mine = async (some: readonly number[]) => {
    const recorded = scene.next('TransferObserved');
    scene.mine(scene.address, some);
    await scene.untilProjected(await recorded);
  };
  const perBlock = 100;
  return {
    one: (n) => mine([n]),
    many: async (from, to) => {
      for (let n = from; n < to; n += perBlock) await mine(numbers(n, Math.min(to, n + perBlock)));
    },
  };
};

/**
 * Notifications of one wallet's transfers, without a webhook. The measured time of a notification ends when a waiting
 * caller receives the notification.
 */
const notices: Thing = async (scene) => {
  const { one: mine, many: mineMany = oneByOne(mine) } = await transfers(scene);
  // Wakes waiting callers. Without this process, callers poll for notifications once a second.
  scene.start('cache invalidation');
  const { notifications } = scene.app;
  const list = (after: string, size: number, waitMs: number) =>
    notifications.list(scene.context, { after, size }, waitMs);
  let place = (await list('latest', 1, 0)).nextAfter;
  return {
    one: async (n) => {
      await mine(n);
      for (let isFound = false; !isFound; ) {
        const page = await list(place, 10, noticeTimeoutMs);
        [isFound, place] = [page.notifications.length > 0, page.nextAfter];
      }
    },
    many: async (from, to) => {
      await mineMany(from, to);
      for (let left = to - from; left > 0; ) {
        const page = await list(place, 1000, noticeTimeoutMs);
        [left, place] = [left - page.notifications.length, page.nextAfter];
      }
    },
  };
};

/** Returns a function that creates and sends the n-th transaction, and resolves to its id. */
const createSend = ({ operation, handle, context, walletId, address, untilProjected }: Scene) => {
  const create = operation('/v1/c/CreateTransaction');
  const request = { wallet_id: walletId, from: address, to: addressOf(2), value: '1' };
  return async (n: number) => {
    type Created = { transaction: { transaction_id: string } };
    const { transaction_id: transactionId } = (await create<Created>(request)).transaction;
    const signed = { transactionId, raw: '0x01', hash: `0x${n.toString(16).padStart(64, '0')}` };
    await handle(context, [transactionStep(context, { type: 'Sign', data: signed })]);
    await untilProjected(await handle(context, [transactionStep(context, { type: 'Send', data: { transactionId } })]));
    return transactionId;
  };
};

/** Transactions that are sent but never mined, while the transaction watcher polls them. */
const openTransactions: Thing = (scene) => {
  scene.start('transaction watcher');
  return { one: createSend(scene) };
};

/** Transactions that are mined in a final block. */
const minedTransactions: Thing = (scene) => {
  const send = createSend(scene);
  const { handle, context, untilProjected } = scene;
  return {
    one: async (n) => {
      const block = { number: n, hash: `0x${n.toString(16).padStart(64, 'b')}`, time: n };
      const outcome = { kind: 'mined', block, failed: false } as const;
      const data = { transactionId: await send(n), outcome, confirmations: 64, isDeep: true, isFinal: true };
      await untilProjected(await handle(context, [transactionStep(context, { type: 'Observe', data })]));
    },
  };
};

/** Tokens that the service follows at one address. The default quota of an organization is 10,000. */
const imports: Thing = ({ handle, context, walletId, address, untilProjected }) => {
  const stepOf = (n: number) => {
    const asset = { standard: 'token', contract: addressOf(n + 2) } as const;
    return addressStep(context, { type: 'Import', data: { address, walletId, asset } }, '/address');
  };
  const perAppend = 100;
  return {
    one: async (n) => untilProjected(await handle(context, [stepOf(n)])),
    // All imports are events of one stream, on which concurrent commands would only conflict.
    many: async (from, to) => {
      for (let n = from; n < to; n += perAppend) {
        const steps = numbers(n, Math.min(to, n + perAppend)).map(stepOf);
        const decide: Step['decide'] = (past) => steps.flatMap((one) => one.decide(past));
        await untilProjected(await handle(context, [{ ...stepOf(n), decide }]));
      }
    },
  };
};

/** Headers of webhooks, at most `atOnce` for each webhook. */
const webhookHeaders: Thing = ({ operation }) => {
  const [register, add] = [operation('/v1/c/RegisterWebhook'), operation('/v1/c/RegisterWebhookHeader')];
  const webhooks = new Map<number, Promise<{ webhook_id: string }>>();
  const webhookOf = (n: number) => {
    const number = Math.floor(n / atOnce);
    const wanted = { webhook_endpoint: 'https://receiver.example/', confirmation: 1 };
    const found = webhooks.get(number) ?? register<{ webhook_id: string }>(wanted);
    webhooks.set(number, found);
    return found;
  };
  return {
    one: async (n) => {
      const { webhook_id } = await webhookOf(n);
      await add({ webhook_id, header_key: `x-${n}`, header_value: 'value' });
    },
  };
};

/**
 * Deliveries to one webhook. The measured delivery goes to another webhook and ends when the read models include its
 * attempt.
 */
const deliveriesTo =
  (url: string): Thing =>
  async ({ start, operation, app, context, posted, next, untilProjected }) => {
    const register = operation('/v1/c/RegisterWebhook');
    const webhookAt = async (endpoint: string) => {
      const wanted = { webhook_endpoint: endpoint, confirmation: 1 };
      const { webhook_id } = await register<{ webhook_id: string }>(wanted);
      return { webhook_id, disabled: false };
    };
    const [theirs, own] = [await webhookAt(url), await webhookAt('https://receiver.example/at-once')];
    start('delivery queue', 'delivery repair', 'deliverer');
    const request = async (to: typeof own, n: number) => {
      const deliveryId = deliveryIdFor(testSystem, context, [String(n)]);
      const arrived = posted(deliveryId);
      await app.deliveries.request(context, to, [{ deliveryId, data: { n } }]);
      await arrived;
    };
    return {
      one: async (n) => {
        const recorded = next('DeliveryAttempted');
        await request(own, n);
        await untilProjected(await recorded);
      },
      many: oneByOne((n) => request(theirs, n)),
    };
  };

/**
 * Subscriptions or filters of gateway connections. Among ten measured calls, one comes right after a new block and one
 * right after a new pending transaction.
 */
const onConnections =
  (method: string, ...params: readonly unknown[]): Thing =>
  () => {
    const { call, mine, send } = openConnections();
    return {
      one: async (n) => {
        if (n % 10 === 0) mine();
        if (n % 10 === 5) send(n);
        await call(n, method, params);
      },
      many: oneByOne((n) => call(n, method, params)),
    };
  };

/** Kinds of things that an organization can have many of. */
export const things: Readonly<Record<string, Thing>> = {
  wallets: byOperation('/v1/c/RegisterWallet', (n) => ({ name: `wallet ${n}` })),
  addresses: byOperation('/v1/c/RegisterAddress', (n, { walletId }) => ({
    wallet_id: walletId,
    address: addressOf(n + 2),
  })),
  contracts: byOperation('/v1/c/RegisterContract', (n) => ({
    contract_address: addressOf(n + 2),
    contract_type: 'CONTRACT_TYPE_ERC20',
  })),
  imports,
  transfers,
  notices,
  'open transactions': openTransactions,
  'mined transactions': minedTransactions,
  webhooks: byOperation('/v1/c/RegisterWebhook', (n) => ({
    webhook_endpoint: `https://example.com/${n}`,
    confirmation: 1,
  })),
  'webhook headers': webhookHeaders,
  'waiting deliveries': deliveriesTo(laterUrl),
  'webhook histories': deliveriesTo('https://receiver.example/'),
  credentials: byOperation('/v1/admin/CreateCredential', (_, { organizationId }) => ({
    organization_id: organizationId,
  })),
  'gateway tokens': byOperation('/v1/admin/CreateGatewayToken', (n) => ({ name: `token ${n}` })),
  'gateway filters': onConnections('evm_newFilter', { address: addressOf(1) }),
  'subscriptions to heads': onConnections('evm_subscribe', 'newHeads'),
  'subscriptions to pending transactions': onConnections('evm_subscribe', 'newPendingTransactions'),
};
