import assert from 'node:assert/strict';
import { readConfig } from '../../infrastructure/config.js';

const tags = ['T', 'S', 'P', 'C', 'Q'];

describe('the gateway configuration', () => {
  it('accepts nodes for each chain and network, in their order', () => {
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
  it('accepts units per second for each node URL, and rejects anything but a whole number of at least 1', () => {
    const name = 'GATEWAY_Q_ROPSTEN_NODE_UNITS_PER_SECOND';
    assert.deepEqual(readConfig({ [name]: '25' }).gatewayTerms, { 'q/ropsten': { unitsPerSecond: 25 } });
    assert.deepEqual(readConfig({}).gatewayTerms, {});
    for (const value of ['0', '-1', '1.5', 'many'])
      assert.throws(() => readConfig({ [name]: value }), { name: 'BadSetting', message: new RegExp(name) });
  });
  it('has no nodes of its own if the setting is empty', () =>
    assert.deepEqual(readConfig({ GATEWAY_C_MAINNET_URLS: '', CHAIN_C_URL: 'https://one.example' }).gateways, {}));

  it('accepts an agreement among as many nodes as there are, of the gateway or of its chain', () => {
    const two = 'https://one.example, wss://two.example';
    for (const nodes of [{ GATEWAY_C_MAINNET_URLS: two }, { CHAIN_C_URL: two }])
      assert.deepEqual(readConfig({ ...nodes, GATEWAY_C_MAINNET_AGREEMENT: '2' }).gatewayTerms, {
        'c/mainnet': { agreement: 2 },
      });
  });
  it('rejects an agreement among more nodes than there are, counting each host as one node', () => {
    for (const urls of ['https://one.example', 'https://one.example,wss://one.example', 'off'])
      assert.throws(
        () => readConfig({ CHAIN_C_URL: urls, GATEWAY_C_MAINNET_AGREEMENT: '2' }),
        /^BadSetting: GATEWAY_C_MAINNET_AGREEMENT needs \d nodes with different hosts/,
      );
  });
  it('accepts methods that only read', () => {
    const names =
      'trace_block,trace_filter,debug_traceTransaction,debug_getRawBlock,eth_getProof,txpool_status,bor_getAuthor';
    assert.deepEqual(readConfig({ GATEWAY_Q_MAINNET_METHODS: names }).gatewayMethods, {
      'q/mainnet': names.split(','),
    });
  });

  const refused =
    'personal_unlockAccount admin_addPeer miner_start engine_newPayloadV1 debug_setHead debug_writeMemProfile eth_sign ' +
    'evm_signTransaction eth_sendTransaction eth_sendRawTransactionConditional eth_accounts evm_accounts hardhat_setBalance ' +
    'dev_mine eth_getFilterLogs trace_subscribe eth blockNumber eth_call;drop constructor';
  for (const method of refused.split(' '))
    it(`rejects ${method} among the methods of a gateway, with a reason`, () =>
      assert.throws(
        () => readConfig({ GATEWAY_C_MAINNET_METHODS: `trace_block, ${method}` }),
        (error: Error) =>
          error.name === 'BadSetting' &&
          error.message.startsWith(`GATEWAY_C_MAINNET_METHODS cannot offer "${method}": it `) &&
          /: it \w+ .+ \w+/.test(error.message),
      ));
});
