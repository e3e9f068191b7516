import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Range of ports below the ephemeral ports, which systems assign to outgoing connections and to servers on port 0. */
const [lowest, highest] = [20_000, 32_000];

const isFree = async (port: number) => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** Finds a free port that other programs are unlikely to take, for programs that cannot choose one themselves. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(lowest, highest);
  return (await isFree(port)) ? port : freePort();
};
