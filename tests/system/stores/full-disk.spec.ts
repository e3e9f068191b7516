import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { liveAndRebuilt } from '../../support/histories/rebuild.js';
import { skip } from '../../support/run/skip.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, type Service, startService } from '../../support/service/service.js';

const isMissing = spawnSync('prlimit', ['--version']).status !== 0;

/**
 * Limits the size to which files of the process can grow, which acts like a full disk. 'unlimited' removes the limit.
 */
const limitFiles = ({ process: { pid } }: Service, bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

describe('a service on a full disk', () => {
  it('acknowledges nothing that is not stored, and recovers by itself once there is space', async function () {
    if (isMissing) return skip(this, 'a full disk (there is no prlimit here)');
    const service = await startService({ on: embedded, env: { CHAINFOLD_LOG_LEVEL: 'silent' } });
    const { home, url } = service;
    const demo = demoOf(home);
    const acknowledged: string[] = [];
    const register = async (name: string) => {
      const answer = await call(url, demo, '/v1/c/RegisterWallet', { name });
      if (answer.status === 200) acknowledged.push(answer.body.wallet_id as string);
      return answer;
    };
    for (let n = 0; n < 20; n++) assert.equal((await register(`before ${n}`)).status, 200);
    limitFiles(service, statSync(join(home.directory, 'events.db-wal')).size + 8192);
    const refused = [];
    for (let n = 0; n < 60; n++) {
      const answer = await register(`during ${n}`);
      if (answer.status !== 200) refused.push(problemIn(answer).code);
    }
    assert.ok(refused.length > 0);
    assert.deepEqual([...new Set(refused)], ['UNAVAILABLE']);
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
    limitFiles(service, 'unlimited');
    await eventually(async () => assert.equal((await register('after')).status, 200));
    await eventually(async () => {
      for (const wallet_id of acknowledged)
        assert.equal((await call(url, demo, '/v1/c/GetWallet', { wallet_id })).status, 200);
    });
    assert.equal(await service.stop(), 0);
    const { live, rebuilt } = await liveAndRebuilt(home, [demo.organizationId]);
    assert.deepEqual(live, rebuilt);
  });
});
