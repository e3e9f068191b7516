import { wholeNumber } from '../command/arguments.js';
import { type Command, table } from '../command/command.js';

export const transactionsStuck: Command = {
  words: 'transactions stuck',
  summary: 'List transactions that were sent long ago and are in no block, oldest first.',
  options: {
    'older-than': {
      type: 'string',
      value: 'SECONDS',
      summary: 'Minimum age; CHAINFOLD_STUCK_SECONDS by default.',
    },
  },
  run: async ({ open, options, settings, print }) => {
    const seconds = wholeNumber('--older-than', options['older-than'] ?? String(settings.stuckSeconds), 9);
    const { app, close } = await open();
    try {
      const stuck = (await app.stuckTransactions(seconds)).map(
        ({ organizationId, variant, transaction, ageSeconds }) => ({
          organization_id: organizationId,
          chain: variant,
          transaction_id: transaction.transaction_id,
          wallet_id: transaction.wallet_id,
          from: transaction.from,
          nonce: String(transaction.nonce),
          transaction_hash: transaction.hash,
          canceling: String(transaction.is_canceling),
          age_seconds: String(ageSeconds),
        }),
      );
      print({ transactions: stuck }, table(stuck, 'No stuck transactions'));
    } finally {
      await close();
    }
  },
};
