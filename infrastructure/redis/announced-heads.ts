import type { AnnouncedHeads } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { connectRedis, rootIn } from './connection.js';

/** Milliseconds for which a head is stored for processes that start later. */
const ttlMs = 60_000;

type Listener = (height: number) => void;

/**
 * Creates a channel that shares announced chain heads between all processes of the namespace on this Redis database.
 * Lost messages do no harm, because the next head follows soon.
 */
export const redisAnnouncedHeads = async (
  url: string,
  log: Log,
  namespace = '',
  timeoutMs?: number,
): Promise<AnnouncedHeads> => {
  const root = `${rootIn(namespace)}:heads`;
  const redis = await connectRedis(url, log, timeoutMs);
  const subscriber = redis.duplicate({ commandTimeout: undefined, maxRetriesPerRequest: null } as object);
  subscriber.on('error', () => undefined);
  // The channel's name includes the database number, because channels, unlike keys, are shared by all databases.
  const channel = `${root}:${redis.options.db ?? 0}`;
  const listeners = new Map<string, Listener>();

  const deliver = (address: string, height: number) => {
    if (Number.isSafeInteger(height)) listeners.get(address)?.(height);
  };
  subscriber.on('message', (_, message) => {
    const [address = '', height] = message.split(' ');
    deliver(address, Number(height));
  });
  const subscribed = subscriber.subscribe(channel).catch(() => undefined);

  return {
    announce: (address, height) => {
      const transaction = redis.multi().set(`${root}:${address}`, height, 'PX', ttlMs);
      transaction
        .publish(channel, `${address} ${height}`)
        .exec()
        .catch(() => undefined);
    },
    listen: async (address, listener) => {
      listeners.set(address, listener);
      await subscribed;
      const known = await redis.get(`${root}:${address}`).catch(() => null);
      if (known !== null) deliver(address, Number(known));
    },
    close: async () => {
      subscriber.disconnect();
      redis.disconnect();
    },
  };
};
