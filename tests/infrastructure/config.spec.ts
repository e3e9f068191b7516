import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { readConfig } from '../../infrastructure/config.js';
import { BadSetting } from '../../infrastructure/settings/bad-setting.js';
import { memoryBudgetOf } from '../../infrastructure/settings/memory-budget.js';

const mebibyte = 1_048_576;
const tags = ['T', 'S', 'P', 'C', 'Q'];
const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1);
const older = key.map((byte) => byte ^ 0xff);
const hex = Buffer.from(key).toString('hex');
const base64 = Buffer.from(key).toString('base64');

/** Asserts that the setting is rejected with one line that names the setting and states the rule. */
const stops = (name: string, value: string) =>
  assert.throws(
    () => readConfig({ [name]: value }),
    (error: Error) => {
      assert.ok(error instanceof BadSetting, String(error));
      assert.match(error.message, new RegExp(`^${name} (must be|is needed) [^\\n]+$`));
      return true;
    },
  );

describe('the configuration', () => {
  it('has a default for every setting', () =>
    assert.deepEqual(readConfig({}), {
      host: '127.0.0.1',
      port: 8080,
      healthPort: undefined,
      unreadableBlockSeconds: 600,
      reconcileSeconds: 86_400,
      dataDirectory: resolve('.chainfold'),
      requestTimeoutMs: 10_000,
      masterKey: undefined,
      previousMasterKey: undefined,
      demo: true,
      production: false,
      metricsToken: undefined,
      logLevel: 'info',
      requestLog: { kind: 'all' },
      tracing: undefined,
      eventStoreUrl: undefined,
      mongodbUrl: undefined,
      redisUrl: undefined,
      namespace: '',
      chains: tags.map((tag) => ({ tag, urls: 'unset', oldHeadSeconds: undefined })),
      gateways: {},
      gatewayTerms: {},
      gatewayMethods: {},
      gatewayCacheBytes: 268_435_456,
      memory: memoryBudgetOf(512 * mebibyte),
      developmentBlockMs: 1000,
      allowPrivate: false,
      ipfsGateway: undefined,
      stuckSeconds: 600,
      asOfEvents: 1_000_000,
      accessLogMs: 90 * 86_400_000,
      challengeEndpoints: false,
      sharedWebhookKey: true,
      webhookConcurrency: 8,
      witnessFile: undefined,
      witnessUrl: undefined,
    }));

  it('reads every setting', () =>
    assert.deepEqual(
      readConfig({
        CHAINFOLD_HOST: '::1',
        CHAINFOLD_PORT: '0',
        CHAINFOLD_HEALTH_PORT: '8081',
        CHAINFOLD_UNREADABLE_BLOCK_SECONDS: '30',
        CHAIN_C_HEAD_AGE_SECONDS: '30',
        CHAINFOLD_DATA_DIR: '/var/lib/chainfold',
        CHAINFOLD_REQUEST_TIMEOUT_MS: '1000',
        CHAINFOLD_MASTER_KEY: hex,
        CHAINFOLD_DEMO: 'false',
        NODE_ENV: 'production',
        CHAINFOLD_METRICS_TOKEN: 'sixteen-letters!',
        CHAINFOLD_LOG_LEVEL: 'silent',
        CHAINFOLD_REQUEST_LOG: 'sampled:100',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otlp:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a',
        OTEL_SERVICE_NAME: 'custody',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.5',
        EVENTSTORE_URL: 'esdb+discover://events.example:2113',
        MONGODB_URL: 'mongodb://one.example,two.example/chainfold?replicaSet=rs0',
        REDIS_URL: 'rediss://limits.example:6380',
        CHAINFOLD_NAMESPACE: 'staging-2',
        CHAIN_C_URL: 'https://one.example/key',
        CHAINFOLD_PREVIOUS_MASTER_KEY: Buffer.from(older).toString('base64'),
        GATEWAY_C_ROPSTEN_URLS: 'https://two.example/key',
        GATEWAY_C_ROPSTEN_CHAIN_ID: '0x5',
        CHAINFOLD_GATEWAY_CACHE_MB: '0',
        CHAINFOLD_MEMORY_MB: '64',
        GATEWAY_C_ROPSTEN_METHODS: 'trace_block, evm_getProof',
        CHAINFOLD_DEV_BLOCK_MS: '0',
        CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
        CHAINFOLD_IPFS_GATEWAY: 'https://ipfs.example/ipfs/',
        CHAINFOLD_STUCK_SECONDS: '60',
        CHAINFOLD_AS_OF_EVENTS: '5000',
        CHAINFOLD_ACCESS_LOG_DAYS: '30',
        CHAINFOLD_WITNESS_FILE: '/mnt/witness/heads.ndjson',
        CHAINFOLD_WITNESS_URL: 'https://witness.example/heads',
      }),
      {
        host: '::1',
        port: 0,
        healthPort: 8081,
        unreadableBlockSeconds: 30,
        reconcileSeconds: 86_400,
        dataDirectory: '/var/lib/chainfold',
        requestTimeoutMs: 1000,
        masterKey: key,
        previousMasterKey: older,
        demo: false,
        production: true,
        metricsToken: 'sixteen-letters!',
        logLevel: 'silent',
        requestLog: { kind: 'sampled', every: 100 },
        tracing: {
          endpoint: 'http://otlp:4318/v1/traces',
          headers: { 'x-tenant': 'a' },
          serviceName: 'custody',
          sampler: 'traceidratio',
          ratio: 0.5,
        },
        eventStoreUrl: 'esdb+discover://events.example:2113',
        mongodbUrl: 'mongodb://one.example,two.example/chainfold?replicaSet=rs0',
        redisUrl: 'rediss://limits.example:6380',
        namespace: 'staging-2',
        chains: tags.map((tag) =>
          tag === 'C'
            ? { tag, urls: ['https://one.example/key'], oldHeadSeconds: 30 }
            : { tag, urls: 'unset', oldHeadSeconds: undefined },
        ),
        gateways: { 'c/ropsten': ['https://two.example/key'] },
        gatewayTerms: { 'c/ropsten': { chainId: '5' } },
        gatewayCacheBytes: 0,
        memory: memoryBudgetOf(64 * mebibyte),
        gatewayMethods: { 'c/ropsten': ['trace_block', 'evm_getProof'] },
        developmentBlockMs: 0,
        allowPrivate: true,
        ipfsGateway: 'https://ipfs.example/ipfs/',
        witnessFile: '/mnt/witness/heads.ndjson',
        witnessUrl: 'https://witness.example/heads',
        stuckSeconds: 60,
        asOfEvents: 5000,
        accessLogMs: 30 * 86_400_000,
        challengeEndpoints: false,
        sharedWebhookKey: true,
        webhookConcurrency: 8,
      },
    ));

  it('accepts the master key in hex of either case and in base64', () => {
    for (const text of [hex, hex.toUpperCase(), base64, base64.replace('=', '')])
      assert.deepEqual(readConfig({ CHAINFOLD_MASTER_KEY: text }).masterKey, key, text);
  });
  it('accepts the highest port', () => assert.equal(readConfig({ CHAINFOLD_PORT: '65535' }).port, 65_535));
  it('is for production only if NODE_ENV is exactly "production"', () => {
    for (const value of ['development', 'test', 'Production', ''])
      assert.equal(readConfig({ NODE_ENV: value }).production, false, value);
  });
});

