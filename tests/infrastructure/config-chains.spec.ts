import assert from 'node:assert/strict';
import { readConfig } from '../../infrastructure/config.js';

const tags = ['T', 'S', 'P', 'C', 'Q'] as const;

describe('the chain configuration', () => {
  const urls = (value: string) => readConfig({ CHAIN_S_URL: value }).chains.find(({ tag }) => tag === 'S')?.urls;

  it('distinguishes a chain that is off from one that is not set', () => {
    assert.equal(urls('off'), 'off');
    assert.equal(urls(''), 'unset');
  });
  it('accepts one node', () => assert.deepEqual(urls('https://one.example'), ['https://one.example']));
  it('accepts several nodes in their order, with or without spaces', () =>
    assert.deepEqual(urls('wss://b.example/ws?k=1, https://a.example:8545 ,http://[::1]:1'), [
      'wss://b.example/ws?k=1',
      'https://a.example:8545',
      'http://[::1]:1',
    ]));
  const known = {
    plain: ['http', 'https', 'ws', 'wss'],
    evm: ['evm+http', 'evm+https', 'evm+ws', 'evm+wss'],
    sui: ['sui+grpc', 'sui+grpcs'],
    ton: ['ton+http', 'ton+https', 'ton+v2+http', 'ton+v2+https'],
  };
  const urlsUnder = (schemes: readonly string[]) => schemes.map((scheme) => `${scheme}://node.example:1/?key=1`);
  for (const [kind, schemes] of Object.entries(known))
    it(`accepts ${kind} URLs for every wallet API that supports any kind of chain`, () => {
      for (const tag of ['S', 'P']) {
        const name = `CHAIN_${tag}_URL`;
        const setting = readConfig({ [name]: urlsUnder(schemes).join(',') }).chains.find((one) => one.tag === tag);
        assert.deepEqual(setting?.urls, urlsUnder(schemes));
      }
    });
  const unknown = ['grpc', 'grpcs', 'sui+https', 'ton+ws', 'ton+grpc', 'evm+grpc', 'tonv2+https', 'cosmos+https'];
  for (const scheme of [...unknown, 'substrate+wss', 'ton+', '+https', 'toString+https'])
    it(`rejects ${scheme}://… and lists the known schemes in one line`, () =>
      assert.throws(() => readConfig({ CHAIN_P_URL: `${scheme}://node.example` }), {
        name: 'BadSetting',
        message:
          'CHAIN_P_URL must be "off" or node URLs separated by commas, under ton+http://, ton+https://, ton+v2+http://, ' +
          'ton+v2+https://, sui+grpc://, sui+grpcs://, http://, https://, ws://, wss://, evm+http://, evm+https://, evm+ws://, evm+wss://',
      }));
  for (const scheme of [...known.sui, ...known.ton])
    it(`rejects ${scheme}://… for chains with a gateway, and lists the schemes of an EVM`, () => {
      const rule = 'under http://, https://, ws://, wss://, evm+http://, evm+https://, evm+ws://, evm+wss://';
      for (const name of ['CHAIN_C_URL', 'CHAIN_Q_URL', 'GATEWAY_C_MAINNET_URLS', 'GATEWAY_Q_ROPSTEN_URLS'])
        assert.throws(
          () => readConfig({ [name]: `${scheme}://node.example` }),
          ({ message }: Error) =>
            message.startsWith(`${name} must be `) &&
            message.endsWith(`, ${rule}: the gateway supports only EVM nodes`),
        );
    });
  for (const scheme of [...known.sui, ...known.plain, ...known.evm])
    it(`rejects ${scheme}://… for T, and says why`, () =>
      assert.throws(() => readConfig({ CHAIN_T_URL: `${scheme}://node.example` }), {
        message:
          'CHAIN_T_URL must be "off" or node URLs separated by commas, under ton+http://, ton+https://, ton+v2+http://, ' +
          "ton+v2+https://: other nodes lack fields of this chain's records",
      }));
  it('reads the nodes of each chain from its own setting', () => {
    const urlOf = (tag: string) => `${tag === 'T' ? 'ton+https' : 'https'}://${tag}.example`;
    const set = Object.fromEntries(tags.map((tag) => [`CHAIN_${tag}_URL`, urlOf(tag)]));
    assert.deepEqual(
      readConfig(set).chains,
      tags.map((tag) => ({ tag, urls: [urlOf(tag)], oldHeadSeconds: undefined })),
    );
  });
});
