import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NodeTimeout } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import { readMessage } from '../../../interfaces/gateway/json-rpc.js';
import {
  account,
  aHash,
  answerCalls,
  answerText,
  call,
  errorReply,
  fakeNode,
  methodNotFoundReply,
  paramsFor,
  type RpcAnswer,
  rejecting,
  reply,
} from '../../support/gateway/json-rpc.js';

describe('a JSON-RPC call', () => {
  const ids = [
    '1',
    '"a"',
    '""',
    '0',
    '-7',
    '1.0',
    '1e3',
    '1E+3',
    '-0',
    '1.50',
    '9007199254740993',
    'null',
    '"\\u0041"',
    '"🦊"',
    '"\\\\"',
    '"a\\"b"',
  ];
  for (const id of ids)
    it(`is answered under exactly the id ${id}`, async () => {
      const { real } = fakeNode();
      const asking = (method: string, rest = '') => `{"method":"${method}", "id" : ${id} ,"jsonrpc":"2.0"${rest}}`;
      const under = (rest: string) => `{"jsonrpc":"2.0","id":${id},${rest}}`;
      assert.equal(await answerText(asking('net_version'), real), under('"result":["net_version",[]]'));
      const refused = under('"error":{"code":-32601,"message":"the method no_such does not exist/is not available"}');
      assert.equal(await answerText(asking('no_such', ',"params":[{"id":5}]'), real), refused);
      const down = rejecting(new Failure('UNAVAILABLE', 'no node'));
      const failed = under('"error":{"code":-32002,"message":"no node"}');
      assert.equal(await answerText(`[${asking('net_version')}]`, down), `[${failed}]`);
    });
  it('is answered under its id, whatever the order of its members', async () => {
    const value = fc.oneof(fc.json({ maxDepth: 3 }), fc.constantFrom('{"id":1}', '"id"', '[["id",{"id":null}]]'));
    const scalar = fc.oneof(
      fc.integer().map(String),
      fc.string().map((one) => JSON.stringify(one)),
      fc.constant('null'),
    );
    const request = fc
      .tuple(scalar, value, fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }))
      .map(([id, extra, order]) => {
        const members = [`"id":${id}`, '"jsonrpc":"2.0"', '"method":"net_version"', `"x":${extra}`];
        return { id, text: `{${order.map((i) => members[i]).join(',')}}` };
      });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 5 }), async (requests) => {
        const answer = await answerText(`[${requests.map(({ text }) => text).join(' , ')}]`, fakeNode().real);
        const expected = requests.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":["net_version",[]]}`);
        assert.equal(answer, `[${expected.join(',')}]`);
      }),
    );
  });
  it('is answered under its last id, even when the name of the member is escaped', async () => {
    const { real } = fakeNode();
    const twice = '{"id":1,"jsonrpc":"2.0","method":"net_version","id":2.0}';
    assert.equal(await answerText(twice, real), '{"jsonrpc":"2.0","id":2.0,"result":["net_version",[]]}');
    const escaped = '{"\\u0069d":3,"jsonrpc":"2.0","method":"net_version"}';
    assert.equal(await answerText(escaped, real), '{"jsonrpc":"2.0","id":3,"result":["net_version",[]]}');
  });
  for (const id of [true, false, {}, [1]])
    it(`is rejected under the id null when its id is ${JSON.stringify(id)}`, async () => {
      const { real, asked } = fakeNode();
      const refused = errorReply(null, -32_600, 'id must be a string, a number or null');
      assert.deepEqual(await answerCalls([call('net_version', id)], real), [refused]);
      assert.deepEqual(asked, []);
    });

  it('passes its parameters on unchanged, or an empty list if it has none', async () => {
    const { real, asked } = fakeNode();
    const params = [{ to: null, data: '0x', accessList: [{ address: account, storageKeys: [] }] }, 'latest', {}];
    await answerCalls(
      [call('evm_call', 1, params), call('net_version', 3, null), { jsonrpc: '2.0', id: 2, method: 'eth_chainId' }],
      real,
    );
    assert.deepEqual(asked, [
      { method: 'eth_call', params },
      { method: 'net_version', params: [] },
      { method: 'eth_chainId', params: [] },
    ]);
  });
  it('passes the member blockhash of a filter on as blockHash', async () => {
    const { real, asked } = fakeNode();
    await answerCalls([call('evm_getLogs', 1, [{ blockhash: aHash, topics: [null] }])], real);
    assert.deepEqual(asked, [{ method: 'eth_getLogs', params: [{ blockHash: aHash, topics: [null] }] }]);
  });
  for (const params of ['0xab', 1, true, {}, { address: account }])
    it(`is rejected when its parameters are not a list: ${JSON.stringify(params)}`, async () => {
      const { real, asked } = fakeNode();
      const refused = errorReply(1, -32_602, 'non-array args: params must be an array');
      assert.deepEqual(await answerCalls([call('net_version', 1, params)], real), [refused]);
      assert.deepEqual(asked, []);
    });

  for (const value of [null, 1, 'net_version', true, [], [call('net_version')]])
    it(`is rejected when it is not an object: ${JSON.stringify(value)}`, async () => {
      const refused = errorReply(null, -32_600, 'a request must be an object');
      assert.deepEqual(await answerCalls([value], fakeNode().real), [refused]);
    });
  it('is rejected without a version or a method, under its id if it has one', async () => {
    const refused = (id: unknown) => errorReply(id, -32_600, 'jsonrpc must be "2.0" and method a string');
    const wrongs = [
      { id: 1, method: 'net_version' },
      { jsonrpc: '1.0', id: 'x', method: 'net_version' },
      { jsonrpc: 2, id: null, method: 'net_version' },
      { jsonrpc: '2.0', id: 4 },
      { jsonrpc: '2.0', id: 5, method: 7 },
      {},
    ];
    assert.deepEqual(await answerCalls(wrongs, fakeNode().real), [1, 'x', null, 4, 5, null].map(refused));
  });

  it("returns the node's answer, even null, false or an error", async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const answers: Record<string, RpcAnswer> = {
      eth_getBlockByHash: { result: null },
      eth_syncing: { result: false },
      eth_call: { error },
    };
    const { real } = fakeNode(({ method }) => answers[method] ?? assert.fail(method));
    const calls = Object.keys(answers).map((method, i) => call(method, i, paramsFor(method)));
    assert.deepEqual(await answerCalls(calls, real), [
      reply(0, { result: null }),
      reply(1, { result: false }),
      reply(2, { error }),
    ]);
  });
});

