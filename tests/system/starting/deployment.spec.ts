import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { readConfig } from '../../../infrastructure/config.js';
import { settingNames } from '../../../infrastructure/settings/table.js';
import { isRedisInstalled } from '../../support/engines/redis.js';
import { freePort } from '../../support/free-port.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';

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
/**
 * Replaces the settings that compose takes from its environment: passwords by a word, all others by an empty text.
 */
const filledIn = (value: string) =>
  value.replaceAll(/\$\{\w+(:?)[^}]*\}/g, (all) => (/PASSWORD/.test(all) ? 'word' : ''));
/** Lists the containers that run the service, in any role. */
const own = () => Object.values(services).filter(({ image }) => image === 'chainfold');

/** Settings that docker-compose.yml sets itself, with the reasons. */
const fixedSettings = {
  CHAINFOLD_HEALTH_PORT: 'the health check of the image asks this port',
  EVENTSTORE_URL: 'the engines of the file are reached only in its network',
  MONGODB_URL: 'the engines of the file are reached only in its network',
  REDIS_URL: 'the engines of the file are reached only in its network',
  NODE_EXTRA_CA_CERTS: 'bin/engine-keys.sh creates the authority of the engines; not a setting, but a variable of Node',
};
/** Settings that docker-compose.yml does not pass on, with the reasons. */
const leftOut = {
  CHAINFOLD_HOST: 'the image listens on all addresses of its container',
  CHAINFOLD_PORT: 'CHAINFOLD_PUBLISH chooses the ports of the host',
  CHAINFOLD_DATA_DIR: 'the image has a volume for it',
  CHAINFOLD_CONFIG_DIR: 'the image has no files of settings',
  CHAINFOLD_API_KEY: 'a credential of a caller, of which the processes of the service have no need',
  CHAINFOLD_API_SECRET: 'a credential of a caller, of which the processes of the service have no need',
  CHAINFOLD_DEMO: 'production has no demo organization',
  CHAINFOLD_DEV_BLOCK_MS: 'production has no development chain',
  NODE_ENV: 'the image is for production',
};

const passwords = { EVENTSTORE_PASSWORD: 'word', MONGODB_PASSWORD: 'word', REDIS_PASSWORD: 'word' };
const noOpenssl =
  spawnSync('openssl', ['version']).status === 0 ? null : 'keys of the engines, since openssl is not here';
let madeIn: string | undefined;
/** Runs bin/engine-keys.sh in a folder of its own, once, and returns the folder of the keys. */
const keysMade = () => {
  if (madeIn === undefined) {
    madeIn = freshDirectory();
    cpSync('bin', join(madeIn, 'bin'), { recursive: true });
    execFileSync(join(madeIn, 'bin/engine-keys.sh'));
  }
  return join(madeIn, '.chainfold/engines');
};

