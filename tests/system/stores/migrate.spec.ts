import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { embedded, engines, type Home, services } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { eventsIn } from '../../support/following/following.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { createClient } from '../../support/service/client.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';
import { noticeIn, type Receiver, startReceiver } from '../../support/webhooks/webhook-receiver.js';

const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const migrate = ['migrate', '--to'] as const;

/** Reads all events without their positions, which differ from store to store. */
const historyOf = async (home: Home) => (await eventsIn(home)).map(({ position, ...rest }) => rest);

/** Makes embedded stores that use the master key of the services. */
const embeddedBeside = async ({ environment: { CHAINFOLD_MASTER_KEY = '' } }: Home): Promise<Home> => ({
  ...(await embedded.home()),
  environment: { CHAINFOLD_MASTER_KEY },
});

const reportedValues = ({ attempts }: Receiver) => attempts.map((one) => noticeIn(one).data.transfer.value);

describeInFull('a migration from the embedded stores to the services and back', () => {
  let chain: DevelopmentChain;
  let receiver: Receiver;
  /**
   * Data directories and settings: `small` has the embedded stores, and `large` has the services. `both`, with which
   * the migration runs, has the services and the data directory of the embedded stores.
   */
  let [small, large, both]: [Home, Home, Home] = [] as never;
  let env: Record<string, string>;
  let running: Service | undefined;
  let credentials: Credentials;
  let tenant: Credentials;
  let address: string;
  let [wallet_id, webhook_id]: [string, string] = ['', ''];
  let token: string;
  let earlier: Awaited<ReturnType<typeof answers>>;
  let file: string;

  before(async function () {
    if (!engines.includes(services)) return skip(this, 'a move to the services, since there is no Redis');
    const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!started) return skip(this, 'a move to the services (EDR is not there for this machine)');
    chain = started;
    receiver = await startReceiver();
    large = await services.home();
    small = await embeddedBeside(large);
    both = { ...large, directory: small.directory };
    env = {
      CHAIN_C_URL: chain.wsUrl,
      CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
    };
  });
  after(async () => {
    await running?.stop();
    await receiver?.close();
    await chain?.close();
  });

  const start = async (on: Home) => {
    running = await startService({ on, env });
    return running;
  };
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  const client = () => clientOf(running as Service, credentials);
  const pay = async (value: string) => {
    await chain.request('dev_transfer', [{ variant: 'c', to: address, value }]);
    await chain.request('dev_mine', [3]);
  };
  const delivered = (expected: readonly string[]) =>
    eventually(async () => {
      assert.deepEqual(reportedValues(receiver), expected);
      const { webhook_histories } = await client().c.listWebhookHistories({ webhook_id, page_size: 100 });
      const statuses = webhook_histories.map(({ webhook_status }) => webhook_status);
      assert.deepEqual(statuses, Array(expected.length).fill('WEBHOOK_STATUS_COMPLETED'));
    });
  const answers = async () => {
    const { c, admin } = client();
    const { events } = await admin.listEvents({ page_size: 100 });
    return {
      wallets: await c.listWallets({ page_size: 100 }).then(({ wallets }) => wallets),
      wallet: await c.getWallet({ wallet_id }),
      transfers: (await c.listTransfers({ wallet_id, page_size: 100 })).transfers,
      assets: (await c.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_C', page_size: 100 })).assets,
      webhooks: (await c.listWebhooks({ page_size: 100 })).webhooks,
      histories: (await c.listWebhookHistories({ webhook_id, page_size: 100 })).webhook_histories,
      events: events.map(({ position, ...rest }) => rest),
      limits: (await admin.listRateLimits({ organization_id: demoOf(small).organizationId })).data,
      tenant: await createClient({ url: (running as Service).url, ...tenant }).c.listWallets({}),
    };
  };

  it('is rejected while a service runs on the embedded stores', async () => {
    await start(small);
    credentials = demoOf(small);
    tenant = await newOrganization(small, 'tenant');
    const { c } = client();
    address = newAddress();
    ({ wallet_id } = await c.registerWallet({ name: 'moved', address, confirmation: 2 }));
    await c.registerWallet({ name: 'second' });
    await c.batchRegisterAddresses({ wallet_id, addresses: Array.from({ length: 20 }, newAddress) });
    ({ webhook_id } = await c.registerWebhook({ webhook_endpoint: receiver.url, confirmation: 2, wallet_id }));
    await createClient({ url: (running as Service).url, ...tenant }).c.registerWallet({ name: 'of another' });
    await pay('1000');
    await delivered(['1000']);
    const { code, stderr } = await runCommand(both, [...migrate, 'services']);
    assert.deepEqual([code, /is in use: stop every service/.test(stderr)], [2, true], stderr);
  });

  it('is rejected with another master key, and leaves nothing behind', async () => {
    const { body } = await call(
      (running as Service).url,
      credentials,
      '/v1/c/RegisterWallet',
      { name: 'once' },
      { 'idempotency-key': 'k1' },
    );
    assert.ok(body.wallet_id);
    token = (await client().c.listWallets({ page_size: 1 })).pagination.next_page_token;
    earlier = await answers();
    file = join(freshDirectory(), 'demo.ndjson');
    await stop();
    await jsonOf(small, ['audit', 'export', '--organization', 'demo', '--out', file]);
    const CHAINFOLD_MASTER_KEY = randomBytes(32).toString('hex');
    const { code, stderr } = await runCommand(both, [...migrate, 'services'], { CHAINFOLD_MASTER_KEY });
    assert.deepEqual(
      [code, /CHAINFOLD_MASTER_KEY does not decrypt the key \S+ of the source vault\./.test(stderr)],
      [1, true],
      stderr,
    );
    assert.deepEqual(await historyOf(large), []);
  });

  it('copies every event with its time, the vault and the state of the processes', async () => {
    // Pays while no service runs, so that the follower finds the payment later.
    await pay('2000');
    const { code, stdout, stderr } = await runCommand(both, [...migrate, 'services', '--json']);
    assert.equal(code, 0, stderr);
    const moved = JSON.parse(stdout);
    const history = await historyOf(small);
    assert.deepEqual(await historyOf(large), history);
    assert.deepEqual(
      { events: moved.events, organizations: moved.organizations, resumed: moved.resumed },
      { events: history.length, organizations: 3, resumed: false },
    );
    assert.match(stderr, /^\{"step":"copying","events":\d+,"done":[\d.]+\}$/m);
  });

  it('lets the service continue with the same answers, deliveries and history', async () => {
    await start(both);
    await delivered(['1000', '2000']);
    const now = await answers();
    await eventually(async () => assert.equal((await answers()).assets[0]?.balance, '3000'));
    for (const name of ['wallets', 'wallet', 'webhooks', 'limits', 'tenant'] as const)
      assert.deepEqual(now[name], earlier[name], name);
    assert.deepEqual(now.transfers.slice(1), earlier.transfers);
    assert.deepEqual(now.histories.slice(1), earlier.histories);
    const isOfBefore = new Set(earlier.events.map(({ event_id }) => event_id));
    assert.deepEqual(
      now.events.filter(({ event_id }) => isOfBefore.has(event_id)),
      earlier.events,
    );
  });

  it('keeps idempotency keys, and rejects page tokens of the other stores', async () => {
    const { url } = running as Service;
    const repeated = await call(
      url,
      credentials,
      '/v1/c/RegisterWallet',
      { name: 'once' },
      { 'idempotency-key': 'k1' },
    );
    assert.equal(repeated.status, 200);
    const names = (await client().c.listWallets({ page_size: 100 })).wallets.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => name === 'once'),
      ['once'],
    );
    const stale = await call(url, credentials, '/v1/c/ListWallets', { page_size: 1, page_token: token });
    assert.equal(problemIn(stale).code, 'INVALID_ARGUMENT');
  });

  it('leaves a history that agrees with an earlier export', async () => {
    const proven = await jsonOf(both, ['audit', 'verify', file]);
    assert.deepEqual([proven.valid, proven.store], [true, 'the store agrees']);
    assert.equal((await jsonOf(both, ['audit', 'verify', '--organization', 'demo'])).valid, true);
  });

  it('is rejected when the target stores are not empty', async () => {
    await stop();
    const { code, stderr } = await runCommand(both, [...migrate, 'services']);
    assert.deepEqual([code, /are not empty/.test(stderr)], [1, true], stderr);
  });

  it('works in the other direction too', async () => {
    const back = await embeddedBeside(large);
    await pay('3000');
    await jsonOf({ ...large, directory: back.directory }, [...migrate, 'embedded']);
    assert.deepEqual(await historyOf(back), await historyOf(large));
    running = await startService({ on: back, env: { ...env, CHAINFOLD_DEMO: 'false' } });
    await delivered(['1000', '2000', '3000']);
    assert.equal((await client().c.getWallet({ wallet_id })).wallet.name, 'moved');
    assert.equal((await jsonOf(back, ['audit', 'verify', file])).valid, true);
  });
});

