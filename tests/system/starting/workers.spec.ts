import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { runProcess } from '../../support/service/command.js';
import { sign } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly text: string };

/** Sends a request on a connection of its own, so that consecutive requests reach different workers. */
const onNewConnection = (url: string, headers: Record<string, string>, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = httpRequest(url, { method, agent: false, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : {}, text });
      });
    });
    request.on('error', reject).end(body);
  });

/** Lists the workers of a process. A process that has just compiled the sources also has a compiler as its child. */
const workersOf = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => child > 0 && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('serve'));
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

const address = `0x${'35'.repeat(20)}`;

describe('a service with two workers', () => {
  let service: Service;
  let home: Home;
  type Options = { headers?: Record<string, string>; by?: Credentials; nonce?: string };
  const call = (path: string, request: object, { headers, by = demoOf(home), nonce }: Options = {}) => {
    const body = JSON.stringify(request);
    const signed = { ...sign(by, path, body, nonce), 'content-type': 'application/json', ...headers };
    return onNewConnection(service.url + path, signed, body);
  };
  const workers = () => workersOf(service.process.pid);

  before(async () => {
    service = await startService({ on: embedded, workers: '2', env: { CHAIN_C_URL: '', CHAIN_T_URL: '' } });
    home = service.home;
  });
  after(() => service.stop());

  it('runs the API in two processes behind one port, and the other roles in the first process', async () => {
    assert.equal(workers().length, 2);
    await eventually(async () => {
      const { stdout } = await runProcess(home, ['status', '--json']);
      const { instances } = JSON.parse(stdout) as { instances: { pid: number; roles: string[] }[] };
      const shown = instances.map(({ pid, roles }) => `${pid} ${roles.join()}`);
      const expected = [`${service.process.pid} projector,follower,deliverer`, ...workers().map((pid) => `${pid} api`)];
      assert.deepEqual(new Set(shown), new Set(expected));
    });
  });

  it('reads its own writes on whichever worker answers', async () => {
    const { body } = await call('/v1/c/RegisterWallet', { name: 'treasury', address });
    for (let i = 0; i < 4; i++) {
      const { body: found } = await call('/v1/c/GetWallet', { wallet_id: body.wallet_id });
      assert.equal((found.wallet as { name: string }).name, 'treasury');
    }
  });

  it('follows the development chains, which either worker controls', async () => {
    const client = clientOf(service);
    await client.t.registerWallet({ name: 'ton', address: `0:${'35'.repeat(32)}` });
    const rpc = async (method: string, params: unknown[]) => {
      const { body } = await onNewConnection(
        `${service.url}/c/mainnet/v1/${demoOf(home).key}`,
        { 'content-type': 'application/json' },
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      );
      assert.ok('result' in body, JSON.stringify(body));
    };
    for (const value of ['1', '2']) {
      await rpc('dev_transfer', [{ variant: 'c', to: address, value }]);
      await rpc('dev_transfer', [{ variant: 't', to: `0:${'35'.repeat(32)}`, value }]);
    }
    await eventually(async () => {
      assert.equal((await client.c.listTransfers({ address })).transfers.length, 2);
      assert.equal((await client.t.listTransfers({ address: `0:${'35'.repeat(32)}` })).transfers.length, 2);
    });
  });

  it('accepts a nonce once, on any worker', async () => {
    const nonce = `${Date.now()}-once`;
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await call('/v1/c/ListWallets', {}, { nonce })).status);
    assert.deepEqual(statuses, [200, 401, 401, 401]);
  });

  it('counts the rate limit of an organization over all workers', async () => {
    const by = await newOrganization(home, 'limited');
    const { organizationId } = by;
    await clientOf(service).admin.setRateLimit({
      organization_id: organizationId,
      per_second_limit: 1000,
      per_hour_limit: 5,
      per_day_limit: 1000,
      per_month_limit: 1000,
    });
    await eventually(async () => {
      const { data } = await clientOf(service).admin.listRateLimits({ organization_id: organizationId });
      assert.equal(data[0]?.ratelimit_info.per_hour_limit, 5);
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('/v1/c/ListWallets', {}, { by })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 7);
  });

  it('runs a command with an idempotency key once', async () => {
    const headers = { 'idempotency-key': 'once' };
    const request = { name: 'once', address: `0x${'36'.repeat(20)}` };
    const ids = await Promise.all(
      Array.from({ length: 6 }, () =>
        eventually(async () => {
          const { status, body } = await call('/v1/c/RegisterWallet', request, { headers });
          assert.equal(status, 200, JSON.stringify(body));
          return body.wallet_id;
        }),
      ),
    );
    assert.equal(new Set(ids).size, 1);
  });

  it('shows the metrics of all processes, whichever worker is scraped', async () => {
    const counted = async () => {
      const { text } = await onNewConnection(`${service.url}/metrics`, {});
      const count = /^chainfold_operation_seconds_count\{api="c",operation="ListAddresses",status="200"\} (\d+)$/m;
      assert.match(text, /^chainfold_follower_height\{chain="C"\} [1-9]/m);
      return Number(count.exec(text)?.[1] ?? 0);
    };
    for (let i = 0; i < 5; i++) await call('/v1/c/ListAddresses', {});
    assert.deepEqual([await counted(), await counted()], [5, 5]);
  });

  it('replaces a worker that was killed', async () => {
    const before = workers();
    process.kill(before[0] as number, 'SIGKILL');
    await eventually(async () => {
      const now = workers();
      assert.equal(now.length, 2);
      assert.ok(!now.includes(before[0] as number));
      for (let i = 0; i < 4; i++) assert.equal((await call('/v1/c/ListWallets', {})).status, 200);
    });
    assert.match(service.output(), /Worker ended; starting another/);
  });

  it('stops its workers when it is stopped', async () => {
    const all = workers();
    assert.equal(await service.stop(), 0);
    assert.deepEqual(all.filter(isAlive), []);
  });
});

describe('the workers of a service', () => {
  it('end when the first process is killed', async () => {
    const service = await startService({ on: embedded, workers: '2' });
    const workers = workersOf(service.process.pid);
    await service.kill();
    await eventually(async () => assert.deepEqual(workers.filter(isAlive), []));
  });

  it('are not started on a port in use, and no data directory is created', async () => {
    const home = await embedded.home();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const directory = join(home.directory, 'new');
    const { code, stderr } = await runProcess({ ...home, directory }, ['serve', '--workers', '2'], {
      CHAINFOLD_PORT: String(port),
    });
    taken.close();
    assert.equal(code, 2);
    assert.equal(stderr.match(/already in use/g)?.length, 1, stderr);
    assert.equal(existsSync(directory), false);
  });

  for (const [args, reason] of [
    [['--workers', '0'], /--workers must be a number from 1 to 999/],
    [['--workers', 'many'], /--workers must be a number from 1 to 999/],
    [['--workers', '2', '--role', 'follower'], /--workers requires the role api/],
  ] as const)
    it(`are refused with ${args.join(' ')}`, async () => {
      const { code, stderr } = await runProcess(await embedded.home(), ['serve', ...args]);
      assert.equal(code, 2);
      assert.match(stderr, reason);
    });
});
