import assert from 'node:assert/strict';
import { endpoints } from '../../../interfaces/operations/index.js';
import { methodNotFound, startAnsweringNode, throwRpcError } from '../../support/chains/answering-node.js';
import { addressOf, digestOf } from '../../support/chains/evm-chain.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { checkAnswer, type Records, useRecordedRollup } from '../../support/gateway/recorded-queries.js';
import { hashOf, otherTraces, recordedAnswers, transactionOf } from '../../support/gateway/recorded-rollup.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, startService } from '../../support/service/service.js';

type Content = { content: Record<string, { example?: object }> };

const unknown = { transaction_hash: digestOf('unknown') };

describe('the query API on nodes with limited capabilities', () => {
  const { ask, refused, node, service } = useRecordedRollup();

  describe('asked for internal transactions', () => {
    const request = { transaction_hash: hashOf('one with tokens') };
    const internalCalls = async () => {
      const { internal_transactions } = await ask('ListInternalTransactions', request);
      return (internal_transactions as Records).map(
        ({ trace_index, call_type, to, value, output }) => `${trace_index} ${call_type} ${to} ${value} ${output}`,
      );
    };
    const expected = [
      `0 DELEGATECALL ${addressOf('one')} 0x0 0x`,
      `1 CALL ${addressOf('two')} 0x2386f26fc10000 0x01`,
      `2 STATICCALL ${addressOf('three')} 0x0 0x08c379a0`,
      '3 CREATE2  0x0 0x',
      `4 SELFDESTRUCT ${addressOf('sender')} 0x5 0x`,
    ];

    it('shows each call before the calls it made, without the transaction itself', async () => {
      assert.deepEqual(await internalCalls(), expected);
      const { internal_transactions } = await ask('ListInternalTransactions', request);
      const errors = (internal_transactions as Records).map(({ error }) => error);
      assert.deepEqual(errors, ['', '', 'execution reverted', 'out of gas', '']);
      const { gas, gas_used, from, transaction_hash } = (internal_transactions as Records)[1] ?? {};
      assert.deepEqual(
        [gas, gas_used, from, transaction_hash],
        [30000, 21000, addressOf('contract'), hashOf('one with tokens')],
      );
    });

    const unable: Readonly<Record<string, () => unknown>> = {
      'lacks debug_traceTransaction': methodNotFound,
      'does not know the call tracer': () => ({ gas: 1, failed: false, structLogs: [] }),
      'says that debug_traceTransaction is off': () =>
        throwRpcError(-32000, 'debug_traceTransaction is not enabled on this node'),
    };
    for (const [what, answer] of Object.entries(unable))
      it(`uses trace_transaction of a node that ${what}`, async () => {
        Object.assign(node().answers, { debug_traceTransaction: answer, trace_transaction: otherTraces });
        assert.deepEqual(
          await internalCalls(),
          expected.map((line) => line.replace('0x08c379a0', '0x')),
        );
      });

    it('names the reason when no node can trace', async () => {
      Object.assign(node().answers, { debug_traceTransaction: methodNotFound });
      await refused('ListInternalTransactions', request, 503, 'UNAVAILABLE', /can trace.*does not exist/);
      Object.assign(node().answers, { debug_traceTransaction: () => throwRpcError(-32000, 'missing trie node 1234') });
      await refused('ListInternalTransactions', request, 503, 'UNAVAILABLE', /missing trie node/);
    });

    it('answers NODE_ERROR when tracing fails, and NOT_FOUND for an unknown transaction', async () => {
      Object.assign(node().answers, { debug_traceTransaction: () => throwRpcError(-32000, 'execution timeout') });
      await refused('ListInternalTransactions', request, 502, 'NODE_ERROR', /execution timeout/);
      await refused('ListInternalTransactions', unknown, 404, 'NOT_FOUND');
    });
  });

  it('answers NOT_FOUND for unknown blocks and transactions, and for transactions outside a block', async () => {
    await refused('GetBlock', { block_number: 201 }, 404, 'NOT_FOUND', /Block not found: 201/);
    for (const name of ['GetTransaction', 'GetTransactionReceipt', 'ListLogs', 'GetPendingTransaction'])
      await refused(name, unknown, 404, 'NOT_FOUND', /transaction/);
    node().answers.eth_getBlockByNumber = () => throwRpcError(-32000, 'header not found');
    await refused('GetBlock', { block_number: 190 }, 404, 'NOT_FOUND');
    const waiting = {
      ...transactionOf('a legacy transfer'),
      blockNumber: null,
      hash: unknown.transaction_hash,
    };
    node().answers.eth_getTransactionByHash = () => waiting;
    await refused('GetTransaction', unknown, 404, 'NOT_FOUND');
    assert.deepEqual(
      (await ask('ListTransactions', { transaction_hashes: [unknown.transaction_hash] })).transactions,
      [],
    );
  });

  it('answers NODE_ERROR when the node fails or gives an invalid answer', async () => {
    const failing: readonly (() => unknown)[] = [
      () => throwRpcError(-32603, 'internal error'),
      () => ({ hash: digestOf('recorded block 199'), number: '0xc7', gasLimit: 'plenty' }),
      () => 7,
    ];
    for (const answer of failing) {
      node().answers.eth_getBlockByNumber = answer;
      await refused('GetBlock', { block_number: 199 }, 502, 'NODE_ERROR');
    }
  });

  const bad: readonly [string, unknown][] = [
    ['GetBlock', {}],
    ['GetBlock', { block_number: -1 }],
    ['GetBlock', { block_number: '5' }],
    ['GetBlock', { block_number: 1.5 }],
    ['GetTransaction', { transaction_hash: '0x12' }],
    ['GetTransaction', { transaction_hash: `0x${'g'.repeat(64)}` }],
    ['GetPendingTransaction', { transaction_hash: 'latest' }],
    ['ListTransactions', { transaction_hashes: ['0x'] }],
    ['ListPendingTransactions', {}],
    ['ListPendingTransactions', { from: 'somebody' }],
    ['ListPendingTransactions', { from: addressOf('sender'), nonce: -1 }],
  ];
  for (const [name, request] of bad)
    it(`rejects ${name} with ${JSON.stringify(request)}`, () => refused(name, request, 400, 'INVALID_ARGUMENT'));

  it('asks the node once for a block that many callers want, and never again once it cannot change', async () => {
    const isForIt = ({ params }: { readonly params: readonly unknown[] }) => params[0] === '0x64';
    const askedFor = () => node().asked.filter(isForIt).length;
    const open = node().hold(isForIt);
    const clients = Array.from({ length: 40 }, () => ask('GetBlock', { block_number: 100 }));
    await eventually(async () => assert.equal(askedFor(), 1)).finally(open);
    const answers = await Promise.all(clients);
    for (const { block } of answers) assert.equal((block as Records[0])?.block_number, 100);
    await Promise.all(clients.map(() => ask('GetBlock', { block_number: 100 })));
    assert.equal(askedFor(), 1);
  });

  it('requests a hundred transactions in one batch, and one by one where a node rejects batches', async () => {
    const names = ['one with tokens', 'a legacy transfer', 'a creation'];
    const hashes = [...names.map(hashOf), ...Array.from({ length: 97 }, (_, i) => digestOf(`batch ${i}`))];
    // Smaller batches are health checks of the node.
    const large = () => node().batches.filter((size) => size >= hashes.length - names.length);
    const before = large().length;
    const listed = async () => (await ask('ListTransactions', { transaction_hashes: hashes })).transactions as Records;
    const found = await listed();
    assert.deepEqual(
      found.map(({ transaction_hash }) => transaction_hash),
      names.map(hashOf),
    );
    assert.equal(large().length, before + 1);
    node().options.takesBatches = false;
    assert.deepEqual(await listed(), found);
    assert.deepEqual(await listed(), found);
    assert.deepEqual(large().slice(before + 1), [hashes.length - names.length]);
    node().options.takesBatches = true;
  });

  it('asks the node again for a block that may change', async () => {
    const before = node().asked.length;
    await ask('GetBlock', { block_number: 198 });
    await ask('GetBlock', { block_number: 198 });
    const askedFor = node()
      .asked.slice(before)
      .filter(({ params }) => params[0] === '0xc6');
    assert.ok(askedFor.length >= 2, `asked ${askedFor.length} times`);
  });

  it('is documented with an example and the errors of every operation', async () => {
    const document = (await (await fetch(`${service().url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: Record<string, Content>; requestBody: Content } }>;
    };
    const ours = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/q/'));
    assert.equal(ours.length, 8);
    for (const [path, { post }] of ours) {
      assert.ok(Object.keys(post.requestBody.content['application/json']?.example ?? {}).length > 0, path);
      checkAnswer(path.slice('/v1/q/'.length), post.responses[200]?.content['application/json']?.example ?? {});
      for (const status of ['400', '404', '429', '502', '503'])
        assert.ok(status in post.responses, `${path} ${status}`);
    }
  });

  it('names CHAIN_Q_URL when the chain is not configured', async () => {
    const off = await startService({ on: embedded });
    for (const { path, example } of endpoints.filter(({ variant }) => variant.surface === 'query')) {
      const answer = await call(off.url, demoOf(off.home), path, example);
      assert.equal(answer.status, 503, path);
      assert.match(problemIn(answer).detail, /CHAIN_Q_URL/);
    }
    await off.stop();
  });

  it('answers NODE_ERROR when the node is unreachable', async () => {
    const gone = await startAnsweringNode(recordedAnswers());
    const lonely = await startService({ on: embedded, env: { CHAIN_Q_URL: gone.url } });
    await gone.close();
    const answer = await call(lonely.url, demoOf(lonely.home), '/v1/q/GetBlock', { block_number: 1 });
    assert.equal(answer.status, 502);
    assert.equal(problemIn(answer).code, 'NODE_ERROR');
    await lonely.stop();
  });
});
