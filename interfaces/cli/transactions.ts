import { UsageError } from '../usage-error.js';
import { type Command, table } from './command.js';

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
    const given = options['older-than'] ?? String(settings.stuckSeconds);
    if (!/^\d{1,9}$/.test(given)) throw new UsageError('--older-than must be a whole number of seconds');
    const { app, close } = await open();
    try {
      const stuck = (await app.stuckTransactions(Number(given))).map(
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
