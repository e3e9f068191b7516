import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { embedded } from '../../support/engines/engines.js';
import { buildProgram } from '../../support/run/builder.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

/** Stores that a command writes to before the service responds. */
const written = { 'Event store': 'events.db', Limiter: 'limiter.db' };

describe('a service whose stores are busy', () => {
  let service: Service;
  let lockProgram = '';
  const start = async (requestTimeoutMs: number) => {
    const env = { CHAINFOLD_REQUEST_TIMEOUT_MS: String(requestTimeoutMs), CHAINFOLD_LOG_LEVEL: 'silent' };
    service = await startService({ on: embedded, env });
  };
  before(async () => {
    lockProgram = await buildProgram('tests/support/threads/lock-holder.ts');
  });
  afterEach(async () => {
    assert.equal(await service.stop(), 0);
  });
  const register = (name: string) =>
    call(service.url, demoOf(service.home), '/v1/c/RegisterWallet', { name }, { 'idempotency-key': name });
  const names = async () => (await clientOf(service).c.listWallets({ page_size: 100 })).wallets.map((one) => one.name);
  const fileOf = (store: keyof typeof written) => join(service.home.directory, written[store]);

  for (const store of ['Event store', 'Limiter'] as const) {
    it(`answers a command after the ${store} was locked for a while, and stores it once`, async () => {
      await start(60_000);
      const holder = new Worker(pathToFileURL(lockProgram), { workerData: fileOf(store) });
      const ended = once(holder, 'exit');
      await once(holder, 'message');
      assert.equal((await register('patient')).status, 200);
      await ended;
      assert.deepEqual(await names(), ['patient']);
    });

    it(`answers 503 with retry-after when the ${store} stays locked, and stores the retried command once`, async () => {
      await start(1000);
      const holder = new DatabaseSync(fileOf(store));
      holder.exec('BEGIN IMMEDIATE');
      const refused = await register('retried');
      holder.exec('ROLLBACK');
      holder.close();
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
      const { code, detail } = problemIn(refused);
      assert.equal(code, 'UNAVAILABLE');
      assert.match(detail, new RegExp(`^${store} unavailable \\(timed out after 0\\.[89] s\\)\\. Retry later\\.$`));
      assert.equal((await register('retried')).status, 200);
      assert.deepEqual(await names(), ['retried']);
    });
  }
});
