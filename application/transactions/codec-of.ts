import type { Context } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { TransactionCodec, TransactionCodecs } from '../ports/codec.js';

export type CodecPorts = { readonly chains: Pick<Chains, 'familyOf'>; readonly transactionCodecs: TransactionCodecs };

/**
 * Returns the transaction codec of the chain family to which the nodes belong, so that a transaction is never signed in
 * the format of another family.
 */
export const codecOf = ({ chains, transactionCodecs }: CodecPorts, { variant }: Context): TransactionCodec => {
  const family = chains.familyOf(variant);
  const codec = transactionCodecs[family];
  if (!codec) throw new Error(`Chain family ${family} has no transaction codec, which managed transactions need.`);
  return codec;
};
