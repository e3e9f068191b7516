import assert from 'node:assert/strict';
import type { Decider, Message } from '../../domain/decider.js';
import type { FailureCode } from '../../domain/failure.js';
import { specification } from './given.js';

type Cell<E> = { readonly emits: readonly E[] } | { readonly refused: FailureCode; readonly message: string };
/** One past per column; in each row what is asked, the command and one cell per column. */
type Matrix<C, E> = {
  readonly pasts: Readonly<Record<string, E[]>>;
  readonly rows: readonly [string, C, ...Cell<E>[]][];
};

export const emits = <E>(...events: E[]): Cell<E> => ({ emits: events });
/** What was asked is already so. */
export const nothing = { emits: [] };
export const refused = (code: FailureCode, message: string) => ({ refused: code, message });
const told = <E extends Message>(cell: Cell<E>) => {
  if ('refused' in cell) return `is refused with ${cell.refused}`;
  return cell.emits.length === 0 ? 'changes nothing' : `emits ${cell.emits.map(({ type }) => type).join(', ')}`;
};

/** One test per cell, and one that no command or event was left out. */
export const check = <C extends Message, E extends Message, S>(
  decider: Decider<C, E, S>,
  { pasts, rows }: Matrix<C, E>,
) => {
  const columns = Object.entries(pasts);
  const given = specification(decider);
  for (const [asked, command, ...cells] of rows)
    for (const [i, [state, past]] of columns.entries()) {
      const cell = cells[i] ?? assert.fail(`${asked} says nothing of ${state}`);
      it(`${asked} ${told(cell)} while ${state}`, () => {
        const when = given(...past).when(command);
        if ('refused' in cell) when.thenRefused(cell.refused, cell.message);
        else when.thenEmits(...cell.emits);
      });
    }
  it('has a row for every command and a column for every event', () => {
    const commands = new Set<string>(rows.map(([, { type }]) => type));
    const events = new Set<string>(columns.flatMap(([, past]) => past.map(({ type }) => type)));
    assert.deepEqual(commands, new Set(Object.keys(decider.decide)));
    assert.deepEqual(events, new Set(Object.keys(decider.evolve)));
  });
};
