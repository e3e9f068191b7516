import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { BadSetting, readConfig } from '../../infrastructure/config.js';

const tags = ['T', 'S', 'P', 'C', 'Q'];
const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1);
const older = key.map((byte) => byte ^ 0xff);
const hex = Buffer.from(key).toString('hex');
const base64 = Buffer.from(key).toString('base64');

/** In one line that names the setting and says the rule. */
const stops = (name: string, value: string) =>
  assert.throws(
    () => readConfig({ [name]: value }),
    (error: Error) => {
      assert.ok(error instanceof BadSetting, String(error));
      assert.match(error.message, new RegExp(`^${name} (must be|is needed) [^\\n]+$`));
      return true;
    },
  );

describe('configuration', () => {
  it('has a default for everything', () =>
    assert.deepEqual(readConfig({}), {
      host: '127.0.0.1',
      port: 8080,
      dataDirectory: resolve('.chainfold'),
      masterKey: undefined,
      previousMasterKey: undefined,
      demo: true,
      production: false,
      metricsToken: undefined,
      logLevel: 'info',
      eventStoreUrl: undefined,
      mongodbUrl: undefined,
      redisUrl: undefined,
      chains: tags.map((tag) => ({ tag, urls: 'unset' })),
      gateways: {},
      developmentBlockMs: 1000,
      allowPrivate: false,
      ipfsGateway: undefined,
      stuckSeconds: 600,
      asOfEvents: 1_000_000,
    }));

  it('takes what is set', () =>
    assert.deepEqual(
      readConfig({
        CHAINFOLD_HOST: '::1',
        CHAINFOLD_PORT: '0',
        CHAINFOLD_DATA_DIR: '/var/lib/chainfold',
        CHAINFOLD_MASTER_KEY: hex,
        CHAINFOLD_DEMO: 'false',
        NODE_ENV: 'production',
        CHAINFOLD_METRICS_TOKEN: 'sixteen-letters!',
        CHAINFOLD_LOG_LEVEL: 'silent',
        EVENTSTORE_URL: 'esdb+discover://events.example:2113',
        MONGODB_URL: 'mongodb://one.example,two.example/chainfold?replicaSet=rs0',
        REDIS_URL: 'rediss://limits.example:6380',
        CHAIN_C_URL: 'https://one.example/key',
        CHAINFOLD_PREVIOUS_MASTER_KEY: Buffer.from(older).toString('base64'),
        GATEWAY_C_ROPSTEN_URLS: 'https://two.example/key',
        CHAINFOLD_DEV_BLOCK_MS: '0',
        CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true',
        CHAINFOLD_IPFS_GATEWAY: 'https://ipfs.example/ipfs/',
        CHAINFOLD_STUCK_SECONDS: '60',
        CHAINFOLD_AS_OF_EVENTS: '5000',
      }),
      {
        host: '::1',
        port: 0,
        dataDirectory: '/var/lib/chainfold',
        masterKey: key,
        previousMasterKey: older,
        demo: false,
        production: true,
        metricsToken: 'sixteen-letters!',
        logLevel: 'silent',
        eventStoreUrl: 'esdb+discover://events.example:2113',
        mongodbUrl: 'mongodb://one.example,two.example/chainfold?replicaSet=rs0',
        redisUrl: 'rediss://limits.example:6380',
        chains: tags.map((tag) => ({ tag, urls: tag === 'C' ? ['https://one.example/key'] : 'unset' })),
        gateways: { 'c/ropsten': ['https://two.example/key'] },
        developmentBlockMs: 0,
        allowPrivate: true,
        ipfsGateway: 'https://ipfs.example/ipfs/',
        stuckSeconds: 60,
        asOfEvents: 5000,
      },
    ));

  it('takes the master key in hex of either case and in base64', () => {
    for (const text of [hex, hex.toUpperCase(), base64, base64.replace('=', '')])
      assert.deepEqual(readConfig({ CHAINFOLD_MASTER_KEY: text }).masterKey, key, text);
  });
  it('takes the highest port', () => assert.equal(readConfig({ CHAINFOLD_PORT: '65535' }).port, 65_535));
  it('is for production only where NODE_ENV says just that', () => {
    for (const value of ['development', 'test', 'Production', ''])
      assert.equal(readConfig({ NODE_ENV: value }).production, false, value);
  });
});

