import assert from 'node:assert/strict';
import type { Decider, Message } from '../../../domain/decider.js';
import type { FailureCode } from '../../../domain/failure.js';
import { specification } from './given.js';

type Cell<E> = { readonly emits: readonly E[] } | { readonly refused: FailureCode; readonly message: string };
/**
 * Outcomes, keyed by the name of the state. States may be omitted only if `otherwise` gives their outcome.
 */
type Cells<State extends string, E> =
  | Readonly<Record<State, Cell<E>>>
  | (Readonly<Partial<Record<State, Cell<E>>>> & { readonly otherwise: Cell<E> });
export type Row<State extends string, C, E> = {
  readonly asks: string;
  readonly command: C;
  readonly when: Cells<State, E>;
};
/**
 * Outcome of each command in each state. `states` has the events that lead to each state, keyed by the name of the
 * state, which completes the phrase "a transaction that is …".
 */
type Matrix<State extends string, C, E> = {
  readonly states: Readonly<Record<State, readonly E[]>>;
  readonly rows: readonly Row<NoInfer<State>, C, E>[];
};

export const emits = <E>(...events: E[]): Cell<E> => ({ emits: events });
/** Outcome of a command that has already taken effect, or that does not concern the state. */
export const nothing = { emits: [] };
export const refused = (code: FailureCode, message: string) => ({ refused: code, message });
const sentence = <E extends Message>(asks: string, cell: Cell<E>) => {
  if ('refused' in cell) return `rejects ${asks} with ${cell.refused}`;
  return `emits ${cell.emits.map(({ type }) => type).join(', ') || 'nothing'} on ${asks}`;
};

/**
 * Makes one test for each cell, and one that fails if the matrix lacks a command or an event of the decider.
 */
export const check = <C extends Message, E extends Message, S, State extends string>(
  decider: Decider<C, E, S>,
  { states, rows }: Matrix<State, NoInfer<C>, NoInfer<E>>,
) => {
  const pasts = Object.entries(states) as [State, readonly E[]][];
  const given = specification(decider);
  for (const { asks, command, when } of rows)
    for (const [state, past] of pasts) {
      const cell = when[state] ?? ('otherwise' in when ? when.otherwise : assert.fail(`${asks} names no ${state}`));
      it(`that is ${state} ${sentence(asks, cell)}`, () => {
        const outcome = given(...past).when(command);
        if ('refused' in cell) outcome.thenRefused(cell.refused, cell.message);
        else outcome.thenEmits(...cell.emits);
      });
    }
  it('is tested above with every command and every event of its decider', () => {
    const commands = new Set<string>(rows.map(({ command }) => command.type));
    const events = new Set<string>(pasts.flatMap(([, past]) => past.map(({ type }) => type)));
    assert.deepEqual(commands, new Set(Object.keys(decider.decide)));
    assert.deepEqual(events, new Set(Object.keys(decider.evolve)));
  });
};
