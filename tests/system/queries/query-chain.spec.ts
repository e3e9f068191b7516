import assert from 'node:assert/strict';
import { HDNodeWallet, JsonRpcProvider, Network, type TransactionRequest } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { checkAnswer, type Records } from '../../support/gateway/recorded-queries.js';
import { skip } from '../../support/run/skip.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

type Raw = Readonly<Record<string, string | null | undefined>>;
type Shown = Record<string, unknown>;

const phrase = 'test test test test test test test test test test test junk';
const someone = '0x00000000000000000000000000000000000000aa';
/** Bytecode of a contract that forwards the value it receives, which makes an internal transaction. */
const forwarder = '0x6012600c60003960126000f360006000600060003460aa5af160005500';
const network = Network.from(31337);

for (const engine of engines)
  describe(`the query API of the development chain on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let service: Service;
    let provider: JsonRpcProvider;
    const closing: (() => unknown)[] = [];
    before(async function () {
      // Blocks are mined only on request, so that a transaction stays pending until the test mines it.
      const started = await startDevelopmentEvm({ blockMs: 3_600_000, log: silent });
      if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
      provider = new JsonRpcProvider(chain.url, network, { staticNetwork: network, cacheTimeout: -1 });
      closing.push(() => provider.destroy());
      service = await startService({ on: engine, env: { CHAIN_Q_URL: `${chain.wsUrl},${chain.url}` } });
      closing.push(() => service.stop());
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const accounts = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0");
    const control = async <T>(method: string, ...params: unknown[]) => (await chain.request(method, params)) as T;
    const mine = () => control('dev_mine', 1);
    const answer = (name: string, request: object) => call(service.url, demoOf(service.home), `/v1/q/${name}`, request);
    const ask = async (name: string, request: object) => {
      const found = await answer(name, request);
      assert.equal(found.status, 200, JSON.stringify(found.body));
      checkAnswer(name, found.body);
      return found.body;
    };
    let nonce = 0;
    const send = async (given: TransactionRequest, own = nonce++) => {
      const signer = accounts.deriveChild(3);
      const fees = given.type === 2 ? { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } : { gasPrice: 10n ** 10n };
      const signed = await signer.signTransaction({ chainId: 31337, gasLimit: 300_000, nonce: own, ...fees, ...given });
      return control<string>('eth_sendRawTransaction', signed);
    };
    const sender = accounts.deriveChild(3).address.toLowerCase();
    const deploy = async () => {
      const hash = await send({ type: 0, data: forwarder });
      await mine();
      return (await control<Raw>('eth_getTransactionReceipt', hash)).contractAddress ?? '';
    };
    const token = async (type: string) =>
      (await control<{ contract_address: string }>('dev_deployToken', { type })).contract_address;

    const kinds: Readonly<Record<string, () => Promise<TransactionRequest>>> = {
      'of the legacy type': async () => ({ type: 0, to: someone, value: 1n }),
      'with an access list': async () => ({ type: 1, to: someone, value: 2n ** 70n, accessList: [] }),
      'with a fee cap': async () => ({ type: 2, to: someone, value: 3n }),
      'that creates a contract': async () => ({ type: 2, data: forwarder }),
      'that is reverted': async () => ({ type: 2, to: await token('ERC20'), data: '0xdeadbeef' }),
      'that moves tokens': async () => ({
        type: 2,
        to: await token('ERC20'),
        data: `0x40c10f19${someone.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`,
      }),
      'that makes internal transactions': async () => ({ type: 2, to: await deploy(), value: 7n }),
    };
    for (const [what, make] of Object.entries(kinds))
      it(`shows a transaction ${what} as the node reports it`, async () => {
        const hash = await send(await make());
        await mine();
        const request = { transaction_hash: hash };
        const { transaction } = (await ask('GetTransaction', request)) as { transaction: Shown };
        const { transaction_receipt: receipt } = (await ask('GetTransactionReceipt', request)) as {
          transaction_receipt: Shown;
        };
        const { logs } = (await ask('ListLogs', request)) as { logs: Records };
        const { internal_transactions } = await ask('ListInternalTransactions', request);
        const reported = await control<Raw>('eth_getTransactionByHash', hash);
        const toldReceipt = await control<Raw & { logs: unknown[] }>('eth_getTransactionReceipt', hash);
        assert.deepEqual(
          [transaction.value, transaction.r, transaction.s, transaction.v, transaction.input, transaction.to],
          [reported.value, reported.r, reported.s, reported.v, reported.input, reported.to ?? ''],
        );
        assert.deepEqual(
          [transaction.gas, transaction.gas_price, transaction.nonce, transaction.block_number],
          [reported.gas, reported.gasPrice, reported.nonce, reported.blockNumber].map(Number),
        );
        assert.deepEqual(
          [receipt.status, receipt.gas_used, receipt.effective_gas_price, receipt.cumulative_gas_used],
          [toldReceipt.status, toldReceipt.gasUsed, toldReceipt.effectiveGasPrice, toldReceipt.cumulativeGasUsed].map(
            Number,
          ),
        );
        assert.equal(receipt.contract_address, toldReceipt.contractAddress ?? '');
        assert.equal(logs.length, toldReceipt.logs.length);
        assert.equal(logs.length, what === 'that moves tokens' ? 1 : 0);
        const { block } = (await ask('GetBlock', { block_number: Number(reported.blockNumber) })) as { block: Shown };
        assert.equal(block.block_hash, reported.blockHash);
        const internal = (internal_transactions as Records).map((one) => `${one.call_type} ${one.to} ${one.value}`);
        assert.deepEqual(internal, what === 'that makes internal transactions' ? [`CALL ${someone} 0x7`] : []);
      });

    describe('given pending transactions', () => {
      const found = async (hash: string) =>
        (await ask('GetPendingTransaction', { transaction_hash: hash })).pending_transaction as Shown;
      const appeared = (hash: string) => eventually(async () => void (await found(hash)));
      const gone = (hash: string) =>
        eventually(async () => {
          const one = await answer('GetPendingTransaction', { transaction_hash: hash });
          assert.equal(one.status, 404);
          assert.equal(problemIn(one).code, 'NOT_FOUND');
        });
      const listed = async (request: object) =>
        ((await ask('ListPendingTransactions', request)).pending_transactions as Records).map(
          ({ transaction_hash }) => transaction_hash,
        );

      it('shows them, lists them by sender and nonce, and drops them once they are mined', async () => {
        const before = Date.now();
        const hashes = [await send({ type: 0, to: someone, value: 1n }), await send({ type: 2, to: someone })];
        for (const hash of hashes) await appeared(hash);
        const first = await found(hashes[0] ?? '');
        const reported = await control<Raw>('eth_getTransactionByHash', hashes[0]);
        assert.deepEqual(first, {
          transaction_hash: hashes[0],
          from: sender,
          to: someone,
          gas: 300_000,
          gas_price: 10_000_000_000,
          input: '0x',
          nonce: nonce - 2,
          value: '0x1',
          r: reported.r,
          s: reported.s,
          v: reported.v,
          record_time: first.record_time,
        });
        const seen = Date.parse(String(first.record_time));
        assert.ok(seen >= before && seen <= Date.now());
        assert.deepEqual(await listed({ from: sender }), hashes);
        assert.deepEqual(await listed({ from: accounts.deriveChild(3).address }), hashes);
        assert.deepEqual(await listed({ from: sender, nonce: nonce - 1 }), [hashes[1]]);
        assert.deepEqual(await listed({ from: sender, nonce: nonce + 5 }), []);
        assert.deepEqual(await listed({ from: someone }), []);
        assert.equal((await answer('GetTransaction', { transaction_hash: hashes[0] })).status, 404);
        await mine();
        for (const hash of hashes) await gone(hash);
        assert.deepEqual(await listed({ from: sender }), []);
        await ask('GetTransaction', { transaction_hash: hashes[0] });
      });

      it('drops them once another transaction with their nonce is mined', async () => {
        const original = await send({ type: 0, to: someone, value: 1n });
        await appeared(original);
        const replacement = await send({ type: 0, to: someone, value: 2n, gasPrice: 10n ** 11n }, nonce - 1);
        await mine();
        await gone(original);
        await gone(replacement);
        await ask('GetTransaction', { transaction_hash: replacement });
      });

      it('shows them to every organization, because they belong to none', async () => {
        const hash = await send({ type: 0, to: someone, value: 1n });
        await appeared(hash);
        const other = await newOrganization(service.home, `other-${engine.isEmbedded ? 'one' : 'two'}`);
        const one = await call(service.url, other, '/v1/q/GetPendingTransaction', { transaction_hash: hash });
        assert.equal(one.status, 200);
        assert.ok(one.headers.get('ratelimit-limit'));
        await mine();
        await gone(hash);
      });
    });
  });
