import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { environmentOf, launcher, runProcess } from '../../support/service/command.js';

const closing: (() => Promise<unknown>)[] = [];

/** Listens on a free port of the loopback interface and answers nothing. */
const takePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => server.close());
  return String((server.address() as { port: number }).port);
};

describe('a service whose port is in use', () => {
  after(() => Promise.all(closing.splice(0).map((close) => close())));

  for (const [setting, args] of [
    ['CHAINFOLD_PORT', []],
    ['CHAINFOLD_HEALTH_PORT', ['--role', 'projector']],
  ] as const)
    it(`exits with 2 and one line that names ${setting}, before it creates the data directory`, async () => {
      const home = await embedded.home();
      const directory = join(home.directory, 'new');
      const port = await takePort();
      const env = { CHAINFOLD_DATA_DIR: directory, [setting]: port };
      const { code, stdout, stderr } = await runProcess(home, ['serve', ...args], env);
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(stderr, `${setting} ${port} is already in use on 127.0.0.1. Choose another port.\n`);
      assert.equal(existsSync(directory), false);
    });
});

describe('a service that waits for its stores', () => {
  let url: string;
  let end: () => Promise<number | null>;
  before(async () => {
    const home = await embedded.home();
    const port = await freePort();
    const env = {
      CHAINFOLD_PORT: String(port),
      EVENTSTORE_URL: `esdb://127.0.0.1:${await freePort()}?tls=false`,
      CHAINFOLD_REQUEST_TIMEOUT_MS: '1000',
    };
    const child = spawn(process.execPath, [launcher, 'serve'], { env: environmentOf(home, env), stdio: 'ignore' });
    const gone = once(child, 'close').then(([code]) => code as number | null);
    end = () => {
      child.kill('SIGTERM');
      return gone;
    };
    url = `http://127.0.0.1:${port}`;
    await eventually(async () => assert.equal((await fetch(`${url}/health/live`)).status, 200));
  });

  it('is live, and not ready with the store that it waits for as the reason', async () => {
    await eventually(async () => {
      const ready = await fetch(`${url}/health/ready`);
      const { status, reasons } = (await ready.json()) as { status: string; reasons: string[] };
      assert.deepEqual([ready.status, status], [503, 'not ready']);
      assert.match(reasons.join(), /^The service is starting: .*[Ee]vent store/);
    });
  });

  it('answers every other request with 503 and retry-after', async () => {
    for (const path of ['/v1/c/ListWallets', '/docs', '/c/mainnet', '/metrics']) {
      const answer = await fetch(`${url}${path}`, { method: path === '/docs' ? 'GET' : 'POST' });
      const { code } = (await answer.json()) as { code: string };
      assert.deepEqual([path, answer.status, code], [path, 503, 'UNAVAILABLE']);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
  });

  it('stops when it is asked to', async () => assert.equal(await end(), 0));
});
