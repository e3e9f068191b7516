import type { Context } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { TransactionCodec, TransactionCodecs } from '../ports/codec.js';

export type CodecPorts = { readonly chains: Pick<Chains, 'familyOf'>; readonly transactionCodecs: TransactionCodecs };

/** Finds the codec of the family of the nodes, so that no family ever signs in the format of another. */
export const codecOf = ({ chains, transactionCodecs }: CodecPorts, { variant }: Context): TransactionCodec => {
  const family = chains.familyOf(variant);
  const codec = transactionCodecs[family];
  if (!codec) throw new Error(`Chain family ${family} has no transaction codec, which managed transactions need.`);
  return codec;
};