describe('configuration of chains', () => {
  const urls = (value: string) => readConfig({ CHAIN_S_URL: value }).chains.find(({ tag }) => tag === 'S')?.urls;

  it('tells a chain that is off from one that is not set', () => {
    assert.equal(urls('off'), 'off');
    assert.equal(urls(''), 'unset');
  });
  it('takes one node', () => assert.deepEqual(urls('https://one.example'), ['https://one.example']));
  it('takes several nodes in their order, with or without spaces', () =>
    assert.deepEqual(urls('wss://b.example/ws?k=1, https://a.example:8545 ,http://[::1]:1'), [
      'wss://b.example/ws?k=1',
      'https://a.example:8545',
      'http://[::1]:1',
    ]));
  const known = {
    plain: ['http', 'https', 'ws', 'wss'],
    evm: ['evm+http', 'evm+https', 'evm+ws', 'evm+wss'],
    sui: ['sui+grpc', 'sui+grpcs'],
    ton: ['ton+http', 'ton+https'],
  };
  const urlsUnder = (schemes: readonly string[]) => schemes.map((scheme) => `${scheme}://node.example:1/path`);
  for (const [kind, schemes] of Object.entries(known))
    it(`takes ${kind} URLs for every wallet API that may be on any kind of chain`, () => {
      for (const tag of ['T', 'S', 'P']) {
        const name = `CHAIN_${tag}_URL`;
        const setting = readConfig({ [name]: urlsUnder(schemes).join(',') }).chains.find((one) => one.tag === tag);
        assert.deepEqual(setting?.urls, urlsUnder(schemes));
      }
    });
  const unknown = ['grpc', 'grpcs', 'sui+https', 'ton+ws', 'ton+grpc', 'evm+grpc', 'tonv2+https', 'cosmos+https'];
  for (const scheme of [...unknown, 'substrate+wss', 'ton+', '+https', 'toString+https'])
    it(`refuses ${scheme}://… in one line that lists what is known`, () =>
      assert.throws(() => readConfig({ CHAIN_P_URL: `${scheme}://node.example` }), {
        name: 'BadSetting',
        message:
          'CHAIN_P_URL must be "off" or node URLs separated by commas, under ton+http://, ton+https://, sui+grpc://, ' +
          'sui+grpcs://, http://, https://, ws://, wss://, evm+http://, evm+https://, evm+ws://, evm+wss://',
      }));
  for (const scheme of [...known.sui, ...known.ton])
    it(`refuses ${scheme}://… where a gateway leads to the nodes, and lists those of an EVM`, () => {
      const rule = 'under http://, https://, ws://, wss://, evm+http://, evm+https://, evm+ws://, evm+wss://';
      for (const name of ['CHAIN_C_URL', 'CHAIN_Q_URL', 'GATEWAY_C_MAINNET_URLS', 'GATEWAY_Q_ROPSTEN_URLS'])
        assert.throws(
          () => readConfig({ [name]: `${scheme}://node.example` }),
          ({ message }: Error) => message.startsWith(`${name} must be `) && message.endsWith(`, ${rule}`),
        );
    });
  it('gives each chain its own', () => {
    const set = Object.fromEntries(tags.map((tag) => [`CHAIN_${tag}_URL`, `https://${tag}.example`]));
    assert.deepEqual(
      readConfig(set).chains,
      tags.map((tag) => ({ tag, urls: [`https://${tag}.example`] })),
    );
  });
});

describe('configuration of gateways', () => {
  it('takes nodes for each chain and network, in their order', () => {
    const networks = ['mainnet', 'ropsten'];
    const all = tags.flatMap((tag) => networks.map((network) => [tag, network] as const));
    const set = all.map(([tag, network]) => [
      `GATEWAY_${tag}_${network.toUpperCase()}_URLS`,
      `https://${tag}.example/${network}, wss://${network}.example`,
    ]);
    assert.deepEqual(
      readConfig(Object.fromEntries(set)).gateways,
      Object.fromEntries(
        all.map(([tag, network]) => [
          `${tag.toLowerCase()}/${network}`,
          [`https://${tag}.example/${network}`, `wss://${network}.example`],
        ]),
      ),
    );
  });
  it('has none of its own where the text is empty', () =>
    assert.deepEqual(readConfig({ GATEWAY_C_MAINNET_URLS: '', CHAIN_C_URL: 'https://one.example' }).gateways, {}));
});

