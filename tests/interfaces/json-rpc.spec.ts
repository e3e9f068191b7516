import assert from 'node:assert/strict';
import type { Node, RpcAnswer } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { answerCalls } from '../../interfaces/gateway/json-rpc.js';

type Asked = { readonly method: string; readonly params: unknown };

/** Answers each call with its own name and parameters, unless told otherwise. */
const fakeNode = (answer: (asked: Asked) => RpcAnswer = ({ method, params }) => ({ result: [method, params] })) => {
  const batches: Asked[][] = [];
  const node = (isDevelopment: boolean): Node => ({
    isDevelopment,
    call: async (calls) => {
      batches.push(calls.map(({ method, params }) => ({ method, params })));
      return calls.map(answer);
    },
    close: async () => undefined,
  });
  return { batches, real: node(false), development: node(true) };
};
const rejecting = (error: Error): Node => ({ ...fakeNode().real, call: () => Promise.reject(error) });

const call = (method: string, id: unknown = 1, params: unknown = []) => ({ jsonrpc: '2.0', id, method, params });
const reply = (id: unknown, answer: RpcAnswer) => ({ jsonrpc: '2.0', id, ...answer });
const refusal = (id: unknown, code: number, message: string) => reply(id, { error: { code, message } });
const noMethod = (id: unknown, method: string) => refusal(id, -32_601, `the method ${method} does not exist here`);

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
const development = ['dev_mine', 'dev_reorg', 'dev_transfer', 'dev_deployToken'];

describe('JSON-RPC calls', () => {
  const ids = ['a', '', '1', 0, 1, -7, 1.5, 2 ** 53, null, '\u{1f98a}'];
  for (const id of ids)
    it(`are answered under their id: ${JSON.stringify(id)}`, async () => {
      const { real } = fakeNode();
      assert.deepEqual(await answerCalls([call('net_version', id)], real), [
        reply(id, { result: ['net_version', []] }),
      ]);
      assert.deepEqual(await answerCalls([call('no_such', id)], real), [noMethod(id, 'no_such')]);
      const failed = refusal(id, -32_002, 'no node');
      assert.deepEqual(await answerCalls([call('net_version', id)], rejecting(new Failure('UNAVAILABLE', 'no node'))), [
        failed,
      ]);
    });
  for (const id of [true, false, {}, [1]])
    it(`are refused under an id that is none: ${JSON.stringify(id)}`, async () => {
      const { real, batches } = fakeNode();
      const refused = refusal(null, -32_600, 'an id is a string, a number or null');
      assert.deepEqual(await answerCalls([call('net_version', id)], real), [refused]);
      assert.deepEqual(batches, []);
    });

  it('pass their parameters on as they are, and none as an empty list', async () => {
    const { real, batches } = fakeNode();
    const params = ['0xab', { to: null, data: '0x', deep: [[1.5, 'é']] }, true];
    await answerCalls([call('eth_call', 1, params), { jsonrpc: '2.0', id: 2, method: 'eth_chainId' }], real);
    assert.deepEqual(batches, [
      [
        { method: 'eth_call', params },
        { method: 'eth_chainId', params: [] },
      ],
    ]);
  });
  for (const params of ['0xab', 1, true, null])
    it(`are refused with parameters that are no list: ${JSON.stringify(params)}`, async () => {
      const { real, batches } = fakeNode();
      const refused = refusal(1, -32_602, 'params must be an array');
      assert.deepEqual(await answerCalls([call('net_version', 1, params)], real), [refused]);
      assert.deepEqual(batches, []);
    });

  for (const what of [null, 1, 'net_version', true, [], [call('net_version')]])
    it(`are refused when they are no objects: ${JSON.stringify(what)}`, async () => {
      const refused = refusal(null, -32_600, 'a request is an object');
      assert.deepEqual(await answerCalls([what], fakeNode().real), [refused]);
    });
  it('are refused without version or method, under their id if they have one', async () => {
    const refused = (id: unknown) => refusal(id, -32_600, 'jsonrpc must be "2.0" and method a string');
    const wrong = [
      { id: 1, method: 'net_version' },
      { jsonrpc: '1.0', id: 'x', method: 'net_version' },
      { jsonrpc: 2, id: null, method: 'net_version' },
      { jsonrpc: '2.0', id: 4 },
      { jsonrpc: '2.0', id: 5, method: 7 },
      {},
    ];
    assert.deepEqual(await answerCalls(wrong, fakeNode().real), [1, 'x', null, 4, 5, null].map(refused));
  });

  it('give back what the node says, be it null, false or an error of its own', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const answers: Record<string, RpcAnswer> = {
      eth_getBlockByHash: { result: null },
      eth_syncing: { result: false },
      eth_call: { error },
    };
    const { real } = fakeNode(({ method }) => answers[method] ?? assert.fail(method));
    assert.deepEqual(
      await answerCalls(
        Object.keys(answers).map((method, i) => call(method, i)),
        real,
      ),
      [reply(0, { result: null }), reply(1, { result: false }), reply(2, { error })],
    );
  });
});

