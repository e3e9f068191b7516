import assert from 'node:assert/strict';
import { Transaction } from 'ethers';
import { engines } from '../../support/engines/engines.js';
import { skip } from '../../support/run/skip.js';
import { openPayments, type Payments, receiver, refusedWith } from '../../support/scenes/payments.js';

const gwei = 10n ** 9n;
const fees = { max_fee_per_gas: String(50n * gwei), max_priority_fee_per_gas: String(2n * gwei) };

for (const engine of engines)
  describe(`transactions with a priority fee on ${engine.name}`, () => {
    let scene: Payments;
    before(async function () {
      const opened = await openPayments(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());

    const minedWith = async (nonce: string) => {
      const block = (await scene.chain.request('eth_getBlockByNumber', ['latest', true])) as {
        transactions: { nonce: string; type: string; hash: string; maxFeePerGas: string; to: string; input: string }[];
      };
      return block.transactions.find(({ nonce: used }) => Number(used) === Number(nonce));
    };

    it('have type 2 and are signed, sent and confirmed like others', async () => {
      const to = receiver();
      const made = await scene.create({ to, ...fees });
      assert.deepEqual(
        [made.max_fee_per_gas, made.max_priority_fee_per_gas, made.gas_price],
        [fees.max_fee_per_gas, fees.max_priority_fee_per_gas, fees.max_fee_per_gas],
      );
      const { transaction_id } = made;
      await scene.sign(transaction_id);
      const { transaction: sent } = await scene.api.sendTransaction({ transaction_id });
      await scene.mine();
      await scene.becomes(transaction_id, 'MINED');
      assert.equal(await scene.balanceOf(to), 1000n);
      const found = await minedWith(made.nonce);
      assert.deepEqual([found?.type, found?.hash], ['0x2', sent.transaction_hash]);
      await scene.mine(2);
      await scene.becomes(transaction_id, 'CONFIRMED');
      const { transaction } = await scene.api.getTransaction({ transaction_id });
      assert.deepEqual({ ...transaction, ...sent }, { ...transaction, transaction_state: sent.transaction_state });
    });

    it('get the missing fee from the node, and never a gas price besides', async () => {
      const made = await scene.create({ max_priority_fee_per_gas: '1' });
      assert.ok(BigInt(made.max_fee_per_gas ?? 0) > 1n);
      await scene.api.cancelTransaction({ transaction_id: made.transaction_id });
      await assert.rejects(scene.create({ ...fees, gas_price: '1' }), refusedWith('INVALID_ARGUMENT', /gas_price/));
    });

    it('come with the unsigned transaction and a preview for the person who signs', async () => {
      const to = receiver();
      const { transaction_id, gas } = await scene.create({ to, ...fees });
      const message = await scene.api.getTransactionMessageToSign({ transaction_id });
      const unsigned = Transaction.from(message.unsigned_transaction);
      assert.equal(unsigned.unsignedHash, message.transaction_message_to_sign);
      assert.deepEqual([unsigned.type, unsigned.to?.toLowerCase(), unsigned.value], [2, to, 1000n]);
      const { balance_after, ...preview } = message.preview ?? assert.fail('no preview');
      const max_fee = String(BigInt(gas) * 50n * gwei);
      assert.deepEqual(preview, { kind: 'transfer', to, value: '1000', max_fee });
      assert.match(balance_after ?? '0', /^-?\d+$/);
      await scene.api.cancelTransaction({ transaction_id });
      const contract_address = `0x${'12'.repeat(20)}`;
      const { transaction } = await scene.api.createTokenTransaction({
        wallet_id: scene.wallet_id,
        contract_type: 'CONTRACT_TYPE_ERC20',
        from: scene.sender.address,
        to,
        token_payload: { erc20: { contract_address, value: '5' } },
        gas: '100000',
      });
      const token = await scene.api.getTransactionMessageToSign({ transaction_id: transaction.transaction_id });
      assert.deepEqual(
        [token.preview?.kind, token.preview?.to, token.preview?.token],
        ['token_transfer', to, { contract_address, standard: 'erc20', value: '5' }],
      );
      await scene.api.cancelTransaction({ transaction_id: transaction.transaction_id });
    });

    it('are canceled by a replacement of the same type', async () => {
      const { transaction_id, nonce } = await scene.createSent(fees);
      await scene.api.cancelTransaction({ transaction_id });
      const { preview } = await scene.api.getTransactionMessageToSign({ transaction_id });
      assert.equal(preview?.kind, 'cancellation');
      await scene.sign(transaction_id);
      await scene.api.sendTransaction({ transaction_id });
      await scene.mine();
      await scene.becomes(transaction_id, 'CANCELED');
      const found = await minedWith(nonce);
      assert.deepEqual([found?.type, found?.to], ['0x2', scene.sender.address]);
      assert.ok(BigInt(found?.maxFeePerGas ?? 0) * 1000n >= BigInt(fees.max_fee_per_gas) * 1125n);
    });

    it('are sped up by a transaction with the same content and nonce at higher fees', async () => {
      for (const given of [fees, {}]) {
        const to = receiver();
        const slow = await scene.createSent({ to, ...given });
        const asked = { transaction_id: slow.transaction_id };
        await assert.rejects(
          scene.api.speedUpTransaction({ ...asked, gas_price: slow.gas_price }),
          refusedWith('FAILED_PRECONDITION', /gas_price must be at least/),
        );
        const { transaction: fast } = await scene.api.speedUpTransaction(asked);
        assert.notEqual(fast.transaction_id, slow.transaction_id);
        assert.deepEqual(
          [fast.nonce, fast.to, fast.value, fast.gas, fast.transaction_state],
          [slow.nonce, to, slow.value, slow.gas, 'TRANSACTION_STATE_CREATED'],
        );
        assert.ok(BigInt(fast.gas_price) * 1000n >= BigInt(slow.gas_price) * 1125n);
        assert.equal('max_fee_per_gas' in fast, 'max_fee_per_gas' in given);
        await scene.sign(fast.transaction_id);
        await scene.api.sendTransaction({ transaction_id: fast.transaction_id });
        await scene.mine();
        await scene.becomes(fast.transaction_id, 'MINED');
        await scene.becomes(slow.transaction_id, 'REPLACED');
        assert.equal(await scene.balanceOf(to), 1000n);
        await assert.rejects(scene.api.speedUpTransaction(asked), refusedWith('FAILED_PRECONDITION', /REPLACED/));
      }
      await assert.rejects(scene.api.speedUpTransaction({ transaction_id: 'none' }), refusedWith('NOT_FOUND'));
    });
  });
