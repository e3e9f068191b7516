import type { ManagedTransaction } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { Table } from '../parts/table.js';
import { stateName } from './lane.js';

export const StateBadge = ({ state }: { readonly state: string }) => (
  <span class={`state badge ${state.toLowerCase()}`}>{state.toLowerCase()}</span>
);

export const urlOf = ({ transaction_id }: ManagedTransaction): string => `/console/transactions/${transaction_id}`;

export const TransactionTable = ({ transactions }: { readonly transactions: readonly ManagedTransaction[] }) => (
  <Table label="Transactions" titles={['Id', 'State', 'Nonce', 'Amount', 'To', 'Created']}>
    {transactions.map((transaction) => (
      <tr key={transaction.transaction_id}>
        <th scope="row">
          <a href={urlOf(transaction)}>{transaction.transaction_id}</a>
        </th>
        <td>
          <StateBadge state={stateName(transaction)} />
        </td>
        <td class="number">{transaction.nonce}</td>
        <td class="number">{transaction.value}</td>
        <td>
          <Copyable text={transaction.to} label="receiver" />
        </td>
        <td>
          <Moment iso={transaction.create_time ?? ''} />
        </td>
      </tr>
    ))}
  </Table>
);
