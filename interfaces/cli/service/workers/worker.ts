import { once } from 'node:events';
import type { DevelopmentAddresses } from '../../../../application/ports/chains.js';
import type { MetricValues } from '../../../server/metrics.js';
import type { FromPrimary, FromWorker } from './messages.js';

const send = (message: FromWorker) => {
  // Sends nothing after the primary process has ended, because the channel is then closed.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** Creates the worker's end of the channel to the primary process. */
export const connectToPrimary = () => {
  const asked = new Map<number, (text: string) => void>();
  let lastId = 0;
  let collect: () => Promise<MetricValues> = async () => [];
  let open: (developments: DevelopmentAddresses) => void;
  const opening = new Promise<DevelopmentAddresses>((resolve) => {
    open = resolve;
  });
  const answer = async (id: number) => send({ kind: 'collected', id, metrics: await collect().catch(() => []) });
  process.on('message', (message: FromPrimary) => {
    if (message.kind === 'open') open(message.developments);
    if (message.kind === 'metrics') asked.get(message.id)?.(message.text);
    if (message.kind === 'collect') void answer(message.id);
  });
  return {
    /** Resolves when the primary process has ended. */
    lost: once(process, 'disconnect').then(() => undefined),
    /** Reports the port, and waits until the stores may be opened. */
    listening: (url: string): Promise<DevelopmentAddresses> => {
      send({ kind: 'listening', url });
      return opening;
    },
    ready: () => send({ kind: 'ready' }),
    /** Registers the metrics of this worker, and returns a function that reads the metrics of all processes. */
    shareMetrics: (own: () => Promise<MetricValues>) => {
      collect = own;
      return () =>
        new Promise<string>((resolve) => {
          const id = ++lastId;
          asked.set(id, (text) => {
            asked.delete(id);
            resolve(text);
          });
          send({ kind: 'wanted', id });
        });
    },
    close: () => process.disconnect?.(),
  };
};
