import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  encodeFunctionData,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeCompactSignature,
  serializeTransaction,
  signatureToCompactSignature,
  type TransactionSerializedLegacy,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Unsigned } from '../../../../domain/aggregates/transaction/transaction-data.js';
import { evmTransactions } from '../../../../infrastructure/chains/evm/transaction-codec.js';
import { ercs } from '../../../vectors/erc-signatures.js';
import {
  eip155Example,
  type Signed,
  shortSignatures,
  signedByViem,
  transactionsOfNote,
} from '../../../vectors/evm-transactions.js';

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const bytes = (value: number | bigint) => {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
};
const joined = (r: bigint, s: bigint, v: string) => `0x${word(r)}${word(s)}${v}`;
const signatureOf = ({ r, s, v }: Signed['signature']) => joined(BigInt(r), BigInt(s), bytes(v));

const agrees = (unsigned: Unsigned, { digest, from, signature, raw, hash }: Signed) => {
  assert.equal(evmTransactions.digest(unsigned), digest);
  assert.deepEqual(evmTransactions.assemble(unsigned, from, signatureOf(signature)), { raw, hash });
};

/** Generators of the fields of a transaction, without its fees. */
const content = {
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((some) => `0x${Buffer.from(some).toString('hex')}`),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
  gas: fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String),
  data: fc.uint8Array({ maxLength: 100 }).map((data) => `0x${Buffer.from(data).toString('hex')}`),
};

describe('the EVM transaction codec', () => {
  it('agrees with the example of EIP-155', async () => {
    const { unsigned, key, digest, r, s, v, raw } = eip155Example;
    assert.equal(evmTransactions.digest(unsigned), digest);
    const { from, hash } = await signedByViem(unsigned, key);
    assert.deepEqual(evmTransactions.assemble(unsigned, from, joined(r, s, bytes(v))), { raw, hash });
  });

  for (const [name, unsigned] of Object.entries(transactionsOfNote))
    it(`agrees with viem on digest, bytes and hash of ${name}`, async () =>
      agrees(unsigned, await signedByViem(unsigned, eip155Example.key)));

  it('omits the leading zeros of r and s', async () => {
    const { unsigned, r, s } = await shortSignatures();
    for (const signed of [r, s]) agrees(unsigned, signed ?? assert.fail('no signature with a leading zero was found'));
  });

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const to = `0x${'35'.repeat(20)}`;
  const unsigned = { chainId: 31337, nonce: 9, to, value: '1', gas: '21000', gasPrice: '20000000000', data: '0x' };
  const sign = async () => {
    const signed = await signedByViem(unsigned, eip155Example.key);
    const { r, s, v } = signed.signature;
    const yParity = Number(v) - 35 - 2 * unsigned.chainId;
    const compact = serializeCompactSignature(signatureToCompactSignature({ r, s, yParity }));
    return { ...signed, r: BigInt(r), s: BigInt(s), yParity, compact };
  };

  it('accepts every form of v, and the compact form', async () => {
    const { from, raw, hash, r, s, yParity, compact } = await sign();
    const forms = [yParity, 27 + yParity, 35 + 2 * 31337 + yParity].map((v) => joined(r, s, bytes(v)));
    for (const signature of [...forms, compact])
      assert.deepEqual(evmTransactions.assemble(unsigned, from, signature), { raw, hash });
  });

  it('rejects a signature of another sender, for another chain, with a high s, or malformed', async () => {
    const { from, r, s, yParity, compact } = await sign();
    const flipped = 1 - yParity;
    const bad = [
      joined(r, s, bytes(flipped)),
      joined(r, order - s, bytes(flipped)),
      joined(r, s, bytes(2)),
      joined(r, s, bytes(29)),
      joined(r, s, bytes(37 + yParity)),
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      joined(r, s, ''.padEnd(20, '0')),
      compact.slice(0, -2),
      'nonsense',
      '0x',
      '',
    ];
    for (const signature of bad) assert.equal(evmTransactions.assemble(unsigned, from, signature), null, signature);
    assert.equal(evmTransactions.assemble(unsigned, to, joined(r, s, bytes(27 + yParity))), null);
  });

  it('agrees with viem on any transaction and key', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({ ...content, gasPrice: fc.bigInt({ min: 0n, max: 2n ** 128n }).map(String) }),
        fc.bigInt({ min: 1n, max: order - 1n }),
        async (given, key) => {
          const signed = await signedByViem(given, `0x${word(key)}`);
          agrees(given, signed);
          const { raw } = evmTransactions.assemble(given, signed.from, signatureOf(signed.signature)) ?? assert.fail();
          const read = parseTransaction(raw as TransactionSerializedLegacy);
          const { chainId, nonce, value, gas, gasPrice, data } = given;
          assert.deepEqual(
            [read.chainId, read.nonce, read.value ?? 0n, read.gas ?? 0n, read.gasPrice ?? 0n, read.data ?? '0x'],
            [chainId, nonce, BigInt(value), BigInt(gas), BigInt(gasPrice), data],
          );
          const serializedTransaction = raw as TransactionSerializedLegacy;
          assert.equal((await recoverTransactionAddress({ serializedTransaction })).toLowerCase(), signed.from);
        },
      ),
      { numRuns: 50, seed: 155 },
    ));
});

