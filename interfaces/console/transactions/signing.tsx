import type { ManagedTransaction, TransactionPreview } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { ProblemNote } from '../parts/problem.js';
import type { Command } from '../parts/use-command.js';
import { useLoaded } from '../parts/use-loaded.js';
import { client } from '../session/session.js';
import { browserWallet, signWithWallet } from './browser-wallet.js';

const Preview = ({ preview }: { readonly preview: TransactionPreview }) => {
  const { kind, to, value, token, max_fee, balance_after } = preview;
  return (
    <dl>
      <dt>Does</dt>
      <dd>{kind.replaceAll('_', ' ')}</dd>
      <dt>Receiver</dt>
      <dd>
        <Copyable text={to} label="receiver" />
      </dd>
      <dt>Amount</dt>
      <dd class="number">{value}</dd>
      {token && (
        <>
          <dt>Token</dt>
          <dd>
            {token.value} of {token.standard} <Copyable text={token.contract_address} label="token contract" />
            {token.token_id !== undefined && ` with the id ${token.token_id}`}
          </dd>
        </>
      )}
      <dt>Highest fee</dt>
      <dd class="number">{max_fee}</dd>
      {balance_after !== undefined && (
        <>
          <dt>Balance after</dt>
          <dd class="number">
            {balance_after} {balance_after.startsWith('-') && <strong class="bad">not enough</strong>}
          </dd>
        </>
      )}
    </dl>
  );
};

type SigningProps = { readonly transaction: ManagedTransaction; readonly command: Command };

/** Message to sign, its effects, and a form for the signature. Amounts are in the smallest units. */
export const Signing = ({ transaction: { transaction_id, transaction_state, from }, command }: SigningProps) => {
  const { value, error } = useLoaded(
    (signal) => client.c.getTransactionMessageToSign({ transaction_id }, { signal }),
    [transaction_id, transaction_state],
  );
  const wallet = browserWallet();
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  const { transaction_message_to_sign: digest, unsigned_transaction: unsigned = '', preview } = value;
  const submit = async (signature: string) => {
    await client.c.submitTransactionSignature({ transaction_id, signature });
    return 'The signature was accepted.';
  };
  return (
    <>
      {preview && <Preview preview={preview} />}
      <dl>
        <dt>Message to sign</dt>
        <dd>
          <Copyable text={digest} label="message to sign" />
        </dd>
        <dt>Unsigned transaction</dt>
        <dd>
          <Copyable text={unsigned} label="unsigned transaction" />
        </dd>
      </dl>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const signature = String(new FormData(event.currentTarget).get('signature') ?? '').trim();
          command.run(() => submit(signature));
        }}
      >
        <label>
          Signature of the message, without a prefix
          <input name="signature" class="mono" required autocomplete="off" autocapitalize="off" spellcheck={false} />
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            Submit signature
          </button>
          {wallet && (
            <button
              type="button"
              onClick={() => command.run(async () => submit(await signWithWallet(wallet, { from, digest, unsigned })))}
            >
              Sign with the browser wallet
            </button>
          )}
        </div>
      </form>
    </>
  );
};
