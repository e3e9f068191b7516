import assert from 'node:assert/strict';
import { Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { requestOf, signatureIn } from '../../../interfaces/console/transactions/unsigned.js';

const wallet = new Wallet(`0x${'42'.repeat(32)}`);

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => `0x${Buffer.from(all).toString('hex')}`);
const data = fc.uint8Array({ maxLength: 300 }).map((all) => `0x${Buffer.from(all).toString('hex')}`);
const amount = fc.bigInt({ min: 0n, max: 2n ** 128n });
const content = fc.record({
  type: fc.constantFrom(0, 1, 2),
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.integer({ min: 0, max: 2 ** 31 }),
  gasLimit: fc.bigInt({ min: 0n, max: 2n ** 60n }),
  price: amount,
  tip: amount,
  to: hex(20),
  value: amount,
  data,
  accessList: fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 2 }) }), {
    maxLength: 2,
  }),
});

const transactionOf = ({
  type,
  price,
  tip,
  accessList,
  ...rest
}: typeof content extends fc.Arbitrary<infer T> ? T : never) =>
  Transaction.from({
    ...rest,
    type,
    ...(type === 2 ? { maxFeePerGas: price + tip, maxPriorityFeePerGas: tip } : { gasPrice: price }),
    ...(type > 0 && { accessList }),
  });

describe('an unsigned transaction for a browser wallet', () => {
  it('has the content that it had before it was encoded, in every type', () =>
    fc.assert(
      fc.property(content, (given) => {
        const transaction = transactionOf(given);
        const request = requestOf(wallet.address, transaction.unsignedSerialized) as Record<string, string>;
        const { from, gas, type, ...fields } = request;
        const again = Transaction.from({ ...fields, gasLimit: String(gas), type: Number(type ?? 0) });
        assert.equal(again.unsignedSerialized, transaction.unsignedSerialized);
        assert.equal(from, wallet.address);
      }),
    ));

  it('yields the signature of the signed transaction', () =>
    fc.assert(
      fc.property(content, (given) => {
        const transaction = transactionOf(given);
        transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
        const signature = signatureIn(transaction.serialized);
        const { r, s } = transaction.signature;
        assert.equal(signature.slice(0, 130), `${r}${s.slice(2)}`);
        assert.ok(signature.length >= 132 && signature.length % 2 === 0, signature);
      }),
    ));

  it('rejects bytes that are not a transaction', () => {
    for (const bytes of ['0x', '0x01', '0x80', '0xc3', '0x05c0', '0x02f8ff'])
      assert.throws(() => requestOf(wallet.address, bytes), Error, bytes);
  });
});
