import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { createRandom } from '../../support/random.js';
import { seed } from '../../support/run/seed.js';
import { call, sign } from '../../support/service/http.js';
import { newOrganization } from '../../support/service/service.js';
import { testSystem } from '../../support/silent.js';
import { startReceiver } from '../../support/webhooks/webhook-receiver.js';
import { bedrock, type World } from '../world.js';
import { deployHostileContracts } from './contracts.js';

type Hostile = Credentials & {
  readonly walletId: string;
  /** Wallet with a single address, for which webhooks are registered. */
  readonly heard: { readonly walletId: string; readonly address: string };
  /** Address of the organization's other wallet, which receives the tokens. */
  readonly holder: string;
  /** Endpoint that accepts connections and never answers. */
  readonly silentUrl: string;
  readonly contracts: Awaited<ReturnType<typeof deployHostileContracts>>;
  readonly close: () => Promise<void>;
};

const addressesAtOnce = 500;
const atOnce = 20;
const pauseMs = 20;
/** Number of transfers that one transaction makes to one wallet. */
const transfersAtOnce = 300;
/** Largest nonce that is accepted from a sender without transactions. */
const farNonce = 1000;
const largeData = `0x${'00'.repeat(60_000)}`;

const addresses = (count: number) => Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);
const times = (count: number, work: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, work));

/** Sends a request and disconnects without reading the answer. */
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

type Scene = Pick<World, 'ask'> & { readonly url: string; readonly by: Hostile };
type Step = (scene: Scene) => Promise<unknown>;
const asking =
  (path: string, request: (by: Hostile) => object, headers: () => Record<string, string> = () => ({})): Step =>
  ({ url, by }) =>
    call(url, by, path, request(by), headers());
const inWallet = ({ walletId }: Hostile) => ({ wallet_id: walletId });
const random = createRandom(seed, 'hostile');
const somewhere = () => ({ 'x-as-of': String(random.between(1, 100)) });

/** Creates a transaction that is never sent, and cancels it. Webhooks of its wallet are notified of both. */
const createAndCancel = async ({ url, by }: Scene, request: object) => {
  const transaction_id = randomBytes(8).toString('hex');
  await call(url, by, '/v1/c/CreateTransaction', { value: '1', ...request, transaction_id });
  await call(url, by, '/v1/c/CancelTransaction', { transaction_id });
};

