import { randomBytes } from 'node:crypto';
import { invalid } from '../rpc-error.js';
import type { Block } from './blocks.js';
import type { Evm } from './edr.js';

/** Connection that receives the notifications of a subscription. */
export type Listener = { notify(subscription: string, result: unknown): void };

type LogFilter = { readonly address?: unknown; readonly topics?: unknown };
type Log = { readonly blockNumber: string };
type Subscription =
  | { readonly kind: 'newHeads'; readonly listener: Listener }
  | { readonly kind: 'logs'; readonly listener: Listener; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly listener: Listener; readonly whole: boolean };
type Kind = Subscription['kind'];

export type Subscriptions = ReturnType<typeof createSubscriptions>;

const newId = () => `0x${randomBytes(16).toString('hex').replace(/^0+/, '')}`;

const bodyFields = ['transactions', 'uncles', 'withdrawals', 'size', 'totalDifficulty'];
const headerOf = (block: Block) =>
  Object.fromEntries(Object.entries(block).filter(([field]) => !bodyFields.includes(field)));

/**
 * Creates the manager of subscriptions, which notifies their connections. EDR's own subscriptions do not report removed
 * logs, so logs are read block by block.
 */
export const createSubscriptions = (evm: Evm) => {
  const subscriptions = new Map<string, Subscription>();
  const ofKind = <K extends Kind>(kind: K) =>
    [...subscriptions].filter((entry): entry is [string, Extract<Subscription, { kind: K }>] => entry[1].kind === kind);

  const readFilter = async (options: unknown): Promise<LogFilter> => {
    const { address, topics } = (options ?? {}) as LogFilter;
    const filter = { ...(address != null && { address }), ...(topics != null && { topics }) };
    await evm('eth_getLogs', { ...filter, fromBlock: 'latest' });
    return filter;
  };
  const open: Readonly<Record<Kind, (listener: Listener, options: unknown) => Subscription | Promise<Subscription>>> = {
    newHeads: (listener) => ({ kind: 'newHeads', listener }),
    logs: async (listener, options) => ({ kind: 'logs', listener, filter: await readFilter(options) }),
    newPendingTransactions: (listener, options) => ({
      kind: 'newPendingTransactions',
      listener,
      whole: options === true,
    }),
  };
  const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(open, kind);

  return {
    subscribe: async ([kind, options]: readonly unknown[], listener: Listener) => {
      if (!isKind(kind)) return invalid(`subscription must be one of ${Object.keys(open).join(', ')}`);
      const subscription = await open[kind](listener, options);
      const id = newId();
      subscriptions.set(id, subscription);
      return id;
    },
    /** Ends a subscription. Returns false if the subscription does not belong to the connection. */
    unsubscribe: ([id]: readonly unknown[], listener: Listener) =>
      subscriptions.get(id as string)?.listener === listener && subscriptions.delete(id as string),
    forget: (listener: Listener) => {
      for (const [id, subscription] of subscriptions) if (subscription.listener === listener) subscriptions.delete(id);
    },
    publish: async (block: Block) => {
      for (const [id, { listener }] of ofKind('newHeads')) listener.notify(id, headerOf(block));
      if (block.transactions.length === 0) return;
      for (const [id, { listener, filter }] of ofKind('logs'))
        for (const log of await evm<readonly Log[]>('eth_getLogs', { ...filter, blockHash: block.hash }))
          listener.notify(id, log);
    },
    announce: async (hash: string) => {
      for (const [id, { listener, whole }] of ofKind('newPendingTransactions'))
        listener.notify(id, whole ? await evm('eth_getTransactionByHash', hash) : hash);
    },
    /**
     * Collects the logs of the blocks from a height on, before these blocks are removed. The returned function reports
     * the logs above the new height as removed.
     */
    retract: async (fromHeight: number) => {
      const fromBlock = `0x${Math.max(0, fromHeight).toString(16)}`;
      const found: { id: string; listener: Listener; log: Log }[] = [];
      for (const [id, { listener, filter }] of ofKind('logs'))
        for (const log of await evm<readonly Log[]>('eth_getLogs', { ...filter, fromBlock, toBlock: 'latest' }))
          found.push({ id, listener, log });
      return (height: number) => {
        for (const { id, listener, log } of found)
          if (Number(log.blockNumber) > height) listener.notify(id, { ...log, removed: true });
      };
    },
  };
};
