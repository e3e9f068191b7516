import type { TransactionCodecs } from '../../application/ports/codec.js';
import { evmTransactions } from './evm/transaction-codec.js';

/** Transaction codecs by family. A family with managed transactions needs one of its own. */
export const transactionCodecs: TransactionCodecs = { evm: evmTransactions, sui: null, ton: null };