describe('JSON-RPC notifications', () => {
  const notice = (method: string) => ({ jsonrpc: '2.0', method, params: ['0xab'] });

  it('reach the node and get no answer', async () => {
    const { real, batches } = fakeNode();
    assert.deepEqual(await answerCalls([notice('evm_sendRawTransaction')], real), []);
    assert.deepEqual(batches, [[{ method: 'eth_sendRawTransaction', params: ['0xab'] }]]);
  });
  it('get no answer either when there is no such method or no node', async () => {
    const down = rejecting(new Failure('UNAVAILABLE', 'no node'));
    assert.deepEqual(await answerCalls([notice('no_such')], fakeNode().real), []);
    assert.deepEqual(await answerCalls([notice('net_version')], down), []);
  });
  it('are told from calls with the id null', async () => {
    const found = await answerCalls([notice('net_version'), call('net_version', null)], fakeNode().real);
    assert.deepEqual(found, [reply(null, { result: ['net_version', []] })]);
  });
});

describe('JSON-RPC batches', () => {
  it('are answered in order, each call for itself, and asked of the node at once', async () => {
    const { real, batches } = fakeNode(({ method }) =>
      method === 'eth_call' ? { error: { code: 3, message: 'reverted' } } : { result: method },
    );
    const found = await answerCalls(
      [
        call('evm_blockNumber', 'same'),
        call('evm_accounts', 2),
        7,
        call('eth_call', 'same', [{}]),
        { jsonrpc: '2.0', method: 'net_listening' },
        call('net_version', 5, 'none'),
        call('net_version', null),
        { id: 6 },
        call('net_peerCount', 7),
      ],
      real,
    );
    assert.deepEqual(found, [
      reply('same', { result: 'eth_blockNumber' }),
      noMethod(2, 'evm_accounts'),
      refusal(null, -32_600, 'a request is an object'),
      reply('same', { error: { code: 3, message: 'reverted' } }),
      refusal(5, -32_602, 'params must be an array'),
      reply(null, { result: 'net_version' }),
      refusal(6, -32_600, 'jsonrpc must be "2.0" and method a string'),
      reply(7, { result: 'net_peerCount' }),
    ]);
    const methods = batches.map((batch) => batch.map(({ method }) => method));
    assert.deepEqual(methods, [['eth_blockNumber', 'eth_call', 'net_listening', 'net_version', 'net_peerCount']]);
  });
  it('do not trouble the node with what it is not asked', async () => {
    const { real, batches } = fakeNode();
    await answerCalls([call('no_such'), 7, call('dev_mine')], real);
    assert.deepEqual(batches, []);
  });

  const failures: Record<string, [Error, number, string]> = {
    'cannot be reached': [new Failure('UNAVAILABLE', 'no node answers'), -32_002, 'no node answers'],
    'answers nonsense': [new Failure('NODE_ERROR', 'left a call out'), -32_603, 'left a call out'],
    'fails in a way nobody thought of': [new TypeError('secret https://node/key'), -32_603, 'an unexpected error'],
  };
  for (const [how, [error, code, message]] of Object.entries(failures))
    it(`fail call by call where the node ${how}, and refuse the rest as ever`, async () => {
      const found = await answerCalls(
        [call('eth_chainId', 1), call('no_such', 2), { jsonrpc: '2.0', method: 'net_version' }, call('net_version', 3)],
        rejecting(error),
      );
      assert.deepEqual(found, [refusal(1, code, message), noMethod(2, 'no_such'), refusal(3, code, message)]);
    });
});

describe('JSON-RPC methods', () => {
  const asked = async (method: string, on: 'real' | 'development' = 'real') => {
    const { batches, ...nodes } = fakeNode();
    const [answer] = await answerCalls([call(method)], nodes[on]);
    return { answer, method: batches[0]?.[0]?.method };
  };

  for (const method of specified.split(' '))
    it(`include ${method}, under the node’s name`, async () => {
      const name = method.replace(/^evm_/, 'eth_');
      assert.equal((await asked(method)).method, name);
      assert.equal((await asked(name)).method, name);
    });
  it('include none that need a socket, an account or an operator, nor what is no name of a method', async () => {
    const odd = ['', 'eth_', 'evm_', 'blockNumber', 'ETH_BLOCKNUMBER', 'eth_blockNumber ', 'toString', '__proto__'];
    for (const method of [...overSockets.split(' '), ...dangerous.split(' '), ...odd])
      for (const on of ['real', 'development'] as const)
        assert.deepEqual(await asked(method, on), { answer: noMethod(1, method), method: undefined });
  });
  for (const method of development)
    it(`include ${method} on the development chain alone`, async () => {
      assert.equal((await asked(method, 'development')).method, method);
      assert.deepEqual(await asked(method), { answer: noMethod(1, method), method: undefined });
    });
});
