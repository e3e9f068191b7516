import { useLocation } from 'preact-iso';
import type { ManagedTransaction } from '../../../sdk/typescript/src/generated.js';
import { ProblemNote } from '../parts/problem.js';
import { useCommand } from '../parts/use-command.js';
import { client } from '../session/session.js';
import { stateName } from './lane.js';
import { Signing } from './signing.js';

type Step = 'sign' | 'send' | 'speedUp' | 'cancel';

/** Steps that the user can take next, by the state of the transaction. A state without an entry allows none. */
const steps: Readonly<Record<string, readonly Step[]>> = {
  CREATED: ['sign', 'cancel'],
  SIGNED: ['send', 'cancel'],
  SENT: ['speedUp', 'cancel'],
  CANCELING: ['sign', 'send'],
};
const hints: Readonly<Record<string, string>> = {
  CREATED: 'Sign the message outside the service, or with a wallet of this browser. The service holds no private key.',
  SIGNED: 'Nothing was sent yet.',
  SENT: 'It waits for a block. Speeding it up or canceling it prepares a replacement with the same nonce, to sign and send.',
  CANCELING: 'Sign and send the cancellation. Until it is mined, the original may still be mined instead.',
  MINED: 'It waits for its confirmations.',
};

export const isUnfinished = (transaction: ManagedTransaction): boolean => stateName(transaction) in hints;

type ActionsProps = { readonly transaction: ManagedTransaction; readonly onDone: () => void };

/** Commands that the state of a transaction allows. The commands are signed with the user's api_secret. */
export const Actions = ({ transaction, onDone }: ActionsProps) => {
  const { route } = useLocation();
  const command = useCommand(onDone);
  const { transaction_id, max_fee_per_gas } = transaction;
  const allowed = steps[stateName(transaction)] ?? [];
  const feeField = max_fee_per_gas === undefined ? 'gas_price' : 'max_fee_per_gas';
  const send = async () => {
    const { transaction: sent } = await client.c.sendTransaction({ transaction_id });
    return `Sent as ${sent.transaction_hash}.`;
  };
  const cancel = async () => {
    await client.c.cancelTransaction({ transaction_id });
    return 'Canceled, or prepared to be.';
  };
  const speedUp = async (fee: string) => {
    const answer = await client.c.speedUpTransaction({ transaction_id, ...(fee && { [feeField]: fee }) });
    route(`/console/transactions/${answer.transaction.transaction_id}`);
    return 'This is the replacement. Sign and send it.';
  };
  return (
    <section class="panel" aria-labelledby="next-title">
      <h2 id="next-title">Next</h2>
      <p>{hints[stateName(transaction)] ?? 'This is the outcome. Nothing is left to do.'}</p>
      {allowed.includes('sign') && <Signing transaction={transaction} command={command} />}
      {allowed.includes('speedUp') && (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            const fee = String(new FormData(event.currentTarget).get('fee') ?? '').trim();
            command.run(() => speedUp(fee));
          }}
        >
          <label>
            {feeField}, in wei; 1.125 times the last one if empty
            <input name="fee" inputMode="numeric" pattern="[1-9][0-9]*" autocomplete="off" />
          </label>
          <button type="submit" class="primary">
            Speed up
          </button>
        </form>
      )}
      <div class="actions">
        {allowed.includes('send') && (
          <button type="button" class="primary" onClick={() => command.run(send)}>
            Send
          </button>
        )}
        {allowed.includes('cancel') && (
          <button type="button" onClick={() => command.run(cancel)}>
            Cancel it
          </button>
        )}
        <span role="status">{command.status}</span>
      </div>
      <ProblemNote error={command.error} />
    </section>
  );
};
