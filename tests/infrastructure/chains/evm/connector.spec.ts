import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Chain, Interest } from '../../../../application/ports/chain.js';
import type { Log } from '../../../../application/ports/system.js';
import { Failure } from '../../../../domain/failure.js';
import { type EvmOptions, evmChain } from '../../../../infrastructure/chains/evm/connector.js';
import { throwRpcError } from '../../../support/chains/answering-node.js';
import { addressOf, createEvmChain } from '../../../support/chains/evm-chain.js';
import type { EvmFaults } from '../../../support/chains/evm-faults.js';
import { type EvmNode, startEvmNode } from '../../../support/chains/evm-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const [anna, bert, token, vault] = ['anna', 'bert', 'token', 'vault'].map(addressOf) as [
  string,
  string,
  string,
  string,
];
const everything: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
const erc20 = { standard: 'erc20', contract: token } as const;

/** Short deadlines, so that nodes that never return a valid answer fail soon. */
const quick: EvmOptions = { deadlineMs: 400, timeoutMs: 120, maxBytes: 1_000_000 };
/** Timeouts longer than any stall of the process, for tests in which at least one node answers. */
const patient: EvmOptions = { ...quick, deadlineMs: 60_000, timeoutMs: 2000 };

const is =
  (code: Failure['code'], text = /./) =>
  (error: unknown) => {
    assert(error instanceof Failure, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
  };

describe('the EVM connector', () => {
  const open: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  const node = async (chain = createEvmChain()) => keep(await startEvmNode({ chain }));
  const connect = async (urls: readonly string[], options: EvmOptions = patient, log: Log = silent) =>
    keep(await evmChain(urls, log, options));
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  /** Starts two nodes of a chain whose second block has native, token and internal transfers. */
  const twoNodes = async () => {
    const chain = createEvmChain();
    chain.deploy(token, { standard: 'erc20' });
    const [bad, good] = [await node(chain), await node(chain)];
    chain.mine();
    const block = chain.mine([
      { from: anna, to: bert, value: 5n },
      { from: anna, to: token, tokens: [{ asset: erc20, from: anna, to: bert, value: 7n }] },
      { from: bert, to: vault, internal: [{ from: vault, to: anna, value: 9n }] },
    ]);
    return { chain, bad, good, block };
  };

  const readsEverything = async (chain: Chain, { chain: scripted, block }: Awaited<ReturnType<typeof twoNodes>>) => {
    // Repeats the request, because the connector does not wait for the good node if it is much slower than the bad one.
    const head = await eventually(async () => {
      const found = await chain.head();
      assert.equal(found.hash, block.hash);
      return found;
    });
    assert.equal((await chain.headerAt(1))?.hash, scripted.at(1)?.hash);
    assert.equal((await chain.headerOf(block.hash))?.number, 2);
    const read = await chain.block(block.hash, everything);
    assert.deepEqual(
      read?.movements.map(({ index, value }) => [index, value]),
      [
        ['native', '5'],
        ['log:0', '7'],
        ['trace:1', '9'],
      ],
    );
    const balances = await chain.balances([{ address: bert, asset: erc20 }], head);
    assert.deepEqual(balances, [scripted.balance(bert, erc20).toString()]);
    assert.equal(await chain.finalized(), 0);
  };

  describe('with one bad and one good node', () => {
    const faults: Readonly<Record<string, (bad: EvmNode) => Partial<EvmFaults>>> = {
      'lags behind': () => ({ lag: 1 }),
      'lags far behind': () => ({ lag: 2 }),
      'loses blocks': () => ({ losesBlocks: true }),
      'has receipts of another block': () => ({ wrongReceiptHash: true }),
      'lacks a receipt': () => ({ missingReceipt: true }),
      'has no receipts yet': () => ({ noReceiptsYet: true }),
      'lost the logs': () => ({ droppedLogs: true }),
      'mixes up transactions': () => ({ wrongTransactionHash: true }),
      'answers with another block': () => ({ otherBlock: true }),
      'answers with a number of 100,000 digits': () => ({ malformedHeader: true }),
      'answers 429': () => ({ status: 429 }),
      'answers 500': () => ({ status: 500 }),
      'answers 503': () => ({ status: 503 }),
      'answers 401': () => ({ status: 401 }),
      'answers with garbage': () => ({ garbage: true }),
      'never answers': () => ({ hang: true }),
      'answers other questions': () => ({ wrongId: true }),
      'answers with too much': () => ({ hugeBytes: 2_000_000 }),
      'limits the rate in its own words': () => ({ error: { code: -32005, message: 'limit exceeded' } }),
      'fails inside': () => ({ error: { code: -32603, message: 'internal error' } }),
      'refuses everything': () => ({ error: { code: -32602, message: 'invalid params' } }),
      'gives receipts only one by one': () => ({ noBlockReceipts: true }),
      'cannot trace': () => ({ noTraces: true }),
      'fails to trace': () => ({ failingTraces: true }),
      'traces only some': () => ({ shortTraces: true }),
      'takes no block hashes for state': () => ({ noStateByHash: true }),
      'ignores block hashes for state': () => ({ ignoresStateHash: true }),
      'takes no batches': () => ({ noBatches: true }),
      'does not know what is final': () => ({ noFinalized: true }),
    };
    const transports = { HTTP: 'url', WebSocket: 'wsUrl' } as const;
    for (const [transport, url] of Object.entries(transports))
      for (const [name, faultsOf] of Object.entries(faults))
        it(`reads the correct chain over ${transport} when the bad one ${name}`, async () => {
          const nodes = await twoNodes();
          Object.assign(nodes.bad.faults, faultsOf(nodes.bad));
          const chain = await connect([nodes.bad[url], nodes.good[url]]);
          await readsEverything(chain, nodes);
        });

    it('reads the correct chain when the bad one is down', async () => {
      const nodes = await twoNodes();
      await nodes.bad.close();
      await readsEverything(await connect([nodes.bad.url, nodes.bad.wsUrl, nodes.good.url]), nodes);
    });
    it('ignores a node of another chain', async () => {
      const nodes = await twoNodes();
      const other = createEvmChain('other');
      for (let i = 0; i < 9; i++) other.mine();
      const stranger = await node(other);
      const chain = await connect([nodes.good.url, stranger.url]);
      assert.equal((await chain.genesis()).hash, nodes.chain.at(0)?.hash);
      await readsEverything(chain, nodes);
      await readsEverything(chain, nodes);
      assert.equal(await chain.headerOf(other.head().hash), null);
    });
    it('does not report a block as missing while the good node fails once', async () => {
      const { bad, good, block } = await twoNodes();
      bad.faults.lag = 1;
      const chain = await connect([bad.url, good.url]);
      await chain.head();
      let stumbles = 1;
      good.onAsked = () => {
        if (stumbles-- > 0) throwRpcError(-32005, 'limit exceeded');
      };
      assert.equal((await chain.headerOf(block.hash))?.hash, block.hash);
    });
    it('uses a node again after it has recovered', async () => {
      const { bad, good, block } = await twoNodes();
      bad.faults.status = 500;
      const chain = await connect([bad.url, good.url]);
      await chain.headerOf(block.hash);
      bad.heal();
      good.faults.status = 500;
      assert.equal((await chain.headerOf(block.hash))?.hash, block.hash);
    });
  });

  describe('with only bad nodes', () => {
    const rejections: Readonly<Record<string, [Partial<EvmFaults>, Failure['code']]>> = {
      'answers 429': [{ status: 429 }, 'NODE_ERROR'],
      'answers 500': [{ status: 500 }, 'NODE_ERROR'],
      'answers with garbage': [{ garbage: true }, 'NODE_ERROR'],
      'never answers': [{ hang: true }, 'NODE_ERROR'],
      'answers with too much': [{ hugeBytes: 2_000_000 }, 'NODE_ERROR'],
      'refuses everything': [{ error: { code: -32602, message: 'invalid params' } }, 'NODE_ERROR'],
      'has receipts of another block': [{ wrongReceiptHash: true }, 'NODE_ERROR'],
      'lacks a receipt': [{ missingReceipt: true }, 'NODE_ERROR'],
      'lost the logs': [{ droppedLogs: true }, 'NODE_ERROR'],
      'mixes up transactions': [{ wrongTransactionHash: true }, 'NODE_ERROR'],
      'answers with another block': [{ otherBlock: true }, 'NODE_ERROR'],
      'answers with a malformed header': [{ malformedHeader: true }, 'NODE_ERROR'],
      'traces only some': [{ shortTraces: true }, 'NODE_ERROR'],
      'fails to trace': [{ failingTraces: true }, 'NODE_ERROR'],
    };
    for (const [name, [faults, code]] of Object.entries(rejections))
      it(`returns no block when each ${name}`, async () => {
        const { bad, good, block } = await twoNodes();
        const chain = await connect([bad.url, good.wsUrl], quick);
        for (const one of [bad, good]) Object.assign(one.faults, faults);
        await assert.rejects(() => chain.block(block.hash, everything), is(code));
      });

    it('starts without reachable nodes and reports this on each call', async () => {
      const nothing = createServer().listen(0, '127.0.0.1');
      await once(nothing, 'listening');
      const { port } = nothing.address() as { port: number };
      nothing.close();
      const chain = await connect([`evm+http://127.0.0.1:${port}`, `evm+ws://127.0.0.1:${port}`], quick);
      for (const ask of [chain.head, chain.genesis, chain.finalized, () => chain.headerAt(1)])
        await assert.rejects(ask, is('NODE_ERROR', /127\.0\.0\.1/));
    });
    it('rejects when a node accepts connections and never answers', async () => {
      const mute = createServer().listen(0, '127.0.0.1');
      await once(mute, 'listening');
      keep({ close: async () => void mute.close() });
      const { port } = mute.address() as { port: number };
      const chain = await connect([`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}`], quick);
      await assert.rejects(chain.head, is('NODE_ERROR'));
    });
    it('works again when a node recovers', async () => {
      const one = await node();
      const chain = await connect([one.url], quick);
      one.faults.status = 503;
      await assert.rejects(chain.head, is('NODE_ERROR'));
      one.heal();
      assert.equal((await eventually(chain.head)).number, 0);
    });
    it('rejects calls once it is closed', async () => {
      const one = await node();
      const chain = await connect([one.url, one.wsUrl]);
      await chain.close();
      await assert.rejects(chain.head, is('NODE_ERROR'));
    });
  });

  it('shows only the host of a URL', async () => {
    const one = await node();
    const secret = 'SECRET0123456789';
    one.faults.error = { code: -32602, message: `project ${secret} is over` };
    const logged: string[] = [];
    const record = (facts: object, message: string) => void logged.push(JSON.stringify([facts, message]));
    const urls = [`${one.url}/v3/${secret}?key=${secret}2`, `${one.wsUrl}/${secret}`];
    const log = { info: record, warn: record, error: record };
    const refused = await connect(urls, { ...quick, deadlineMs: 5000, timeoutMs: 5000 }, log);
    await assert.rejects(refused.head, (error: Failure) => {
      logged.push(error.message, error.stack ?? '');
      return is('NODE_ERROR', /is over/)(error);
    });
    one.faults.status = 500;
    const failing = await connect(urls, quick, log);
    await assert.rejects(failing.head, (error: Failure) => logged.push(error.message) > 0);
    assert(!logged.join().includes(secret), logged.join('\n'));
    await assert.rejects(evmChain([`ftp://${secret}`], silent), is('INVALID_ARGUMENT', /^(?!.*SECRET)/));
  });
});
