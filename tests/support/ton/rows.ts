import assert from 'node:assert/strict';
import { showTransfer } from '../../../application/assets/wire-records.js';
import type { Interest } from '../../../application/ports/chain.js';
import { variants } from '../../../domain/variant.js';
import { accountIn, readMovements } from '../../../infrastructure/chains/ton/movements.js';
import type { Transaction } from '../../../infrastructure/chains/ton/transactions.js';

const variant = variants.find(({ family }) => family === 'ton') ?? assert.fail('no variant is on TON');
const everything: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };

/**
 * Reads the movements of a transaction. All token imports that name the transaction's account count as confirmed by
 * that account.
 */
export const readMoved = (transaction: Transaction, interest: Interest) =>
  readMovements(transaction, interest, interest.tokenAccounts(accountIn(transaction)));

const undescribed = { name: '', symbol: '', decimals: undefined, uri: '', text: '' };
/** Reads the transfers of a transaction as the API shows them, without its block and the names of tokens. */
export const rowsOf = (transaction: Transaction, interest: Interest = everything) =>
  readMoved(transaction, interest).movements.map(({ side, ...transfer }) => {
    assert.equal(side, transfer.details.transfer_type === 'TRANSFER_TYPE_INCOMING' ? 'to' : 'from');
    const block = { block_number: 1, block_time: 1 };
    const shown = showTransfer(variant, { transfer, state: 'SUCCESS', ...block }, () => undescribed);
    const { block_height, block_timestamp, transfer_metadata, ...row } = shown;
    return row;
  });
