import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../../infrastructure/config.js';
import { freshDirectory } from '../support/directories.js';
import { skip } from '../support/skip.js';

type Container = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas: number };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
};

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Container>>;
  readonly volumes: object;
};
const { services } = compose;
const container = (name: string) => services[name] ?? assert.fail(`there is no ${name}`);
/** Those that are the service, whatever their role. */
const own = () => Object.values(services).filter(({ image }) => image === 'chainfold');

describe('deployment', () => {
  it('runs from the compiled files alone, as in the image', () => {
    const image = freshDirectory();
    for (const part of ['package.json', 'bin', 'dist']) cpSync(part, join(image, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(image, 'node_modules'));
    const output = execFileSync(process.execPath, ['bin/chainfold.js', '--help'], { cwd: image, encoding: 'utf8' });
    assert.match(output, /serve/);
  });

  it('gives every container of the service settings that it takes', () => {
    for (const { environment = {} } of own()) {
      const given = Object.entries(environment).map(([name, value]) => [name, value.startsWith('$') ? '' : value]);
      const config = readConfig({ ...Object.fromEntries(given), CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) });
      assert.equal(config.eventStoreUrl, 'esdb://eventstore:2113?tls=false');
      assert.equal(config.mongodbUrl, 'mongodb://mongo:27017/chainfold?replicaSet=rs0');
      assert.equal(config.redisUrl, 'redis://redis:6379');
      // One that is not read anywhere would be a typo.
      const known = readFileSync('infrastructure/config.ts', 'utf8');
      for (const name of Object.keys(environment))
        assert.ok(
          known.includes(name) || /^(?:CHAIN_[A-Z]_URL|GATEWAY_[CQ]_(?:MAINNET|ROPSTEN)_URLS)$/.test(name),
          name,
        );
    }
  });

  it('runs every role apart, those that answer and deliver twice', () => {
    const runs = own().map(({ command, deploy }) => [command?.join(' '), deploy?.replicas ?? 1]);
    assert.deepEqual(Object.fromEntries(runs), {
      'serve --role api': 2,
      'serve --role projector': 1,
      'serve --role follower': 1,
      'serve --role deliverer': 2,
    });
    for (const { depends_on = {} } of own())
      assert.deepEqual(
        Object.entries(depends_on).map(([name, { condition }]) => [name, condition]),
        ['eventstore', 'mongo', 'redis'].map((name) => [name, 'service_healthy']),
      );
    // As many ports as there are containers that want one.
    assert.match(container('api').ports?.[0] ?? '', /127\.0\.0\.1:8080-8081\}:8080$/);
  });

  it('keeps what the engines hold, waits until they work, and has them as the service wants them', () => {
    const [eventstore, mongo, redis] = ['eventstore', 'mongo', 'redis'].map(container) as [
      Container,
      Container,
      Container,
    ];
    for (const engine of [eventstore, mongo, redis]) {
      const [volume = ''] = engine.volumes?.map((one) => one.split(':')[0] ?? '') ?? [];
      assert.ok(volume in compose.volumes, volume);
      assert.ok((engine.healthcheck?.test?.length ?? 0) > 1);
      for (const port of engine.ports ?? []) assert.match(port, /^127\.0\.0\.1:/);
    }
    assert.equal(eventstore.environment?.EVENTSTORE_RUN_PROJECTIONS, 'System');
    assert.equal(eventstore.environment?.EVENTSTORE_START_STANDARD_PROJECTIONS, 'true');
    assert.ok(mongo.command?.includes('--replSet'));
    assert.match(redis.command?.join(' ') ?? '', /--appendonly yes --maxmemory-policy noeviction/);
  });

  it('has a compose file that docker accepts', function () {
    if (spawnSync('docker', ['compose', 'version']).status !== 0)
      return skip(this, 'docker compose config, since docker is not here');
    const env = { ...process.env, CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) };
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
