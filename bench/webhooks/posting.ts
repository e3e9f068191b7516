import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';
import { webhookSigner } from '../../infrastructure/webhooks/signer.js';

// Program that posts signed bodies, in a loop or as BullMQ jobs, and records nothing.
const [, , kind = 'loop', url = '', redisUrl = ''] = process.argv;
const atOnce = 50;
const dispatcher = new Agent({ connections: atOnce, pipelining: 1 });
const signer = webhookSigner(new Uint8Array(32));
const to = { organizationId: 'bench', webhookId: 'bench', secret: signer.newSecret() };
const body = JSON.stringify({ data: 'x'.repeat(700) });

const post = async (id: string) => {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signer.sign(to, { id, timestamp, body }),
  };
  const answer = await request(url, { dispatcher, method: 'POST', headers, body });
  await answer.body.dump();
};

const inLoop = async (count: number) => {
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await post(`loop ${left}`);
    }),
  );
};
const asJobs = () => {
  const connection = () => new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('bench', { connection: connection() });
  const worker = new Worker('bench', ({ data }) => post(data.id), {
    connection: connection(),
    concurrency: atOnce,
    autorun: false,
  });
  return async (count: number) => {
    const jobs = Array.from({ length: count }, (_, i) => ({ name: 'post', data: { id: `job ${i}` } }));
    await queue.addBulk(jobs);
    if (!worker.isRunning()) void worker.run();
  };
};

const run = kind === 'loop' ? inLoop : asJobs();
process.on('message', (count: number) => void run(count));
process.on('disconnect', () => process.exit());
process.send?.('ready');
