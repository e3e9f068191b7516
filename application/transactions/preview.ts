import type { Unsigned } from '../../domain/aggregates/transaction/transaction-data.js';
import type { TokenStandard } from '../../domain/asset.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { TransactionCodec } from '../ports/codec.js';
import type { ReadModels } from '../ports/read-models.js';

/** Effect of a transaction in a form that a person checks before signing. Amounts are decimal numbers of smallest units. */
export type TransactionPreview = {
  kind: (typeof previewKinds)[number];
  /** Receiver of the coins or tokens, or the contract that is called. */
  to: string;
  /** Coins that are sent. */
  value: string;
  token?: { contract_address: string; standard: TokenStandard; token_id?: string; value: string };
  /** Highest possible fee: the gas limit at the gas price or the maximum fee per gas. */
  max_fee: string;
  /**
   * Sender's last known balance less value and highest fee; negative if the balance does not suffice, absent if it is
   * unknown.
   */
  balance_after?: string;
};

export const previewKinds = ['transfer', 'token_transfer', 'contract_call', 'cancellation'] as const;

type Sender = { readonly walletId: string; readonly from: string };

const maxFeeOf = ({ gas, gasPrice }: Unsigned) => BigInt(gas) * BigInt(gasPrice);

const effectOf = (codec: TransactionCodec, { to, value, data }: Unsigned) => {
  if (data === '0x') return { kind: 'transfer', to, value } as const;
  const found = codec.readTokenCall(data);
  if (!found) return { kind: 'contract_call', to, value } as const;
  const { standard, tokenId, value: amount } = found;
  const token = {
    contract_address: to,
    standard,
    ...(standard !== 'erc20' && { token_id: tokenId }),
    value: amount,
  };
  return { kind: 'token_transfer', to: found.to, value, token } as const;
};

export const createPreview =
  (readModels: ReadModels) =>
  async (
    context: Context,
    codec: TransactionCodec,
    unsigned: Unsigned,
    { walletId, from, isCancellation }: Sender & { readonly isCancellation: boolean },
  ): Promise<TransactionPreview> => {
    const id = assetDocumentId(walletId, from, { standard: 'native' });
    const held = await readModels.get(assets, { scope: scopeFor(context), id });
    const maxFee = maxFeeOf(unsigned);
    const after = held && BigInt(held.balance) - BigInt(unsigned.value) - maxFee;
    return {
      ...effectOf(codec, unsigned),
      ...(isCancellation && { kind: 'cancellation' }),
      max_fee: maxFee.toString(),
      ...(after !== null && { balance_after: after.toString() }),
    };
  };