describe('the deployment', () => {
  it('runs from the compiled files alone, as in the image', () => {
    const image = freshDirectory();
    for (const part of ['package.json', 'bin', 'dist']) cpSync(part, join(image, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(image, 'node_modules'));
    const output = execFileSync(process.execPath, ['bin/chainfold.js', '--help'], { cwd: image, encoding: 'utf8' });
    assert.match(output, /serve/);
  });

  it('gives every container of the service the URLs of the engines', () => {
    for (const { environment = {} } of own()) {
      // The service ignores settings with an empty text.
      const given = Object.entries(environment)
        .map(([name, value]) => [name, filledIn(value)])
        .filter(([, value]) => value !== '');
      const config = readConfig({ ...Object.fromEntries(given), CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) });
      assert.equal(config.eventStoreUrl, 'kurrentdb://admin:word@eventstore:2113?tlsCAFile=/keys/ca.crt');
      assert.match(config.mongodbUrl ?? '', /^mongodb:\/\/chainfold:word@mongo:27017\/chainfold\?.*&tls=true&/);
      assert.equal(config.redisUrl, 'rediss://:word@redis:6379');
    }
  });

  it('passes every setting on to its containers, except those that the image or the file decides', () => {
    for (const { environment = {} } of own()) {
      const without = (known: object, names: Iterable<string>) => [...names].filter((name) => !(name in known));
      assert.deepEqual(without({ ...environment, ...leftOut }, settingNames), [], 'settings that no container gets');
      // A setting that the service does not know would be a typo.
      const known = { ...Object.fromEntries([...settingNames].map((name) => [name, true])), ...fixedSettings };
      assert.deepEqual(without(known, Object.keys(environment)), [], 'unknown settings');
      const fixed = Object.keys(environment).filter((name) => !environment[name]?.startsWith(`\${${name}:`));
      assert.deepEqual(new Set(fixed), new Set(Object.keys(fixedSettings)));
      assert.deepEqual(
        Object.keys(leftOut).filter((name) => name in environment || !settingNames.has(name)),
        [],
      );
    }
  });

  it('runs each role in its own container, with two replicas of api and deliverer', () => {
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
    // Each of the two replicas of api needs a port of the host.
    assert.match(container('api').ports?.[0] ?? '', /127\.0\.0\.1:8080-8081\}:8080$/);
  });

  it('checks the health of every role on the port that the health check of the image asks', () => {
    const image = readFileSync('Dockerfile', 'utf8');
    const [, port] = /^HEALTHCHECK[^[]*\[[^\]]*127\.0\.0\.1:(\d+)\/health\/ready/m.exec(image) ?? [];
    for (const { command, environment = {}, healthcheck } of own()) {
      assert.equal(healthcheck, undefined, command?.join(' '));
      const { CHAINFOLD_HEALTH_PORT, CHAINFOLD_PORT } = environment;
      const config = readConfig({ CHAINFOLD_HEALTH_PORT, CHAINFOLD_PORT, CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) });
      assert.deepEqual([String(config.healthPort), String(config.port)], [port, port], command?.join(' '));
    }
  });

  it('keeps the data of the engines in volumes, waits until they are healthy, and configures them as the service needs', () => {
    const [eventstore, mongo, redis] = ['eventstore', 'mongo', 'redis'].map(container) as [
      Container,
      Container,
      Container,
    ];
    for (const engine of [eventstore, mongo, redis]) {
      const [volume = ''] = engine.volumes?.map((one) => one.split(':')[0] ?? '') ?? [];
      assert.ok(volume in compose.volumes, volume);
      assert.ok((engine.healthcheck?.test?.length ?? 0) > 1);
    }
    assert.equal(eventstore.environment?.KURRENTDB_RUN_PROJECTIONS, 'System');
    assert.equal(eventstore.environment?.KURRENTDB_START_STANDARD_PROJECTIONS, undefined);
    assert.match(eventstore.healthcheck?.test?.join(' ') ?? '', /%24by_category\/command\/enable/);
    assert.ok(mongo.command?.includes('--replSet'));
    assert.match(redis.command?.join(' ') ?? '', /--appendonly yes --maxmemory-policy noeviction/);
  });

  it('publishes no engine, and mounts only keys that bin/engine-keys.sh creates', function () {
    if (noOpenssl) return skip(this, noOpenssl);
    const made = readdirSync(keysMade());
    for (const name of ['eventstore', 'mongo', 'redis']) {
      assert.equal(container(name).ports, undefined);
      const mounted = container(name).volumes?.flatMap(
        (one) => /^\.\/\.chainfold\/engines\/([^:]+):/.exec(one)?.[1] ?? [],
      );
      assert.ok(mounted?.length);
      for (const file of mounted) assert.ok(made.includes(file), file);
    }
  });

  it('creates keys once: a second run of bin/engine-keys.sh changes nothing', function () {
    if (noOpenssl) return skip(this, noOpenssl);
    const keys = keysMade();
    const all = () =>
      [join(keys, 'redis.key'), join(keys, 'ca.crt'), resolve(keys, '../../.env')].map((file) =>
        readFileSync(file, 'utf8'),
      );
    const before = all();
    execFileSync(resolve(keys, '../../bin/engine-keys.sh'));
    assert.deepEqual(all(), before);
    assert.equal(statSync(keys).mode & 0o777, 0o700);
    assert.match(before[2] ?? '', /^(?:[A-Z_]+=[0-9a-f]{64}\n){4}$/);
  });

  it('starts a Redis that accepts connections only over TLS and with its password', async function () {
    if (noOpenssl) return skip(this, noOpenssl);
    if (!isRedisInstalled) return skip(this, 'Redis over TLS, since redis-server is not here');
    const keys = keysMade();
    const port = await freePort();
    const [program = '', ...given] = (container('redis').command ?? []).map((one) =>
      filledIn(one)
        .replace(/^\/keys/, keys)
        .replace('6379', String(port)),
    );
    const server = spawn(program, [...given, '--dir', freshDirectory()], { stdio: 'ignore' });
    const ca = readFileSync(join(keys, 'ca.crt'));
    // The client reconnects, because the server may take some time to start.
    const open = (password: string) =>
      new Redis(`rediss://:${password}@localhost:${port}`, {
        tls: { ca },
        retryStrategy: () => 20,
        maxRetriesPerRequest: null,
        lazyConnect: true,
      }).on('error', () => undefined);
    const [known, stranger] = [open('word'), open('guess')];
    try {
      assert.equal(await known.ping(), 'PONG');
      await assert.rejects(stranger.ping(), /WRONGPASS|NOAUTH/);
    } finally {
      known.disconnect();
      stranger.disconnect();
      server.kill('SIGKILL');
    }
  });

  it('has a compose file that docker accepts', function () {
    if (spawnSync('docker', ['compose', 'version']).status !== 0)
      return skip(this, 'docker compose config, since docker is not here');
    const env = { ...process.env, CHAINFOLD_MASTER_KEY: 'ab'.repeat(32), ...passwords };
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