describe('the EVM transaction codec for type 2', () => {
  it('agrees with viem on digest, bytes and hash of any transaction and key', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record(content),
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.bigInt({ min: 0n, max: 2n ** 64n }),
        async (given, priorityFee, room) => {
          const account = privateKeyToAccount(eip155Example.key);
          const fees = { maxFeePerGas: priorityFee + room, maxPriorityFeePerGas: priorityFee };
          const { value, gas, to, data } = given;
          const hex = { to: to as Hex, data: data as Hex };
          const asViem = {
            ...given,
            ...hex,
            ...fees,
            type: 'eip1559',
            value: BigInt(value),
            gas: BigInt(gas),
          } as const;
          const unsigned = {
            ...given,
            gasPrice: String(fees.maxFeePerGas),
            maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
          };
          const bytesToSign = serializeTransaction(asViem);
          assert.equal(evmTransactions.unsigned(unsigned), bytesToSign);
          const digest = evmTransactions.digest(unsigned) as Hex;
          assert.equal(digest, keccak256(bytesToSign));
          const raw = await account.signTransaction(asViem);
          const signature = await account.sign({ hash: digest });
          assert.deepEqual(evmTransactions.assemble(unsigned, account.address.toLowerCase(), signature), {
            raw,
            hash: keccak256(raw),
          });
        },
      ),
      { numRuns: 50, seed: 1559 },
    ));
});

describe('the EVM transaction codec for access lists', () => {
  const hexOf = (length: number) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((some): Hex => `0x${Buffer.from(some).toString('hex')}`);
  const accessList = fc.array(fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  });
  const prices = {
    1: { viem: { type: 'eip2930', gasPrice: 7n }, own: { gasPrice: '7' } },
    2: {
      viem: { type: 'eip1559', maxFeePerGas: 7n, maxPriorityFeePerGas: 3n },
      own: { gasPrice: '7', maxPriorityFeePerGas: '3' },
    },
  } as const;
  for (const [type, { viem, own }] of Object.entries(prices))
    it(`agrees with viem on digest, bytes and hash of any transaction of type ${type}`, () =>
      fc.assert(
        fc.asyncProperty(fc.record({ ...content, accessList }), async (given) => {
          const account = privateKeyToAccount(eip155Example.key);
          const { value, gas, to, data } = given;
          const hex = { to: to as Hex, data: data as Hex };
          const asViem = { ...given, ...hex, ...viem, value: BigInt(value), gas: BigInt(gas) };
          const unsigned = { ...given, ...own };
          const bytesToSign = serializeTransaction(asViem);
          assert.equal(evmTransactions.unsigned(unsigned), bytesToSign);
          const digest = evmTransactions.digest(unsigned) as Hex;
          const raw = await account.signTransaction(asViem);
          const signature = await account.sign({ hash: digest });
          assert.deepEqual(evmTransactions.assemble(unsigned, account.address.toLowerCase(), signature), {
            raw,
            hash: keccak256(raw),
          });
        }),
        { numRuns: 30, seed: 2930 },
      ));
});

describe('the calls of token contracts', () => {
  const address = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((some): Hex => `0x${Buffer.from(some).toString('hex')}`);
  const number = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
  const asViem = {
    erc20: (_: Hex, to: Hex, __: bigint, value: bigint) =>
      encodeFunctionData({ abi: ercs.erc20, functionName: 'transfer', args: [to, value] }),
    erc721: (from: Hex, to: Hex, tokenId: bigint, _: bigint) =>
      encodeFunctionData({ abi: ercs.erc721, functionName: 'safeTransferFrom', args: [from, to, tokenId] }),
    erc1155: (from: Hex, to: Hex, tokenId: bigint, value: bigint) =>
      encodeFunctionData({
        abi: ercs.erc1155,
        functionName: 'safeTransferFrom',
        args: [from, to, tokenId, value, '0x'],
      }),
  } as const;
  for (const standard of ['erc20', 'erc721', 'erc1155'] as const)
    it(`are encoded as viem encodes the interface of ${standard}`, () =>
      fc.assert(
        fc.property(address, address, number, number, (from, to, tokenId, value) =>
          assert.equal(
            evmTransactions.tokenCall({ standard, from, to, tokenId: String(tokenId), value: String(value) }),
            asViem[standard](from, to, tokenId, value),
          ),
        ),
        { seed: 20 },
      ));

  it('are decoded to the transfer that they were encoded from', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('erc20', 'erc721', 'erc1155'),
        fc.tuple(address, address, number, number),
        (standard, [from, to, tokenId, value]) =>
          assert.deepEqual(
            evmTransactions.readTokenCall(
              evmTransactions.tokenCall({ standard, from, to, tokenId: String(tokenId), value: String(value) }),
            ),
            {
              standard,
              to,
              tokenId: standard === 'erc20' ? '0' : String(tokenId),
              value: standard === 'erc721' ? '1' : String(value),
            },
          ),
      ),
      { seed: 21 },
    ));

  it('are not read from data that is longer, shorter or of another call', () => {
    const call = evmTransactions.tokenCall({
      standard: 'erc20',
      from: '',
      to: `0x${'3'.repeat(40)}`,
      tokenId: '0',
      value: '7',
    });
    const others = [`${call}00`, call.slice(0, -2), call.slice(0, 10), `0x095ea7b3${call.slice(10)}`, '0x', '0xa9'];
    // The twelve bytes before an address in a call must be zero; this call has another byte there.
    const padded = `${call.slice(0, 10)}01${call.slice(12)}`;
    for (const data of [...others, padded]) assert.equal(evmTransactions.readTokenCall(data), null, data);
  });
});
