import { showDifference } from '../../../application/reconciliation/difference-record.js';
import { differenceRecord } from '../asset-records.js';
import { operation } from '../define.js';
import { anyWallet } from '../examples/ids.js';
import { id, list } from '../schema.js';

export const reconcileWallet = operation({
  kind: 'command',
  name: 'ReconcileWallet',
  summary: 'Compare the balances of a wallet with the node at a final block, and correct those that differ.',
  surface: 'wallet',
  extension: true,
  touches: 'balances',
  request: { wallet_id: { schema: id, required: true } },
  example: () => ({ wallet_id: anyWallet }),
  response: { differences: { schema: (variant) => list(differenceRecord(variant)), required: true } },
  handle: async (app, { wallet_id }, by) => {
    const { answer, position } = await app.reconciliation.reconcile(by, wallet_id);
    const describe = await app.descriptions(
      by,
      answer.map(({ asset }) => asset),
    );
    const differences = answer.map((difference) => showDifference(by.variant, difference, describe));
    return { answer: { differences }, position };
  },
});
