import assert from 'node:assert/strict';
import { openRpc } from '../../../interfaces/gateway/openrpc.js';
import { account, aHash, answerCalls, call, fakeNode, paramsFor } from '../../support/gateway/json-rpc.js';

const specified =
  'web3_clientVersion net_version net_peerCount net_listening evm_protocolVersion evm_syncing evm_gasPrice ' +
  'evm_blockNumber evm_getBalance evm_getStorageAt evm_getTransactionCount evm_getBlockTransactionCountByHash ' +
  'evm_getBlockTransactionCountByNumber evm_getUncleCountByBlockHash evm_getUncleCountByBlockNumber evm_getCode ' +
  'evm_sendRawTransaction evm_call evm_estimateGas evm_getBlockByHash evm_getBlockByNumber evm_getTransactionByHash ' +
  'evm_getTransactionByBlockHashAndIndex evm_getTransactionByBlockNumberAndIndex evm_getTransactionReceipt ' +
  'evm_getUncleByBlockHashAndIndex evm_getUncleByBlockNumberAndIndex evm_getLogs';
const overSockets =
  'evm_newBlockFilter evm_newFilter evm_newPendingTransactionFilter evm_getFilterChanges evm_uninstallFilter ' +
  'evm_subscribe evm_unsubscribe';
const dangerous =
  'eth_accounts eth_sendTransaction eth_sign personal_unlockAccount admin_addPeer debug_traceTransaction miner_start ' +
  'txpool_content hardhat_setBalance hardhat_impersonateAccount anvil_mine evm_mine evm_revert evm_snapshot ' +
  'evm_setNextBlockTimestamp';
const development: Readonly<Record<string, readonly unknown[]>> = {
  dev_mine: [],
  dev_reorg: [1],
  dev_transfer: [{}],
  dev_deployToken: [{}],
};

const unavailable = (method: string) => `the method ${method} does not exist/is not available`;

type Described = { readonly required: boolean; readonly schema: { readonly default?: string } };

