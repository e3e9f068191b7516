import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Credentials } from '../../interfaces/signature.js';
import { createRandom } from '../support/random.js';
import { seed } from '../support/run/seed.js';
import { call, sign } from '../support/service/http.js';
import { newOrganization } from '../support/service/service.js';
import { testSystem } from '../support/silent.js';
import type { World } from './world.js';

type Hostile = Credentials & { readonly organizationId: string; readonly walletId: string };

const addressesAtOnce = 500;
const atOnce = 20;
const pauseMs = 20;
/** Endpoint without a server: the discard port of the loopback address. */
const nowhere = 'http://127.0.0.1:9/';

const addresses = (count: number) => Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);
const times = (count: number, work: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, work));

/** Sends a request and disconnects before the answer is read. */
const hangUp = (url: string, by: Credentials, path: string, request: object) =>
  new Promise<void>((resolve) => {
    const body = JSON.stringify(request);
    const signed = Object.entries(sign(by, path, body)).map(([name, value]) => `${name}: ${value}\r\n`);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => {
      const length = `content-type: application/json\r\ncontent-length: ${body.length}`;
      socket.end(`POST ${path} HTTP/1.1\r\nhost: x\r\n${signed.join('')}${length}\r\n\r\n${body}`);
      socket.destroySoon();
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });

type Step = (url: string, by: Hostile) => Promise<unknown>;
const asking =
  (path: string, request: (by: Hostile) => object, headers: () => Record<string, string> = () => ({})): Step =>
  (url, by) =>
    call(url, by, path, request(by), headers());
const inWallet = ({ walletId }: Hostile) => ({ wallet_id: walletId });
const random = createRandom(seed, 'hostile');
const somewhere = () => ({ 'x-as-of': String(random.between(1, 100)) });

/** Steps by which one organization, or a caller without a credential, could slow the others down. */
const steps: Readonly<Record<string, Step>> = {
  'many addresses at once': asking('/v1/c/BatchRegisterAddresses', (by) => ({
    ...inWallet(by),
    addresses: addresses(addressesAtOnce),
  })),
  'large answers that nobody reads': (url, by) => times(atOnce, () => hangUp(url, by, '/v1/c/GetWallet', inWallet(by))),
  'balances read again and again': asking('/v1/c/RefreshAssetBalances', inWallet),
  'webhooks that hang': asking('/v1/c/RegisterWebhook', () => ({ webhook_endpoint: nowhere, confirmation: 1 })),
  'webhooks that wait for ever': asking('/v1/c/RegisterWebhook', () => ({
    webhook_endpoint: nowhere,
    confirmation: Number.MAX_SAFE_INTEGER,
  })),
  'a far nonce': async (url, by) => {
    const [from] = addresses(1);
    const transaction_id = randomBytes(8).toString('hex');
    await call(url, by, '/v1/c/RegisterAddress', { ...inWallet(by), address: from });
    const request = { ...inWallet(by), from, to: from, value: '1' };
    await call(url, by, '/v1/c/CreateTransaction', { ...request, transaction_id, nonce: 1_000_000 });
    await call(url, by, '/v1/c/CancelTransaction', { transaction_id });
    await call(url, by, '/v1/c/CreateTransaction', request);
  },
  'the past at changing positions': asking('/v1/c/ListAddresses', inWallet, somewhere),
  'headers without end': asking('/v1/c/RegisterWebhookHeader', () => ({
    header_key: `x-${randomBytes(6).toString('hex')}`,
    header_value: 'x'.repeat(1000),
  })),
  'batches to the gateway': (url, { key }) => {
    const calls = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_blockNumber',
      params: [],
    }));
    const headers = { 'content-type': 'application/json' };
    return times(atOnce, () =>
      fetch(`${url}/c/mainnet/v1/${key}`, { method: 'POST', headers, body: JSON.stringify(calls) }),
    );
  },
  'pages without a credential': (url) => times(atOnce, async () => (await fetch(`${url}/openapi.json`)).arrayBuffer()),
  'bodies without a credential': (url) =>
    times(atOnce, () => fetch(`${url}/v1/c/RegisterWallet`, { method: 'POST', body: ' '.repeat(1_000_000) })),
};

/** Creates the organization, with default limits, and its wallet before any fault. */
export const settleHostile = async ({ processes }: World): Promise<Hostile> => {
  const organization = await newOrganization(processes.home, 'hostile');
  const { body } = await call(processes.api() ?? '', organization, '/v1/c/RegisterWallet', { name: 'hostile' });
  return { ...organization, walletId: body.wallet_id as string };
};

/** Runs one step after the other until the signal aborts, whether they are answered or rejected. */
export const harass = async ({ processes, tally }: World, by: Hostile, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted)
    for (const [name, step] of Object.entries(steps)) {
      const url = processes.api();
      if (url !== null && !signal.aborted) {
        await step(url, by).catch(() => undefined);
        tally.add(`hostile: ${name}`);
      }
      await testSystem.sleep(pauseMs);
    }
};
