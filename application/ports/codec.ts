import type { Signed, Unsigned } from '../../domain/aggregates/transaction/transaction-data.js';
import type { Asset, TokenStandard } from '../../domain/asset.js';
import type { Family } from '../../domain/variant.js';

/** Address and transaction formats of one chain family; pure, needs no connection. */
export interface AddressCodec {
  /**
   * Returns the stored form of an address, at most `maxAddressLength` long; null when the text is no address of this
   * family.
   */
  parse(input: string): string | null;
  /** Returns whether an address is marked as valid on test networks only; absent where a family has no such mark. */
  isForTests?(input: string): boolean;
  /**
   * Names the rule that an input rejected by `parse` breaks, for example "must have 40 hex digits after 0x, has 39".
   */
  fault(input: string): string;
  /** Returns the form of an address that users of this chain expect; empty if it equals the stored form. */
  friendly(address: string): string;
  /** Returns the stored form of a transaction's identifier. */
  transaction(input: string): string;
  /** Returns the asset at a token address; null when the input is no token address. */
  asset(input: string): Asset | null;
  /**
   * Description of the token addresses that `asset` accepts, worded to follow "must be"; null where the chain accepts
   * no token addresses.
   */
  readonly assetForm: string | null;
}

/** Builds the message about an invalid address of a chain family. `fault` is the rule that the address breaks. */
export const invalidAddress = (family: Family, fault: string) => `is not a valid ${family} address: ${fault}`;

export type AddressCodecs = Readonly<Record<Family, AddressCodec>>;

/** Transfer of a token; `tokenId` applies to non-fungible standards, `value` to standards with amounts. */
export type TokenTransfer = {
  readonly standard: TokenStandard;
  readonly from: string;
  readonly to: string;
  readonly tokenId: string;
  readonly value: string;
};

/** Encoding and signing format of the transactions of one chain family; pure, holds no key. */
export interface TransactionCodec {
  /** Returns the 32 bytes, in hex, that the sender signs. */
  digest(unsigned: Unsigned): string;
  /** Returns the transaction without a signature, in hex, as wallets and signing devices read it. */
  unsigned(unsigned: Unsigned): string;
  /** Builds the signed transaction; null when the signature is not by `from` or not in canonical form. */
  assemble(unsigned: Unsigned, from: string, signature: string): Signed | null;
  /** Encodes the call data of a token transfer. */
  tokenCall(transfer: TokenTransfer): string;
  /** Decodes call data that `tokenCall` encodes; null for other data. */
  readTokenCall(data: string): Omit<TokenTransfer, 'from'> | null;
}

/** Codecs by family; null for a family without managed transactions. */
export type TransactionCodecs = Readonly<Record<Family, TransactionCodec | null>>;
