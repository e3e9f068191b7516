import type { Backpressure } from '../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../application/gateway/chain-feed.js';
import { createFilters } from '../../application/gateway/filters.js';
import { newId } from '../../application/gateway/ids.js';
import type { Method } from '../../application/gateway/methods.js';
import type { Leave, Listener, Notification } from '../../application/gateway/notification.js';
import { filter, type SubscriptionName } from '../../application/gateway/params.js';
import type { RpcAnswer } from '../../application/ports/node.js';
import type { System } from '../../application/ports/system.js';
import { readFilter } from '../../domain/log-filter.js';
import { type Call, failed, rpcCodes } from './json-rpc.js';
import type { Outbox, Subscriber } from './outbox.js';

export const maxSubscriptions = 1000;

export type Opened = { readonly subscriptions: number; readonly filters: number };

type Subscription = Subscriber & {
  /** Notifications buffered until the client has received the subscription id; null afterwards. */
  early: Notification[] | null;
  leave: () => void;
};

const answer = (value: unknown): RpcAnswer => ({ result: Buffer.from(JSON.stringify(value)) });
const tooMany = () =>
  failed(
    rpcCodes.limitExceeded,
    `limit exceeded: at most ${maxSubscriptions} filters and ${maxSubscriptions} subscriptions per connection`,
  );

const startOn = (
  feed: ChainFeed,
): Readonly<Record<SubscriptionName, (listener: Listener, options: unknown) => Promise<Leave>>> => ({
  newHeads: (listener) => feed.onHeads((header) => listener(header)),
  logs: (listener, options) => feed.onLogs(readFilter(options), listener),
  newPendingTransactions: (listener) => feed.onPending(listener),
  syncing: (listener) => feed.onSyncing(listener),
});

const optionsFault = (name: unknown, options: unknown) =>
  name === 'logs' && options != null ? filter.fault(options) : null;

const createSubscribing = (feed: ChainFeed, outbox: Outbox, system: System) => {
  const subscriptions = new Map<string, Subscription>();
  const start = startOn(feed);
  let opening = 0;
  let isOpen = true;

  const open = async (subscription: Subscription, name: SubscriptionName, options: unknown) => {
    const listener = (notification: Notification) => {
      if (subscription.early) subscription.early.push(notification);
      else outbox.push(notification, subscription);
    };
    opening++;
    subscription.leave = await start[name](listener, options).finally(() => opening--);
    // Leaves the subscription at once if the connection was closed while the subscription was opened.
    if (isOpen) subscriptions.set(subscription.id, subscription);
    else subscription.leave();
  };
  return {
    count: () => subscriptions.size,
    subscribe: async ({ method, params: [name, options] }: Call, opened: string[]): Promise<RpcAnswer> => {
      const fault = optionsFault(name, options);
      if (fault) return failed(rpcCodes.invalidParams, `invalid argument 1 (options): ${fault}`);
      if (subscriptions.size + opening >= maxSubscriptions) return tooMany();
      const prefix = method.startsWith('evm_') ? 'evm' : 'eth';
      const subscription: Subscription = { id: newId(system), prefix, early: [], leave: () => undefined };
      await open(subscription, name as SubscriptionName, options);
      opened.push(subscription.id);
      return answer(subscription.id);
    },
    unsubscribe: (id: string) => {
      subscriptions.get(id)?.leave();
      return subscriptions.delete(id);
    },
    activate: (ids: readonly string[]) => {
      for (const subscription of ids.flatMap((id) => subscriptions.get(id) ?? [])) {
        const early = subscription.early ?? [];
        subscription.early = null;
        for (const notification of early) outbox.push(notification, subscription);
      }
    },
    close: () => {
      isOpen = false;
      for (const { leave } of subscriptions.values()) leave();
      subscriptions.clear();
    },
  };
};

/**
 * Creates the manager of the filters and subscriptions of one connection. All filters and subscriptions end with the
 * connection.
 */
export const createSubscriptions = (around: {
  readonly feed: ChainFeed;
  readonly outbox: Outbox;
  readonly system: System;
  readonly pressure: Backpressure;
}) => {
  const { feed, outbox, system, pressure } = around;
  const { subscribe, unsubscribe, activate, count, close } = createSubscribing(feed, outbox, system);
  const filters = createFilters(feed, system, pressure);

  const changes = (id: string): RpcAnswer => {
    const found = filters.changes(id);
    return found === null ? failed(rpcCodes.refused, 'filter not found') : { result: Buffer.from(found) };
  };
  return {
    opened: (): Opened => ({ subscriptions: count(), filters: filters.count() }),
    /** Returns the size of the changes that filters have collected, in bytes. */
    bytes: filters.bytes,
    /**
     * Answers a method of filters or subscriptions. Appends the id of a new subscription to `opened`. The caller must
     * activate these ids after it has sent the reply.
     */
    answer: async ({ name }: Method, call: Call, opened: string[]): Promise<RpcAnswer> => {
      const id = String(call.params[0]);
      if (name === 'evm_subscribe') return subscribe(call, opened);
      if (name === 'evm_unsubscribe') return answer(unsubscribe(id));
      if (name === 'evm_getFilterChanges') return changes(id);
      if (name === 'evm_uninstallFilter') return answer(filters.drop(id));
      const added = await filters.add[name as keyof typeof filters.add](call.params);
      return added === null ? tooMany() : answer(added);
    },
    /** Starts the notifications of subscriptions, given their ids. Called after the ids were sent to the client. */
    activate,
    dropUnused: filters.dropUnused,
    close: () => {
      filters.close();
      close();
    },
  };
};