describe('a JSON-RPC notification', () => {
  const notice = (method: string) => ({ jsonrpc: '2.0', method, params: paramsFor(method) });

  it('reaches the node and gets no answer', async () => {
    const { real, asked } = fakeNode();
    assert.deepEqual(await answerCalls([notice('evm_sendRawTransaction')], real), []);
    assert.deepEqual(asked, [{ method: 'eth_sendRawTransaction', params: ['0xab'] }]);
  });
  it('gets no answer even with an unknown method, invalid parameters or no node', async () => {
    const down = rejecting(new Failure('UNAVAILABLE', 'no node'));
    assert.deepEqual(
      await answerCalls([notice('no_such'), { ...notice('eth_getCode'), params: {} }], fakeNode().real),
      [],
    );
    assert.deepEqual(await answerCalls([notice('net_version')], down), []);
  });
  it('is distinguished from a call with the id null', async () => {
    const found = await answerCalls([notice('net_version'), call('net_version', null)], fakeNode().real);
    assert.deepEqual(found, [reply(null, { result: ['net_version', []] })]);
  });
});

describe('a JSON-RPC message', () => {
  const unreadable = [
    { kind: 'no text', text: '', status: 400, code: -32_700 },
    { kind: 'half a request', text: '{"jsonrpc":', status: 400, code: -32_700 },
    { kind: 'text that is not JSON', text: 'hello', status: 400, code: -32_700 },
    { kind: 'an empty batch', text: ' [ ]', status: 400, code: -32_600 },
    {
      kind: 'a batch of 101',
      text: `[${Array.from({ length: 101 }, () => '1').join(',')}]`,
      status: 400,
      code: -32_600,
    },
    { kind: '200,000 levels', text: `{"id":${'['.repeat(200_000)}`, status: 200, code: -32_600 },
    { kind: '350,000 empty objects', text: `[${'{},'.repeat(350_000)}1]`, status: 200, code: -32_600 },
    { kind: 'a number of a million digits', text: `{"id":${'9'.repeat(1_000_000)}}`, status: 200, code: -32_600 },
  ];
  for (const { kind, text, status, code } of unreadable)
    it(`is rejected as a whole: ${kind}`, () => {
      const read = readMessage(text);
      assert('status' in read);
      assert.deepEqual([read.status, read.code], [status, code]);
    });

  it('is answered call by call, in order', async () => {
    const { real, asked } = fakeNode(({ method }) =>
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
      methodNotFoundReply(2, 'evm_accounts'),
      errorReply(null, -32_600, 'a request must be an object'),
      reply('same', { error: { code: 3, message: 'reverted' } }),
      errorReply(5, -32_602, 'non-array args: params must be an array'),
      reply(null, { result: 'net_version' }),
      errorReply(6, -32_600, 'jsonrpc must be "2.0" and method a string'),
      reply(7, { result: 'net_peerCount' }),
    ]);
    const methods = asked.map(({ method }) => method);
    assert.deepEqual(methods, ['eth_blockNumber', 'eth_call', 'net_listening', 'net_version', 'net_peerCount']);
  });

  const failures: Record<string, [Error, number, string]> = {
    'cannot be reached': [new Failure('UNAVAILABLE', 'no node answers'), -32_002, 'no node answers'],
    'does not answer': [new NodeTimeout(), -32_015, 'no node of this chain answered in time'],
    'answers nonsense': [new Failure('NODE_ERROR', 'left a call out'), -32_603, 'left a call out'],
    'throws an unexpected error': [new TypeError('secret https://node/key'), -32_603, 'internal error'],
  };
  for (const [fault, [error, code, message]] of Object.entries(failures))
    it(`fails call by call when the node ${fault}, and still rejects invalid calls`, async () => {
      const found = await answerCalls(
        [call('eth_chainId', 1), call('no_such', 2), { jsonrpc: '2.0', method: 'net_version' }, call('net_version', 3)],
        rejecting(error),
      );
      assert.deepEqual(found, [
        errorReply(1, code, message),
        methodNotFoundReply(2, 'no_such'),
        errorReply(3, code, message),
      ]);
    });
});
