import { useRoute } from 'preact-iso';
import type { ManagedTransaction } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded, useRefresh } from '../parts/use-loaded.js';
import { client } from '../session/session.js';
import { Actions, isUnfinished } from './actions.js';
import { stateName } from './lane.js';
import { Life } from './life.js';
import { StateBadge } from './table.js';

const intervalMs = 5000;
/**
 * Does nothing. Replaces the periodic reload once the outcome of the transaction is known, because the outcome no
 * longer changes.
 */
const stay = () => undefined;

const Facts = ({ transaction }: { readonly transaction: ManagedTransaction }) => {
  const { wallet_id, from, to, value, nonce, gas, gas_price, data } = transaction;
  const { max_fee_per_gas, max_priority_fee_per_gas, failure_reason } = transaction;
  const { transaction_hash, block_number, mine_time, transaction_fee } = transaction;
  const numbers = {
    Amount: value,
    Nonce: nonce,
    'Gas limit': gas,
    ...(max_fee_per_gas === undefined
      ? { 'Gas price': gas_price }
      : { 'Maximum fee per gas': max_fee_per_gas, 'Priority fee per gas': max_priority_fee_per_gas ?? '' }),
    ...(transaction_fee !== undefined && { 'Fee paid': transaction_fee }),
    ...(block_number !== undefined && { Block: String(block_number) }),
  };
  return (
    <dl>
      <dt>From</dt>
      <dd>
        <Copyable text={from} label="sender" /> <a href={`/console/wallets/c/${wallet_id}`}>Wallet</a> ·{' '}
        <a href={`/console/transactions?${new URLSearchParams({ wallet: wallet_id, sender: from })}`}>
          All of this sender
        </a>
      </dd>
      <dt>To</dt>
      <dd>
        <Copyable text={to} label="receiver" />
      </dd>
      {Object.entries(numbers).map(([title, number]) => (
        <>
          <dt key={title}>{title}</dt>
          <dd class="number">{number}</dd>
        </>
      ))}
      {mine_time && (
        <>
          <dt>Mined</dt>
          <dd>
            <Moment iso={mine_time} />
          </dd>
        </>
      )}
      {transaction_hash && (
        <>
          <dt>Hash</dt>
          <dd>
            <Copyable text={transaction_hash} label="transaction hash" />
          </dd>
        </>
      )}
      {data !== '0x' && (
        <>
          <dt>Data</dt>
          <dd>
            <Copyable text={data} label="data" />
          </dd>
        </>
      )}
      {failure_reason && (
        <>
          <dt>Failure</dt>
          <dd class="bad">{failure_reason}</dd>
        </>
      )}
    </dl>
  );
};

/**
 * Page of one transaction: its state, the possible next steps, and the steps in its life. Amounts are in wei.
 */
export const TransactionPage = () => {
  const { params } = useRoute();
  const { id = '' } = params;
  const { value, error, reload } = useLoaded(
    async (signal) => (await client.c.getTransaction({ transaction_id: id }, { signal })).transaction,
    [id],
  );
  const isOpen = value !== undefined && isUnfinished(value);
  useRefresh(isOpen ? reload : stay, intervalMs);
  if (error) return <ProblemNote error={error} />;
  if (value?.transaction_id !== id) return <p>Loading…</p>;
  return (
    <>
      <h1>
        Transaction <span class="id">{id}</span>
      </h1>
      <p role="status">
        <StateBadge state={stateName(value)} />
      </p>
      <div class="halves">
        <div>
          <Facts transaction={value} />
          <h2>Life</h2>
          <Life transaction={value} turn={`${value.transaction_hash} ${value.failure_reason ?? ''}`} />
        </div>
        <Actions key={id} transaction={value} onDone={reload} />
      </div>
    </>
  );
};
