import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Interface, Signature, SigningKey, Transaction, Wallet } from 'ethers';
import fc from 'fast-check';
import { evmTransactions } from '../../infrastructure/chains/evm/transaction-codec.js';

type Vector = {
  name: string;
  chain_id: number;
  nonce: number | string;
  gas_price: string;
  gas: string;
  to: string | null;
  value: string;
  data: string;
  signing_hash: string;
  signed_rlp: string;
  transaction_hash: string;
  from: string;
  r: string;
  s: string;
  v: number;
};
const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../../shared/vectors/evm-eip155.json', import.meta.url), 'utf8'),
);
const usable = vectors.filter(({ to, nonce }) => to !== null && Number.isSafeInteger(Number(nonce)));
const constants = JSON.parse(
  readFileSync(new URL('../../../shared/vectors/abi-constants.json', import.meta.url), 'utf8'),
);

const unsignedOf = (vector: Vector) => ({
  chainId: vector.chain_id,
  nonce: Number(vector.nonce),
  to: vector.to as string,
  value: vector.value,
  gas: vector.gas,
  gasPrice: vector.gas_price,
  data: vector.data,
});
const bytes = (value: number | bigint) => {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
};

describe('transactions as the chain writes them', () => {
  it('has vectors to go by', () => assert.ok(usable.length > 10, String(usable.length)));

  for (const vector of usable)
    it(`gives the digest, the bytes and the hash of ${vector.name}`, () => {
      const unsigned = unsignedOf(vector);
      assert.equal(evmTransactions.digest(unsigned), vector.signing_hash);
      const signature = `${vector.r}${vector.s.slice(2)}${bytes(vector.v)}`;
      assert.deepEqual(evmTransactions.assemble(unsigned, vector.from, signature), {
        raw: vector.signed_rlp,
        hash: vector.transaction_hash,
      });
    });

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const key = new SigningKey(`0x${'46'.repeat(32)}`);
  const from = new Wallet(key).address.toLowerCase();
  const to = `0x${'35'.repeat(20)}`;
  const unsigned = { chainId: 31337, nonce: 9, to, value: '1', gas: '21000', gasPrice: '20000000000', data: '0x' };
  const proper = key.sign(evmTransactions.digest(unsigned));
  const joined = (s: bigint, v: string) => `${proper.r}${s.toString(16).padStart(64, '0')}${v}`;
  const s = BigInt(proper.s);

  it('takes every form of v, and the compact form', () => {
    const forms = [proper.yParity, proper.v, 35 + 2 * 31337 + proper.yParity].map((v) => joined(s, bytes(v)));
    for (const signature of [...forms, proper.compactSerialized]) {
      const signed = evmTransactions.assemble(unsigned, from, signature);
      const read = Transaction.from(signed?.raw);
      assert.equal(read.from?.toLowerCase(), from);
      assert.equal(read.hash, signed?.hash);
      assert.equal(read.chainId, 31337n);
    }
  });

  it('refuses a signature of somebody else, for another chain, with a high s, or that is none', () => {
    const flipped = 1 - proper.yParity;
    const bad = [
      joined(s, bytes(flipped)),
      joined(order - s, bytes(flipped)),
      joined(s, bytes(2)),
      joined(s, bytes(29)),
      joined(s, bytes(37 + proper.yParity)),
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      joined(s, ''.padEnd(20, '0')),
      proper.compactSerialized.slice(0, -2),
      'nonsense',
      '0x',
      '',
    ];
    for (const signature of bad) assert.equal(evmTransactions.assemble(unsigned, from, signature), null, signature);
    assert.equal(evmTransactions.assemble(unsigned, to, proper.serialized), null);
  });

  it('agrees with another implementation on whatever is signed', () =>
    fc.assert(
      fc.property(
        fc.record({
          chainId: fc.integer({ min: 1, max: 2 ** 31 }),
          nonce: fc.integer({ min: 0, max: 2 ** 40 }),
          value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
          gas: fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String),
          gasPrice: fc.bigInt({ min: 0n, max: 2n ** 128n }).map(String),
          data: fc.uint8Array({ maxLength: 100 }).map((data) => `0x${Buffer.from(data).toString('hex')}`),
        }),
        (given) => {
          const one = { ...given, to };
          const signature = Signature.from(key.sign(evmTransactions.digest(one)));
          const read = Transaction.from(evmTransactions.assemble(one, from, signature.serialized)?.raw);
          const { chainId, nonce, value, gas, gasPrice, data } = given;
          assert.deepEqual(
            [read.chainId, read.nonce, read.value, read.gasLimit, read.gasPrice, read.data, read.from?.toLowerCase()],
            [BigInt(chainId), nonce, BigInt(value), BigInt(gas), BigInt(gasPrice), data, from],
          );
        },
      ),
      { numRuns: 30 },
    ));

  it('calls token contracts as they want to be called', () => {
    const { erc20_transfer, erc721_safeTransferFrom } = constants.calldata;
    const call = { from, to, tokenId: '0', value: '1' };
    assert.equal(
      evmTransactions.tokenCall({ ...call, standard: 'erc20', to: erc20_transfer.to, value: erc20_transfer.value }),
      erc20_transfer.data,
    );
    assert.equal(
      evmTransactions.tokenCall({
        standard: 'erc721',
        from: erc721_safeTransferFrom.from,
        to: erc721_safeTransferFrom.to,
        tokenId: erc721_safeTransferFrom.token_id,
        value: '1',
      }),
      erc721_safeTransferFrom.data,
    );
    const several = new Interface(['function safeTransferFrom(address, address, uint256, uint256, bytes)']);
    assert.equal(
      evmTransactions.tokenCall({ ...call, standard: 'erc1155', tokenId: '7', value: '3' }),
      several.encodeFunctionData('safeTransferFrom', [from, to, 7, 3, '0x']),
    );
  });
});
