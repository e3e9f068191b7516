import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Examined } from '../../../application/maintenance/finding.js';
import { embedded, engines, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

type Answer = { readonly ok: boolean; readonly checks: readonly Examined[] };

const examined = async (home: Home, env: Record<string, string> = {}) => {
  const { code, stdout } = await runCommand(home, ['doctor', '--json'], env);
  return { code, ...(JSON.parse(stdout) as Answer) };
};
const notOk = ({ checks }: Answer) =>
  checks.filter(({ level }) => level !== 'ok').map(({ check, level }) => `${level} ${check}`);
const findingsOf = ({ checks }: Answer, name: string) => checks.filter(({ check }) => check === name);

/** Name and digest of every file in the data directory. */
const filesOf = ({ directory }: Home) =>
  readdirSync(directory)
    .sort()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]);

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );

for (const engine of engines)
  describe(`the doctor command on ${engine.name}`, () => {
    let service: Service;
    let home: Home;
    before(async () => {
      service = await startService({ on: engine });
      ({ home } = service);
      await clientOf(service).c.registerWallet({ name: 'x' });
    });
    after(() => service?.stop());

    it('finds nothing wrong with a healthy service', async () => {
      // The Redis of the tests keeps no file, because that makes it faster.
      const expected = engine.isEmbedded ? [] : ['warn file of Redis'];
      // A machine that pauses between two readings seems to have clocks that differ.
      const answer = await eventually(async () => {
        const found = await examined(home);
        assert.deepEqual(
          notOk(found).filter((one) => !/^warn (?:disk space|process lag)/.test(one)),
          expected,
        );
        return found;
      });
      assert.equal(answer.code, 0);
      const names = new Set(answer.checks.map(({ check }) => check));
      const always = ['configuration', 'version of Node.js', 'disk space', 'master key', 'history', 'projection lag'];
      for (const name of [...always, 'roles', 'process lag', 'seals', 'traces', 'stuck transactions'])
        assert.ok(names.has(name), name);
      if (!engine.isEmbedded)
        for (const name of ['categories', 'indexes', 'clock of Redis', 'clock of MongoDB', 'memory of Redis'])
          assert.ok(names.has(name), name);
    });

    it('prints a readable table, and fails with a wrong master key', async () => {
      const { code, stdout } = await runCommand(home, ['doctor'], {
        CHAINFOLD_MASTER_KEY: randomBytes(32).toString('hex'),
      });
      assert.equal(code, 1);
      assert.match(stdout, /^FAIL\s+master key\s+does not decrypt/m);
      assert.match(stdout, /^- master key: set the key that the vault was written with/m);
    });

    it('reports nodes that never answer, without waiting for them', async () => {
      const mute = createServer((socket) => socket.on('error', () => undefined));
      const port = await listen(mute);
      const answer = await examined(home, {
        CHAIN_C_URL: `http://127.0.0.1:${port}/secret-key`,
        CHAIN_Q_URL: `http://127.0.0.1:${port}`,
      }).finally(() => mute.close());
      assert.equal(answer.code, 1);
      const names = notOk(answer).filter((one) => one.startsWith('fail'));
      assert.deepEqual(names.toSorted(), [
        `fail gateway q at 127.0.0.1:${port}`,
        `fail node of C at 127.0.0.1:${port}`,
      ]);
      assert.deepEqual(
        findingsOf(answer, 'follower of C').map(({ level }) => level),
        ['warn'],
      );
      assert.ok(!JSON.stringify(answer).includes('secret-key'));
    });
  });

describe('the doctor command without a running service', () => {
  it('changes no file, and says which files are missing', async () => {
    const service = await startService({ on: embedded });
    await clientOf(service).c.registerWallet({ name: 'x' });
    await service.stop();
    const before = filesOf(service.home);
    assert.equal((await examined(service.home)).code, 0);
    assert.deepEqual(filesOf(service.home), before);
    rmSync(join(service.home.directory, 'read-models.db'));
    rmSync(join(service.home.directory, 'master.key'));
    const answer = await examined(service.home);
    const failed = notOk(answer).filter((one) => one.startsWith('fail'));
    assert.deepEqual(failed.toSorted(), [
      'fail blocks',
      'fail master key',
      'fail projection lag',
      'fail read model versions',
      'fail reconciliation',
      'fail stuck transactions',
    ]);
    const names = before.map(([name]) => name).filter((name) => name !== 'read-models.db' && name !== 'master.key');
    assert.deepEqual(
      filesOf(service.home).map(([name]) => name),
      names,
    );
  });

  it('reports an invalid setting, and settings that are dangerous in production', async () => {
    const home = await embedded.home();
    const bad = await examined(home, { CHAINFOLD_PORT: 'x' });
    assert.deepEqual([bad.code, bad.checks[0]?.found], [1, 'CHAINFOLD_PORT must be a port from 0 to 65535']);
    const risky = await examined(home, {
      NODE_ENV: 'production',
      CHAINFOLD_HOST: '0.0.0.0',
      CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
      REDIS_URL: 'redis://redis.example.com',
    });
    const found = findingsOf(risky, 'configuration').map(({ found }) => found);
    for (const text of [/private addresses/, /master key is in/, /without TLS/, /no chain/, /others are files/])
      assert.ok(
        found.some((one) => text.test(one)),
        `${text} in ${found}`,
      );
  });
});
