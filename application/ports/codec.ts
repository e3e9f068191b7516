import type { Signed, Unsigned } from '../../domain/aggregates/transaction.js';
import type { Asset, TokenStandard } from '../../domain/asset.js';
import type { Family } from '../../domain/variant.js';

/** Address and transaction formats of one chain family; pure, needs no connection. */
export interface AddressCodec {
  /**
   * Returns the one form in which an address is stored, at most `maxAddressLength` long; null when it is no address of
   * this family.
   */
  parse(input: string): string | null;
  /** Tells whether an address was written for test networks only; absent where a family does not mark such addresses. */
  isForTests?(input: string): boolean;
  /** Names the rule that a text breaks which `parse` refuses: "must have 40 hex digits after 0x, has 39". */
  fault(input: string): string;
  /** Returns the form that users of this chain expect to see; empty where that is the stored form. */
  friendly(address: string): string;
  /** Returns the stored form of a transaction's identifier. */
  transaction(input: string): string;
  /** Returns the asset that requests name by this token address; null when it cannot be one. */
  asset(input: string): Asset | null;
  /** Form of the token addresses that `asset` takes, following "must be"; null where it takes none. */
  readonly assetForm: string | null;
}

/** Says of a text that it is no address, and which rule it breaks. */
export const notAnAddress = (codec: AddressCodec, input: string) =>
  `is not an address of this chain: ${codec.fault(input)}`;

export type AddressCodecs = Readonly<Record<Family, AddressCodec>>;

/** Transfer of a token; `tokenId` is for contracts whose tokens differ, `value` for those with several of a kind. */
export type TokenTransfer = {
  readonly standard: TokenStandard;
  readonly from: string;
  readonly to: string;
  readonly tokenId: string;
  readonly value: string;
};

/** Encoding and signing format of transactions; pure, holds no key. */
export interface TransactionCodec {
  /** Returns the 32 bytes, in hex, that the sender signs. */
  digest(unsigned: Unsigned): string;
  /** Builds the signed transaction; null when the signature was not made by `from` or is not in its canonical form. */
  assemble(unsigned: Unsigned, from: string, signature: string): Signed | null;
  /** Encodes the call data of a token transfer. */
  tokenCall(transfer: TokenTransfer): string;
}