describe('configuration of the rest', () => {
  it('takes the longest pause between blocks', () =>
    assert.equal(readConfig({ CHAINFOLD_DEV_BLOCK_MS: '2147483647' }).developmentBlockMs, 2 ** 31 - 1));
  it('takes a gateway to IPFS over http and https', () => {
    for (const url of ['http://127.0.0.1:8081/ipfs/', 'https://ipfs.example'])
      assert.equal(readConfig({ CHAINFOLD_IPFS_GATEWAY: url }).ipfsGateway, url);
  });
  it('lets customers name private addresses only where it says so', () => {
    for (const [value, allowed] of Object.entries({ true: true, false: false, '': false }))
      assert.equal(readConfig({ CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: value }).allowPrivate, allowed, value);
  });
  it('takes the previous master key as the new one is written', () => {
    for (const text of [hex, hex.toUpperCase(), base64, base64.replace('=', '')]) {
      const both = { CHAINFOLD_MASTER_KEY: hex, CHAINFOLD_PREVIOUS_MASTER_KEY: text };
      assert.deepEqual(readConfig(both).previousMasterKey, key, text);
    }
  });
});

describe('a bad setting', () => {
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
    CHAINFOLD_PORT: ['http', '-1', '65536', '123456', '80.5', '1e3', '0x50', ' 80', '80\n', '８０'],
    CHAINFOLD_MASTER_KEY: ['secret', 'change-me', hex.slice(1), `${hex}00`, `${hex.slice(0, 63)}g`, base64.slice(4)],
    CHAINFOLD_DEMO: ['yes', 'no', '1', '0', 'TRUE', 'off', ' true'],
    CHAINFOLD_METRICS_TOKEN: ['fifteen-letters', 'with some spaces in it', 'sixteen-letters\n', 'sixteen-lettérs!'],
    CHAINFOLD_LOG_LEVEL: ['verbose', 'INFO', 'warning', ' info', 'info,debug', 'toString'],
    CHAINFOLD_PREVIOUS_MASTER_KEY: ['secret', hex.slice(1), `${hex}00`, `${hex.slice(0, 63)}g`, base64.slice(4)],
    CHAINFOLD_DEV_BLOCK_MS: ['fast', '-1', '1.5', '1e3', '0x10', ' 1', '1s', '2147483648', '99999999999', '１'],
    CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: ['yes', '1', 'TRUE', 'on', ' true'],
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
      ]),
    ),
  };
  for (const [name, values] of Object.entries(junk))
    for (const value of values) it(`stops the start: ${name}=${JSON.stringify(value)}`, () => stops(name, value));

  it('stops the start where a node URL names no host', () => {
    for (const url of ['ton+https://', 'sui+grpcs:///path', 'evm+http:node', 'grpc://'])
      assert.throws(() => readConfig({ CHAIN_T_URL: url }), BadSetting, url);
  });
  it('stops the start where the master key holds what is not base64', () => {
    const passphrase = 'forty-three letters of it, and signs that none reads';
    for (const text of [`${base64}!`, `!${base64}`, base64.replace(/^./, '$& '), passphrase])
      assert.throws(() => readConfig({ CHAINFOLD_MASTER_KEY: text }), BadSetting, JSON.stringify(text));
  });

  it('is not repeated, since it may be a secret', () => {
    const secret = 'p4ssw0rd with spaces';
    for (const name of [...Object.keys(junk), 'EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'])
      assert.throws(() => readConfig({ [name]: secret }), /^BadSetting: (?!.*p4ssw0rd)/);
  });

  it('is all that junk can lead to, whatever the junk', () => {
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

  it('is an engine under another engine’s scheme', () => {
    for (const name of ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL'])
      for (const value of ['kurrentdb://a', 'http://a', 'a', 'esdb:', 'mongodb:/a', 'redis://', `x${name}`])
        stops(name, value);
  });

  it('is a shared vault without a master key that all nodes share', () =>
    assert.throws(
      () => readConfig({ MONGODB_URL: 'mongodb://a/b' }),
      /^BadSetting: CHAINFOLD_MASTER_KEY is needed with MONGODB_URL/,
    ));

  it('is a previous master key without the new one', () =>
    assert.throws(
      () => readConfig({ CHAINFOLD_PREVIOUS_MASTER_KEY: hex }),
      /^BadSetting: CHAINFOLD_PREVIOUS_MASTER_KEY needs CHAINFOLD_MASTER_KEY/,
    ));
});
