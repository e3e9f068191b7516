import type { Asset, TokenStandard } from '../../domain/asset.js';
import type { Signed, Unsigned } from '../../domain/transaction.js';
import type { Family } from '../../domain/variant.js';

/** How one chain family reads and writes addresses and names transactions; pure, needs no connection. */
export interface AddressCodec {
  /** The one form that is stored, of `longestAddress` at most; null when it is no address of this family. */
  parse(input: string): string | null;
  /** What people of this chain are shown; empty where the stored form is all there is. */
  friendly(address: string): string;
  /** What names a transaction, in the form that is stored. */
  transaction(input: string): string;
  /** The asset that requests call by this token address; null when it can be none. */
  asset(input: string): Asset | null;
}

export type AddressCodecs = Readonly<Record<Family, AddressCodec>>;

/** A token that goes from one to another; `tokenId` where a contract's tokens differ, `value` where there are several of one. */
export type TokenTransfer = {
  readonly standard: TokenStandard;
  readonly from: string;
  readonly to: string;
  readonly tokenId: string;
  readonly value: string;
};

/** How transactions are written down, signed and told apart; pure, holds no key. */
export interface TransactionCodec {
  /** What the sender signs: 32 bytes, in hex. */
  digest(unsigned: Unsigned): string;
  /** Ready to be sent; null when the signature is none of `from`, or not in its one proper form. */
  assemble(unsigned: Unsigned, from: string, signature: string): Signed | null;
  /** What a token contract is to be called with. */
  tokenCall(transfer: TokenTransfer): string;
}
