import assert from 'node:assert/strict';
import { openRpc } from '../../interfaces/gateway/openrpc.js';
import { account, aHash, answerCalls, call, fakeNode, noMethod, paramsFor } from '../support/json-rpc.js';

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

describe('JSON-RPC methods', () => {
  const asking = async (method: string, on: 'real' | 'development' = 'real') => {
    const { asked, ...nodes } = fakeNode();
    const [answer] = await answerCalls([call(method, 1, paramsFor(method))], nodes[on]);
    return { answer, method: asked[0]?.method };
  };

  for (const method of specified.split(' '))
    it(`include ${method}, under the node’s name`, async () => {
      const name = method.replace(/^evm_/, 'eth_');
      assert.equal((await asking(method)).method, name);
      assert.equal((await asking(name)).method, name);
    });
  it('include none that need a socket, an account or an operator, nor what is no name of a method', async () => {
    const odd = ['', 'eth_', 'evm_', 'blockNumber', 'ETH_BLOCKNUMBER', 'eth_blockNumber ', 'toString', '__proto__'];
    for (const method of [...overSockets.split(' '), ...dangerous.split(' '), ...odd])
      for (const on of ['real', 'development'] as const)
        assert.deepEqual(await asking(method, on), { answer: noMethod(1, method), method: undefined });
  });
  const wrong: readonly [string, readonly unknown[], RegExp][] = [
    ['evm_getBalance', [], /missing value for required argument 0 \(address\)/],
    ['evm_getBalance', [account], /missing value for required argument 1 \(block\)/],
    ['evm_getBalance', [account, null], /missing value for required argument 1 \(block\)/],
    ['evm_getBalance', [account.slice(1), 'latest'], /argument 0 \(address\)/],
    ['evm_getBalance', [account, '0x01'], /argument 1 \(block\).*quantity/],
    ['evm_getBalance', [account, 5], /argument 1 \(block\)/],
    ['evm_getBalance', [account, 'newest'], /argument 1 \(block\)/],
    ['evm_getBalance', [account, 'latest', 1], /too many arguments/],
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
    ['eth_getLogs', [{ topics: ['0x1'] }], /argument 0 \(filter\): topics/],
    ['eth_getLogs', [{ blockHash: aHash, toBlock: 'latest' }], /argument 0 \(filter\): blockHash cannot be combined/],
    ['eth_getTransactionByBlockHashAndIndex', [aHash, '1'], /argument 1 \(index\)/],
  ];
  for (const [method, params, message] of wrong)
    it(`are refused with wrong parameters, naming the argument: ${method} ${JSON.stringify(params).slice(0, 50)}`, async () => {
      const { real, asked } = fakeNode();
      const [{ error }] = await answerCalls([call(method, 1, params)], real);
      assert.equal(error.code, -32_602);
      assert.match(error.message, message);
      assert.deepEqual(asked, []);
    });

  it('include the controls of the development chain there alone', async () => {
    for (const [method, params] of Object.entries(development)) {
      const { asked, real, development: dev } = fakeNode();
      await answerCalls([call(method, 1, params)], dev);
      assert.deepEqual(asked, [{ method, params }]);
      assert.deepEqual(await answerCalls([call(method, 1, params)], real), [noMethod(1, method)]);
    }
  });
  it('are described in the OpenRPC document, every one', () => {
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
