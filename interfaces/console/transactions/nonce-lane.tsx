import { Copyable } from '../parts/copyable.js';
import { ProblemNote } from '../parts/problem.js';
import { Scroll } from '../parts/scroll.js';
import { useLoaded, useRefresh } from '../parts/use-loaded.js';
import { client } from '../session/session.js';
import { laneOf, type Place, stateName } from './lane.js';
import { urlOf } from './table.js';

const intervalMs = 10_000;
/** Maximum number of transactions whose nonces are shown. The newest transactions of the sender are shown. */
const laneLength = 100;

const Missing = ({ place }: { readonly place: Extract<Place, { readonly first: number }> }) => {
  const { kind, first, last } = place;
  return (
    <li class={kind}>
      <strong>{first === last ? first : `${first}–${last}`}</strong>
      <span>{kind === 'gap' ? 'gap' : 'used elsewhere'}</span>
    </li>
  );
};

const Held = ({ place: { nonce, transactions } }: { readonly place: Extract<Place, { readonly kind: 'held' }> }) => (
  <li class="held">
    <strong>{nonce}</strong>
    {transactions.map((transaction) => (
      <a key={transaction.transaction_id} class={stateName(transaction).toLowerCase()} href={urlOf(transaction)}>
        {stateName(transaction).toLowerCase()}
      </a>
    ))}
  </li>
);

/** Nonces of a sender in order, with the transactions of each nonce, and the gaps that block later transactions. */
export const NonceLane = ({ sender }: { readonly sender: string }) => {
  const { value, error, reload } = useLoaded(
    async (signal) => {
      const { transactions } = await client.c.listTransactions({ address: sender, page_size: laneLength }, { signal });
      return laneOf(transactions);
    },
    [sender],
  );
  useRefresh(reload, intervalMs);
  const hasGap = value?.some(({ kind }) => kind === 'gap');
  return (
    <section aria-labelledby="lane-title">
      <h2 id="lane-title">Nonces</h2>
      <p class="quiet">
        of <Copyable text={sender} label="sender" />, the last {laneLength} transactions
      </p>
      <ProblemNote error={error} />
      {hasGap && (
        <p class="note warn">
          A nonce is missing. Transactions with higher nonces are not mined before one with the missing nonce is: create
          it with <a href="/console/api/c/CreateTransaction">CreateTransaction</a>, or cancel the later ones.
        </p>
      )}
      <Scroll label="Nonces of the sender">
        <ol class="lane">
          {value?.map((place) =>
            place.kind === 'held' ? (
              <Held key={place.nonce} place={place} />
            ) : (
              <Missing key={`${place.first} missing`} place={place} />
            ),
          )}
        </ol>
      </Scroll>
    </section>
  );
};
