import type { Chain, Header } from '../../../application/ports/chain.js';
import type { AddressCodec } from '../../../application/ports/codec.js';
import { fail } from '../../../domain/failure.js';

const address = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Address codec of a made-up chain family, whose addresses are in base58: upper-case and lower-case letters differ.
 */
export const base58Codec: AddressCodec = {
  parse: (input) => (address.test(input) ? input : null),
  fault: () => 'must be 32 to 44 characters of base58',
  friendly: () => '',
  transaction: (input) => input,
  asset: () => null,
  assetForm: null,
};

type Payment = { readonly from: string; readonly to: string; readonly value: bigint };

const never = async function* () {};
const noTokens = () => fail('FAILED_PRECONDITION', 'there are no tokens on this chain');

/** Makes an in-memory chain of the made-up family, which mines on request and never replaces a block. */
export const createBase58Chain = () => {
  const blocks: (readonly Payment[])[] = [[]];
  const headerAt = (number: number): Header | null =>
    number < blocks.length
      ? { number, hash: `block${number}`, parentHash: `block${number - 1}`, time: 1_700_000_000 + number }
      : null;
  const head = () => headerAt(blocks.length - 1) as Header;
  const numberOf = (hash: string) => Number(hash.replace('block', ''));
  const balanceAt = (number: number, owner: string) =>
    blocks
      .slice(0, number + 1)
      .flat()
      .reduce((sum, { from, to, value }) => sum + (to === owner ? value : 0n) - (from === owner ? value : 0n), 0n);

  const chain: Chain = {
    genesis: async () => headerAt(0) as Header,
    head: async () => head(),
    finalized: async () => head().number,
    hints: never,
    headerAt: async (number) => headerAt(number),
    headerOf: async (hash) => headerAt(numberOf(hash)),
    block: async (hash, interest) => {
      const number = numberOf(hash);
      const movements = (blocks[number] ?? []).flatMap(({ from, to, value }, i) =>
        interest.address(from) || interest.address(to)
          ? [
              {
                transaction: `transaction${number}.${i}`,
                index: 'native',
                asset: { standard: 'native' as const },
                from,
                to,
                value: String(value),
                fee: '0',
                failed: false,
                details: {},
              },
            ]
          : [],
      );
      return { ...(headerAt(number) as Header), movements, touches: [] };
    },
    balances: async (holdings, { number }) => holdings.map((one) => String(balanceAt(number, one.address))),
    contract: noTokens,
    tokenUri: noTokens,
    tokens: noTokens,
    close: async () => undefined,
  };
  return { chain, mine: (payments: readonly Payment[] = []) => void blocks.push(payments) };
};
