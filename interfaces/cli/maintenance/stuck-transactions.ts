import { wholeNumber } from '../command/arguments.js';
import { type Command, table } from '../command/command.js';

export const transactionsStuck: Command = {
  words: 'transactions stuck',
  summary: 'List what was sent long ago and is in no block, oldest first.',
  options: {
    'older-than': {
      type: 'string',
      value: 'SECONDS',
      summary: 'How long ago; CHAINFOLD_STUCK_SECONDS when not given.',
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
      print({ transactions: stuck }, table(stuck, 'nothing is stuck'));
    } finally {
      await close();
    }
  },
};
