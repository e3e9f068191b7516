import type { TransactionCodecs } from '../../application/ports/codec.js';
import { evmTransactions } from './evm/transaction-codec.js';

/** Transaction codecs by family; null for a family without managed transactions. */
export const transactionCodecs: TransactionCodecs = { evm: evmTransactions, sui: null, ton: null };
