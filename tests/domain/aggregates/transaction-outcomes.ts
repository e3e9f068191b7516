import type { TransactionCommand, TransactionEvent } from '../../../domain/aggregates/transaction.js';
import { emits, type Row } from '../../support/histories/matrix.js';
import {
  at,
  block,
  cancellationMined,
  cancelMinedAt,
  elsewhere,
  event,
  included,
  minedAt,
  minedThere,
  observe,
  orNothing,
  type State,
  waiting,
} from './transaction-states.js';

/** Rows of the state matrix for commands that observe an outcome on the chain. */
export const outcomeRows: Row<State, TransactionCommand, TransactionEvent>[] = [
  {
    asks: 'Observe that it is pending',
    command: observe({ kind: 'waiting' }, 0),
    when: orNothing(at(['replaced', cancellationMined, ...included], event.dropped)),
  },
  {
    asks: 'Observe that it is mined',
    command: observe({ kind: 'mined', block, failed: false }, 1),
    when: orNothing({
      ...at(waiting, event.mined),
      ...at(['replaced', cancellationMined], event.dropped, event.mined),
    }),
  },
  {
    asks: 'Observe that it is mined deep enough',
    command: observe({ kind: 'mined', block, failed: false }, 3),
    when: orNothing({
      ...at(waiting, minedAt(3), event.confirmed),
      mined: emits(event.confirmed),
      ...at(['replaced', cancellationMined], event.dropped, minedAt(3), event.confirmed),
    }),
  },
  {
    asks: 'Observe that it is mined and final',
    command: observe({ kind: 'mined', block, failed: false }, 64),
    when: orNothing({
      ...at(waiting, minedAt(64), event.confirmedForGood),
      mined: emits(event.confirmedForGood),
      ...at(['replaced', cancellationMined], event.dropped, minedAt(64), event.confirmedForGood),
      ...at(['confirmed', 'failed'], event.closed),
    }),
  },
  {
    asks: 'Observe that it failed in another block',
    command: observe({ kind: 'mined', block: elsewhere, failed: true, fee: '42', reason: 'paused' }, 1),
    when: orNothing({
      ...at(waiting, minedThere),
      ...at(['replaced', cancellationMined, ...included], event.dropped, minedThere),
    }),
  },
  {
    asks: 'Observe that another took its place, however deep',
    command: observe({ kind: 'replaced' }, 3),
    when: orNothing({
      ...at(waiting, event.replaced),
      ...at([cancellationMined, ...included], event.dropped, event.replaced),
    }),
  },
  {
    asks: 'Observe that it is finally replaced',
    command: observe({ kind: 'replaced' }, 64),
    when: orNothing({
      ...at(waiting, event.replaced, event.closed),
      ...at([cancellationMined, ...included], event.dropped, event.replaced, event.closed),
      replaced: emits(event.closed),
    }),
  },
  {
    asks: 'Observe that it is canceled, however deep',
    command: observe({ kind: 'canceled', block }, 3),
    when: orNothing({
      ...at(waiting, cancelMinedAt(3)),
      ...at(['replaced', ...included], event.dropped, cancelMinedAt(3)),
    }),
  },
  {
    asks: 'Observe that it is finally canceled',
    command: observe({ kind: 'canceled', block }, 64),
    when: orNothing({
      ...at(waiting, cancelMinedAt(64), event.closed),
      ...at(['replaced', ...included], event.dropped, cancelMinedAt(64), event.closed),
      [cancellationMined]: emits(event.closed),
    }),
  },
];