describeInFull('a migration that is killed', () => {
  before(function () {
    if (!engines.includes(services)) skip(this, 'a move to the services, since there is no Redis');
  });

  it('leaves stores on which no command starts, and resumes when it is run again', async () => {
    const large = await services.home();
    const small = await embeddedBeside(large);
    const both = { ...large, directory: small.directory };
    const service = await startService({ on: small });
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'many' });
    for (let n = 0; n < 2; n++)
      await clientOf(service).c.batchRegisterAddresses({
        wallet_id,
        addresses: Array.from({ length: 1000 }, newAddress),
      });
    await service.stop();
    const child = spawn(process.execPath, ['bin/chainfold.js', ...migrate, 'services', '--json'], {
      env: { PATH: process.env.PATH, CHAINFOLD_DATA_DIR: small.directory, ...large.environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(child.stderr, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const [copied, all] = [await historyOf(large), await historyOf(small)];
    assert.ok(copied.length > 0 && copied.length < all.length, `${copied.length} of ${all.length}`);
    assert.deepEqual(copied, all.slice(0, copied.length));

    const { code, stderr } = await runCommand(both, ['organization', 'list']);
    assert.deepEqual([code, /begun and not finished/.test(stderr)], [1, true], stderr);
    const moved = await jsonOf(both, [...migrate, 'services']);
    assert.deepEqual([moved.events, moved.resumed], [all.length, true]);
    assert.deepEqual(await historyOf(large), all);
  });
});