describe('the gateway', () => {
  const asking = async (method: string, on: 'real' | 'development' = 'real') => {
    const { asked, ...nodes } = fakeNode();
    const [answer] = await answerCalls([call(method, 1, paramsFor(method))], nodes[on]);
    return { answer, method: asked[0]?.method };
  };

  for (const method of specified.split(' '))
    it(`forwards ${method} under the name that nodes know`, async () => {
      const name = method.replace(/^evm_/, 'eth_');
      assert.equal((await asking(method)).method, name);
      assert.equal((await asking(name)).method, name);
    });
  it('rejects methods that need a socket, an account or an operator, and malformed names', async () => {
    const odd = ['', 'eth_', 'evm_', 'blockNumber', 'ETH_BLOCKNUMBER', 'eth_blockNumber ', 'toString', '__proto__'];
    for (const method of [...overSockets.split(' '), ...dangerous.split(' '), ...odd])
      for (const on of ['real', 'development'] as const) {
        const { answer, method: asked } = await asking(method, on);
        assert.deepEqual([answer.error.code, asked], [-32_601, undefined]);
        assert.ok(answer.error.message.startsWith(unavailable(method)), answer.error.message);
      }
  });
  for (const [typed, ending] of Object.entries({
    eth_getBalanc: '. Did you mean eth_getBalance?',
    evm_getBlokByNumber: '. Did you mean evm_getBlockByNumber?',
    ETH_BLOCKNUMBER: '. Did you mean eth_blockNumber?',
    eth_subscribe: ' over HTTP: filters and subscriptions need a WebSocket, at …/v1/ws/<API_KEY>',
    personal_unlockAccount: '',
  }))
    it(`rejects ${typed} with a message that ends in "${ending}"`, async () =>
      assert.equal((await asking(typed)).answer.error.message, `${unavailable(typed)}${ending}`));

  const invalidCalls: readonly [string, readonly unknown[], RegExp][] = [
    [
      'evm_getBalance',
      [],
      /^missing value for required argument 0 \(address\): must be an address: 0x and 40 hex digits$/,
    ],
    ['eth_getStorageAt', [account], /missing value for required argument 1 \(position\)/],
    ['evm_getBalance', [account.slice(1), 'latest'], /argument 0 \(address\)/],
    ['evm_getBalance', [account, '0x01'], /argument 1 \(block\).*quantity/],
    ['evm_getBalance', [account, 5], /argument 1 \(block\)/],
    ['evm_getBalance', [account, 'newest'], /argument 1 \(block\)/],
    ['evm_getBalance', [account, 'latest', 1], /^too many arguments, want at most 2 \(address, block\)$/],
    ['eth_getStorageAt', [account, 'x', 'latest'], /argument 1 \(position\)/],
    ['eth_getBlockByNumber', ['0x', true], /argument 0 \(block number\)/],
    ['eth_getBlockByNumber', ['0x1', 'yes'], /argument 1 \(full transactions\)/],
    ['eth_getBlockByNumber', ['0x1'], /required argument 1 \(full transactions\)/],
    ['eth_getBlockByHash', ['0x1', true], /argument 0 \(block hash\)/],
    ['eth_sendRawTransaction', ['0xabc'], /argument 0 \(signed transaction\).*byte data/],
    ['eth_call', ['0x'], /argument 0 \(call\): must be an object/],
    ['eth_call', [{ gas: '0x0f' }], /argument 0 \(call\): gas must be a quantity/],
    ['eth_call', [{ data: '0xf' }], /argument 0 \(call\): data must be byte data/],
    ['eth_call', [{ to: 'bob' }], /argument 0 \(call\): to must be an address/],
    ['eth_call', [{ TO: account }], /argument 0 \(call\): has no member "TO". Did you mean to\?/],
    ['eth_call', [{ to: account }, { blockNumber: '0x1', Hash: aHash }], /argument 1 \(block\)/],
    ['eth_getLogs', [{ ADDRESS: account }], /argument 0 \(filter\): has no member "ADDRESS". Did you mean address\?/],
    ['eth_getLogs', [{ limit: 5 }], /argument 0 \(filter\): has no member "limit"/],
    ['eth_getLogs', [{ topics: ['0x1'] }], /argument 0 \(filter\): topics/],
    ['eth_getLogs', [{ blockHash: aHash, toBlock: 'latest' }], /argument 0 \(filter\): blockHash cannot be combined/],
    ['eth_getTransactionByBlockHashAndIndex', [aHash, '1'], /argument 1 \(index\)/],
  ];
  for (const [method, params, message] of invalidCalls)
    it(`rejects ${method} with the parameters ${JSON.stringify(params).slice(0, 50)} and names the invalid one`, async () => {
      const { real, asked } = fakeNode();
      const [{ error }] = await answerCalls([call(method, 1, params)], real);
      assert.equal(error.code, -32_602);
      assert.match(error.message, message);
      assert.deepEqual(asked, []);
    });

  for (const [method, params] of Object.entries({
    getBalance: [account],
    getCode: [account],
    getTransactionCount: [account],
    getStorageAt: [account, '0x0'],
  }))
    it(`adds "latest" to the parameters when ${method} names no block`, async () => {
      const { real, asked } = fakeNode();
      for (const given of [params, [...params, null], [...params, 'latest']])
        await answerCalls([call(`evm_${method}`, 1, given)], real);
      const forwarded = { method: `eth_${method}`, params: [...params, 'latest'] };
      assert.deepEqual(asked, [forwarded, forwarded, forwarded]);
      const { methods } = openRpc('1.0.0') as { methods: { name: string; params: Described[] }[] };
      const described = methods.find(({ name }) => name === `evm_${method}`)?.params.at(-1);
      assert.deepEqual([described?.required, described?.schema.default], [false, 'latest']);
    });

  it('offers the controls of the development chain on that chain only', async () => {
    for (const [method, params] of Object.entries(development)) {
      const { asked, real, development: dev } = fakeNode();
      await answerCalls([call(method, 1, params)], dev);
      assert.deepEqual(asked, [{ method, params }]);
      const [{ error }] = await answerCalls([call(method, 1, params)], real);
      assert.equal(error.message, `${unavailable(method)}: only the development chain has it`);
    }
  });
  it('describes every method in its OpenRPC document', () => {
    const { openrpc, methods } = openRpc('1.0.0') as {
      openrpc: string;
      methods: { name: string; params: { required: boolean }[] }[];
    };
    assert.match(openrpc, /^1\./);
    const described = methods.map(({ name }) => name);
    for (const name of [...specified.split(' '), ...overSockets.split(' ')]) assert(described.includes(name), name);
    assert.equal(new Set(described).size, described.length);
    for (const { name, params } of methods) {
      const optional = params.findIndex(({ required }) => !required);
      assert(optional < 0 || params.slice(optional).every(({ required }) => !required), name);
    }
  });
});
