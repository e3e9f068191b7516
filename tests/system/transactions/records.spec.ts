import assert from 'node:assert/strict';
import { Wallet } from 'ethers';
import { engines } from '../../support/engines/engines.js';
import { skip } from '../../support/run/skip.js';
import { openPayments, type Payments, receiver, refusedWith, signOutside } from '../../support/scenes/payments.js';

const gwei = 10n ** 9n;
const fees = { max_fee_per_gas: String(50n * gwei), max_priority_fee_per_gas: String(2n * gwei) };
const key = (digit: string) => `0x${digit.repeat(64)}`;

for (const engine of engines)
  describe(`the record of a transaction on ${engine.name}`, () => {
    let scene: Payments;
    before(async function () {
      const opened = await openPayments(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());

    type Receipt = Record<'gasUsed' | 'effectiveGasPrice' | 'blockHash' | 'blockNumber' | 'type', string>;
    const receiptOf = async (hash: string) =>
      (await scene.chain.request('eth_getTransactionReceipt', [hash])) as Receipt;
    const blockTime = async (hash: string) => {
      const block = (await scene.chain.request('eth_getBlockByHash', [hash, false])) as { timestamp: string };
      return new Date(Number(block.timestamp) * 1000).toISOString();
    };
    const find = async (transaction_id: string) => (await scene.api.getTransaction({ transaction_id })).transaction;
    /** Returns the fields about the block and the fee that a transaction must have, according to the node's receipt. */
    const inclusionOf = async (hash: string) => {
      const { gasUsed, effectiveGasPrice, blockHash, blockNumber } = await receiptOf(hash);
      return {
        mine_time: await blockTime(blockHash),
        block_number: Number(blockNumber),
        block_hash: blockHash,
        transaction_fee: String(BigInt(gasUsed) * BigInt(effectiveGasPrice)),
      };
    };
    const inclusionIn = ({
      mine_time,
      block_number,
      block_hash,
      transaction_fee,
    }: Awaited<ReturnType<typeof find>>) => ({
      mine_time,
      block_number,
      block_hash,
      transaction_fee,
    });

    it('shows when it was created, sent and mined, its block and its fee, and commands and queries agree', async () => {
      const made = await scene.create();
      const { transaction_id } = made;
      assert.ok(Date.parse(made.create_time ?? '') > 0);
      assert.equal('send_time' in made, false);
      assert.deepEqual(await find(transaction_id), made);
      await scene.sign(transaction_id);
      const { transaction: sent } = await scene.api.sendTransaction({ transaction_id });
      assert.equal(sent.create_time, made.create_time);
      assert.ok(Date.parse(sent.send_time ?? '') >= Date.parse(made.create_time ?? ''));
      assert.equal('block_number' in sent, false);
      assert.deepEqual(await find(transaction_id), sent);
      await scene.mine();
      await scene.becomes(transaction_id, 'MINED');
      const mined = await find(transaction_id);
      const included = await inclusionOf(sent.transaction_hash);
      assert.deepEqual(mined, { ...sent, ...included, transaction_state: 'TRANSACTION_STATE_MINED' });
      await scene.mine();
      await scene.becomes(transaction_id, 'CONFIRMED');
      const confirmed = await find(transaction_id);
      assert.deepEqual(confirmed, { ...mined, transaction_state: 'TRANSACTION_STATE_CONFIRMED' });
      assert.deepEqual((await scene.api.sendTransaction({ transaction_id })).transaction, confirmed);
    });

    it('loses its block when a reorganization drops it, and gets the next one', async () => {
      const { transaction_id } = await scene.createSent();
      await scene.mine();
      await scene.becomes(transaction_id, 'MINED');
      await scene.chain.request('dev_reorg', [1, 'drop']);
      await scene.becomes(transaction_id, 'SENT');
      const dropped = await find(transaction_id);
      for (const name of ['mine_time', 'block_number', 'block_hash', 'transaction_fee'])
        assert.equal(name in dropped, false, name);
      await scene.api.sendTransaction({ transaction_id });
      await scene.mine(2);
      await scene.becomes(transaction_id, 'CONFIRMED');
      const found = await find(transaction_id);
      assert.deepEqual(inclusionIn(found), await inclusionOf(found.transaction_hash));
    });

    it('shows the block and the fee of the cancellation once it is canceled', async () => {
      const { transaction_id, nonce } = await scene.createSent();
      await scene.api.cancelTransaction({ transaction_id });
      await scene.sign(transaction_id);
      await scene.api.sendTransaction({ transaction_id });
      await scene.mine();
      await scene.becomes(transaction_id, 'CANCELED');
      const { transactions } = (await scene.chain.request('eth_getBlockByNumber', ['latest', true])) as {
        transactions: { hash: string; nonce: string }[];
      };
      const hash = transactions.find((one) => Number(one.nonce) === Number(nonce))?.hash ?? assert.fail('not mined');
      assert.deepEqual(inclusionIn(await find(transaction_id)), await inclusionOf(hash));
    });

    it('gives the reason why the contract reverted it', async () => {
      const { contract_address } = (await scene.chain.request('dev_deployToken', [{ type: 'ERC-20' }])) as {
        contract_address: string;
      };
      const { transaction } = await scene.api.createTokenTransaction({
        wallet_id: scene.wallet_id,
        contract_type: 'CONTRACT_TYPE_ERC20',
        from: scene.sender.address,
        to: receiver(),
        token_payload: { erc20: { contract_address, value: '5' } },
        gas: '100000',
      });
      const { transaction_id } = transaction;
      await scene.sign(transaction_id);
      await scene.api.sendTransaction({ transaction_id });
      await scene.mine(2);
      await scene.becomes(transaction_id, 'FAILED');
      const failed = await find(transaction_id);
      assert.match(failed.failure_reason ?? '', /revert/);
      assert.deepEqual(inclusionIn(failed), await inclusionOf(failed.transaction_hash));
    });

    it('gives the reason why nodes rejected it, until it is sent', async () => {
      const poor = Wallet.createRandom();
      const { wallet_id } = await scene.api.registerWallet({ name: 'poor', address: poor.address.toLowerCase() });
      const { transaction_id } = await scene.create({ wallet_id, from: poor.address, gas: '21000', value: '5' });
      await signOutside(scene.api, poor.signingKey, transaction_id);
      await assert.rejects(scene.api.sendTransaction({ transaction_id }), refusedWith('FAILED_PRECONDITION', /fund/i));
      const refused = await find(transaction_id);
      assert.equal(refused.transaction_state, 'TRANSACTION_STATE_SIGNED');
      assert.match(refused.failure_reason ?? '', /fund/i);
      assert.equal('send_time' in refused, false);
      await scene.chain.request('dev_transfer', [{ variant: 'c', to: poor.address, value: String(10n ** 18n) }]);
      const { transaction: sent } = await scene.api.sendTransaction({ transaction_id });
      assert.equal('failure_reason' in sent, false);
      assert.deepEqual(await find(transaction_id), sent);
      await scene.mine();
      await scene.becomes(transaction_id, 'MINED');
    });

    const list = [
      { address: `0x${'12'.repeat(20)}`, storage_keys: [key('0'), key('a')] },
      { address: `0x${'34'.repeat(20)}`, storage_keys: [] },
    ];
    const types = { '0x1': {}, '0x2': fees };
    for (const [type, given] of Object.entries(types))
      it(`has the access list of a transaction of type ${Number(type)}, which is mined with it`, async () => {
        const shouted = list.map(({ address, storage_keys }) => ({
          address,
          storage_keys: storage_keys.map((one) => one.replace(/a/g, 'A')),
        }));
        const made = await scene.createSent({ ...given, access_list: shouted });
        assert.deepEqual(made.access_list, list);
        assert.ok(Number(made.gas) >= 21_000 + 2 * 2400 + 2 * 1900, `the estimate ${made.gas} includes the list`);
        const { transaction: fast } = await scene.api.speedUpTransaction({ transaction_id: made.transaction_id });
        assert.deepEqual(fast.access_list, list);
        await scene.sign(fast.transaction_id);
        const { transaction: sent } = await scene.api.sendTransaction({ transaction_id: fast.transaction_id });
        await scene.mine();
        await scene.becomes(fast.transaction_id, 'MINED');
        const onChain = (await scene.chain.request('eth_getTransactionByHash', [sent.transaction_hash])) as {
          type: string;
          accessList: { address: string; storageKeys: string[] }[];
        };
        assert.equal(onChain.type, type);
        assert.deepEqual(
          onChain.accessList.map(({ address, storageKeys }) => ({ address, storage_keys: storageKeys })),
          list,
        );
      });

    it('has no access list if the given one is empty, and rejects invalid and very long ones', async () => {
      const made = await scene.create({ access_list: [] });
      assert.equal('access_list' in made, false);
      await scene.api.cancelTransaction({ transaction_id: made.transaction_id });
      const entry = { address: scene.sender.address, storage_keys: [key('1')] };
      const rejected = {
        '/access_list/1/address': [entry, { ...entry, address: '0x12' }],
        '/access_list/0/storage_keys/0': [{ ...entry, storage_keys: ['0x1'] }],
        'at most 1000 storage keys': Array.from({ length: 11 }, () => ({
          ...entry,
          storage_keys: Array(91).fill(key('1')),
        })),
      };
      for (const [text, access_list] of Object.entries(rejected))
        await assert.rejects(scene.create({ access_list }), refusedWith('INVALID_ARGUMENT', new RegExp(text)), text);
    });
  });