/** Steps by which one organization, or a caller without a credential, could slow the others down. */
const steps: Readonly<Record<string, Step>> = {
  'many addresses at once': asking('/v1/c/BatchRegisterAddresses', (by) => ({
    ...inWallet(by),
    addresses: addresses(addressesAtOnce),
  })),
  'large answers that nobody reads': ({ url, by }) =>
    times(atOnce, () => hangUp(url, by, '/v1/c/GetWallet', inWallet(by))),
  'balances read again and again': asking('/v1/c/RefreshAssetBalances', (by) => ({
    ...inWallet(by),
    asset_type: 'ASSET_TYPE_ERC20',
  })),
  'webhooks that hang': async ({ url, by, ask }) => {
    const webhook = { wallet_id: by.heard.walletId, webhook_endpoint: by.silentUrl, confirmation: 1 };
    await call(url, by, '/v1/c/RegisterWebhook', webhook);
    await ask('dev_transfer', { variant: 'c', to: by.heard.address, value: '1' });
  },
  'webhooks that wait for ever': asking('/v1/c/RegisterWebhook', ({ silentUrl }) => ({
    webhook_endpoint: silentUrl,
    confirmation: Number.MAX_SAFE_INTEGER,
  })),
  'transactions with large data': (scene) => {
    const { walletId, address } = scene.by.heard;
    return createAndCancel(scene, { wallet_id: walletId, from: address, to: address, data: largeData });
  },
  'a token whose balances take all gas': ({ by }) => by.contracts.coin.mint(by.heard.address, 1),
  'many transfers to one wallet in a block': ({ by }) => by.contracts.coin.mint(by.holder, transfersAtOnce),
  'tokens with documents that never arrive': ({ by }) => by.contracts.picture.mint(by.holder, random.below(1_000_000)),
  'all addresses of a wallet removed': async ({ url, by }) => {
    const { body } = await call(url, by, '/v1/c/RegisterWallet', { name: 'brief' });
    const { wallet_id } = body;
    await call(url, by, '/v1/c/BatchRegisterAddresses', { wallet_id, addresses: addresses(addressesAtOnce) });
    await call(url, by, '/v1/c/BatchRemoveAddresses', { wallet_id, remove_all: true });
  },
  'a far nonce': async (scene) => {
    const { url, by } = scene;
    const { walletId: wallet_id, address } = by.heard;
    const request = { wallet_id, from: address, to: address, value: '1' };
    await createAndCancel(scene, { ...request, nonce: farNonce });
    await createAndCancel(scene, { ...request, nonce: Number.MAX_SAFE_INTEGER });
    await call(url, by, '/v1/c/CreateTransaction', request);
  },
  'the past at changing positions': asking('/v1/c/ListWallets', () => ({}), somewhere),
  'headers without end': asking('/v1/c/RegisterWebhookHeader', () => ({
    header_key: `x-${randomBytes(6).toString('hex')}`,
    header_value: 'x'.repeat(1000),
  })),
  'batches to the gateway': ({ url, by }) => {
    const calls = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_blockNumber',
      params: [],
    }));
    const headers = { 'content-type': 'application/json' };
    return times(atOnce, () =>
      fetch(`${url}/c/mainnet/v1/${by.key}`, { method: 'POST', headers, body: JSON.stringify(calls) }),
    );
  },
  'pages without a credential': ({ url }) =>
    times(atOnce, async () => (await fetch(`${url}/openapi.json`)).arrayBuffer()),
  'bodies without a credential': ({ url }) =>
    times(atOnce, () => fetch(`${url}/v1/c/RegisterWallet`, { method: 'POST', body: ' '.repeat(1_000_000) })),
};

/**
 * Creates the hostile organization with the default rate limits, its wallets and its contracts. Called before any fault
 * is injected.
 */
export const settleHostile = async ({ ask, processes }: World): Promise<Hostile> => {
  const url = processes.api() ?? '';
  const { organizationId: _, ...credentials } = await newOrganization(processes.home, 'hostile');
  const receiver = await startReceiver({ choose: () => 'hang' });
  const contracts = await deployHostileContracts(ask, receiver.url);
  await ask('dev_mine', bedrock);
  const [holder = '', address = ''] = addresses(2);
  const register = async (name: string, one: string) =>
    (await call(url, credentials, '/v1/c/RegisterWallet', { name, address: one })).body.wallet_id as string;
  const walletId = await register('hostile', holder);
  const heard = { walletId: await register('heard', address), address };
  for (const [contract_address, contract_type] of [
    [contracts.coin.address, 'CONTRACT_TYPE_ERC20'],
    [contracts.picture.address, 'CONTRACT_TYPE_ERC721'],
  ]) {
    const { status, body } = await call(url, credentials, '/v1/c/RegisterContract', {
      contract_address,
      contract_type,
    });
    assert.equal(status, 200, JSON.stringify(body));
  }
  return { ...credentials, walletId, heard, holder, silentUrl: receiver.url, contracts, close: receiver.close };
};

/** Runs one step after the other until the signal aborts, whether the service accepts or rejects their requests. */
export const harass = async ({ ask, processes, tally }: World, by: Hostile, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted)
    for (const [name, step] of Object.entries(steps)) {
      const url = processes.api();
      if (url !== null && !signal.aborted) {
        await step({ url, by, ask }).catch(() => undefined);
        tally.add(`hostile: ${name}`);
      }
      await testSystem.sleep(pauseMs);
    }
};
