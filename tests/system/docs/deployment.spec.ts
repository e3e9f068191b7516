import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import type { Examined } from '../../../application/maintenance/finding.js';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { embedded } from '../../support/engines/engines.js';
import { isRedisInstalled, startRedis } from '../../support/engines/redis.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

describeInFull('docs/deployment.md', () => {
  const closing: (() => unknown)[] = [];
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('gives the user of Redis the rights that requests, deliveries and doctor need', async function () {
    const chain = isRedisInstalled ? await startDevelopmentEvm({ blockMs: 0, log: silent }) : null;
    if (!chain) return skip(this, 'rights on Redis (redis-server or EDR is not there for this machine)');
    closing.push(() => chain.close());
    const [line = assert.fail('the page has no user')] =
      /^user chainfold .*$/m.exec(readFileSync('docs/deployment.md', 'utf8')) ?? [];
    const file = join(freshDirectory(), 'users.acl');
    writeFileSync(file, `user default on nopass ~* &* +@all\n${line}\n`);
    const redis = await startRedis(undefined, ['--aclfile', file]);
    closing.push(redis.stop);
    let delivered = 0;
    const receiver = createServer((_, response) => {
      delivered++;
      response.writeHead(200).end();
    }).listen(0, '127.0.0.1');
    closing.push(() => receiver.close());

    const env = {
      REDIS_URL: redis.url.replace('redis://', 'redis://chainfold:password@'),
      CHAIN_C_URL: chain.wsUrl,
      CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
    };
    const service = await startService({ on: embedded, env });
    closing.push(service.stop);
    const api = clientOf(service).c;
    const address = Wallet.createRandom().address.toLowerCase();
    const { wallet_id } = await api.registerWallet({ name: 'restricted', address, confirmation: 1 });
    const webhook_endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await api.registerWebhook({ wallet_id, webhook_endpoint, confirmation: 1 });
    await chain.request('dev_transfer', [{ variant: 'c', to: address, value: '70' }]);
    await eventually(() => assert.ok(delivered > 0));
    const { stdout } = await runCommand(service.home, ['doctor', '--json'], env);
    const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
    const failed = checks.filter(({ check, level }) => check.includes('Redis') && level === 'fail');
    assert.deepEqual(failed, []);
    assert.doesNotMatch(service.output(), /NOPERM/);
  });
});