describe('the configuration of individual settings', () => {
  it('accepts the longest block interval', () =>
    assert.equal(readConfig({ CHAINFOLD_DEV_BLOCK_MS: '2147483647' }).developmentBlockMs, 2 ** 31 - 1));
  it('accepts an IPFS gateway over http and https', () => {
    for (const url of ['http://127.0.0.1:8081/ipfs/', 'https://ipfs.example'])
      assert.equal(readConfig({ CHAINFOLD_IPFS_GATEWAY: url }).ipfsGateway, url);
  });
  it('allows private webhook addresses only if the setting is true', () => {
    for (const [value, allowed] of Object.entries({ true: true, false: false, '': false }))
      assert.equal(readConfig({ CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: value }).allowPrivate, allowed, value);
  });
  it('accepts the previous master key in the same forms as the new one', () => {
    for (const text of [hex, hex.toUpperCase(), base64, base64.replace('=', '')]) {
      const both = { CHAINFOLD_MASTER_KEY: hex, CHAINFOLD_PREVIOUS_MASTER_KEY: text };
      assert.deepEqual(readConfig(both).previousMasterKey, key, text);
    }
  });
});

describe('an invalid setting', () => {
  const badUrls = [
    'localhost:8545',
    'node.example',
    'https://',
    'https://a b',
    'ftp://node.example',
    'file:///etc/passwd',
    'btc+https://node.example',
    'evm+evm+https://node.example',
    'https://node.example,',
    ',https://node.example',
    'https://one.example https://two.example',
  ];
  const junk: Record<string, string[]> = {
    CHAINFOLD_HOST: ['not a host', 'http://localhost', 'localhost/', 'local\nhost', '127.0.0.1 ', 'höst', '*'],
    CHAINFOLD_HEALTH_PORT: ['x', '65536'],
    CHAINFOLD_NAMESPACE: ['Staging', 'a_b', 'a.b', '-a', 'a-', 'a:b', 'a b', 'a'.repeat(21), '*', '$'],
    CHAINFOLD_UNREADABLE_BLOCK_SECONDS: ['x', '-1', '1.5'],
    CHAIN_T_HEAD_AGE_SECONDS: ['x', '-1', '1.5'],
    CHAINFOLD_PORT: ['http', '-1', '65536', '123456', '80.5', '1e3', '0x50', ' 80', '80\n', '８０'],
    CHAINFOLD_MASTER_KEY: ['secret', 'change-me', hex.slice(1), `${hex}00`, `${hex.slice(0, 63)}g`, base64.slice(4)],
    CHAINFOLD_DEMO: ['yes', 'no', '1', '0', 'TRUE', 'off', ' true'],
    CHAINFOLD_METRICS_TOKEN: ['fifteen-letters', 'with some spaces in it', 'sixteen-letters\n', 'sixteen-lettérs!'],
    CHAINFOLD_REQUEST_LOG: ['ALL', 'none', 'sampled', 'sampled:', 'sampled:0', 'sampled:01', 'sampled:1.5', ' all'],
    CHAINFOLD_LOG_LEVEL: ['verbose', 'INFO', 'warning', ' info', 'info,debug', 'toString'],
    CHAINFOLD_PREVIOUS_MASTER_KEY: ['secret', hex.slice(1), `${hex}00`, `${hex.slice(0, 63)}g`, base64.slice(4)],
    CHAINFOLD_DEV_BLOCK_MS: ['fast', '-1', '1.5', '1e3', '0x10', ' 1', '1s', '2147483648', '99999999999', '１'],
    CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: ['yes', '1', 'TRUE', 'on', ' true'],
    CHAINFOLD_REQUEST_TIMEOUT_MS: ['0', '999', '60001', '-1', '1.5', '1e4', ' 1000', '10s', '0x3e8'],
    CHAINFOLD_AS_OF_EVENTS: ['many', '0', '-1', '1.5', '1e6', ' 1', '1234567890'],
    CHAINFOLD_IPFS_GATEWAY: [
      'ipfs.example',
      'off',
      'https://',
      'ipfs://cid',
      'ftp://ipfs.example',
      'file:///ipfs',
      '/ipfs',
    ],
    ...Object.fromEntries(
      tags.flatMap((tag) => [
        [`CHAIN_${tag}_URL`, ['Off', 'on', 'false', 'off,https://node.example', ...badUrls]],
        [`GATEWAY_${tag}_MAINNET_URLS`, ['off', 'none', 'c/mainnet', ...badUrls]],
        [`GATEWAY_${tag}_ROPSTEN_URLS`, ['off', ...badUrls]],
        [`GATEWAY_${tag}_ROPSTEN_AGREEMENT`, ['0', '10', 'two', '1.5', ' 1', '-1']],
        [`GATEWAY_${tag}_MAINNET_CHAIN_ID`, ['mainnet', '-1', '1.5', '0x', '1e3', ' 1', '0xg', `0x${'1'.repeat(65)}`]],
      ]),
    ),
  };
  for (const [name, values] of Object.entries(junk))
    for (const value of values)
      it(`such as ${name}=${JSON.stringify(value)} fails the start`, () => stops(name, value));

  it('that is a node URL without a host fails the start', () => {
    for (const url of ['ton+https://', 'sui+grpcs:///path', 'evm+http:node', 'grpc://'])
      assert.throws(() => readConfig({ CHAIN_T_URL: url }), BadSetting, url);
  });
  it('that is a master key with characters outside base64 fails the start', () => {
    const passphrase = 'forty-three letters of it, and signs that none reads';
    for (const text of [`${base64}!`, `!${base64}`, base64.replace(/^./, '$& '), passphrase])
      assert.throws(() => readConfig({ CHAINFOLD_MASTER_KEY: text }), BadSetting, JSON.stringify(text));
  });

  it('is not repeated in the message, because it may be a secret', () => {
    const secret = 'p4ssw0rd with spaces';
    for (const name of [...Object.keys(junk), 'EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'])
      assert.throws(() => readConfig({ [name]: secret }), /^BadSetting: (?!.*p4ssw0rd)/);
  });

  it('is the only error caused by random values', () => {
    const names = Object.keys(junk);
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.base64String(), fc.constant(undefined));
    const environments = fc.record(Object.fromEntries(names.map((name) => [name, value])));
    fc.assert(
      fc.property(environments, (environment) => {
        try {
          readConfig(environment);
        } catch (error) {
          assert.ok(error instanceof BadSetting, String(error));
          assert.match(error.message, new RegExp(`^(${names.join('|')}) (must be|needs) [^\\n]+$`));
        }
      }),
    );
  });

  it("may be the URL of an engine with another engine's scheme", () => {
    for (const name of ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'])
      for (const value of ['kurrentdb:/a', 'http://a', 'a', 'esdb:', 'mongodb:/a', 'redis://', `x${name}`])
        stops(name, value);
    for (const name of ['MONGODB_URL', 'REDIS_URL']) stops(name, 'kurrentdb://a');
    for (const url of ['kurrentdb://a', 'kurrentdb+discover://a'])
      assert.equal(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl, url);
  });

  it('may be MONGODB_URL, a shared vault, without a master key', () =>
    assert.throws(
      () => readConfig({ MONGODB_URL: 'mongodb://a/b' }),
      /^BadSetting: CHAINFOLD_MASTER_KEY is needed with MONGODB_URL/,
    ));

  it('may be a previous master key without the new one', () =>
    assert.throws(
      () => readConfig({ CHAINFOLD_PREVIOUS_MASTER_KEY: hex }),
      /^BadSetting: CHAINFOLD_PREVIOUS_MASTER_KEY needs CHAINFOLD_MASTER_KEY/,
    ));
});
