import type { AnnouncedHeads } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { connectRedis, rootIn } from './connection.js';

/** Time for which a process that starts still learns of a head. */
const keptMs = 60_000;

type Listener = (height: number) => void;

/** Tells heads to all processes of the namespace on this database of Redis. A lost message is made good by the next head. */
export const redisAnnouncedHeads = async (
  url: string,
  log: Log,
  namespace = '',
  answerMs?: number,
): Promise<AnnouncedHeads> => {
  const root = `${rootIn(namespace)}:heads`;
  const redis = await connectRedis(url, log, answerMs);
  const ears = redis.duplicate({ commandTimeout: undefined, maxRetriesPerRequest: null } as object);
  ears.on('error', () => undefined);
  // Channels, unlike keys, belong to no database.
  const channel = `${root}:${redis.options.db ?? 0}`;
  const listeners = new Map<string, Listener>();

  const hear = (address: string, height: number) => {
    if (Number.isSafeInteger(height)) listeners.get(address)?.(height);
  };
  ears.on('message', (_, message) => {
    const [address = '', height] = message.split(' ');
    hear(address, Number(height));
  });
  const begun = ears.subscribe(channel).catch(() => undefined);

  return {
    tell: (address, height) => {
      const told = redis.multi().set(`${root}:${address}`, height, 'PX', keptMs);
      told
        .publish(channel, `${address} ${height}`)
        .exec()
        .catch(() => undefined);
    },
    hear: async (address, listener) => {
      listeners.set(address, listener);
      await begun;
      const known = await redis.get(`${root}:${address}`).catch(() => null);
      if (known !== null) hear(address, Number(known));
    },
    close: async () => {
      ears.disconnect();
      redis.disconnect();
    },
  };
};
