import { refuse } from '../../domain/failure.js';
import type { Cursor } from '../following/cursor.js';
import type { Position } from '../ports/event-store.js';

/** How what a process remembers looks when every position in it is another. */
type Translate = (value: string, at: (position: Position) => Position) => string;

const byKind: readonly (readonly [kind: RegExp, translate: Translate])[] = [
  [
    /^follow:/,
    (value, at) => {
      const cursor = JSON.parse(value) as Cursor;
      return JSON.stringify({ ...cursor, positions: cursor.positions.map(at) });
    },
  ],
  [
    /^audit-chain:/,
    (value, at) => {
      const chain = JSON.parse(value) as { position: Position };
      return JSON.stringify({ ...chain, position: at(chain.position) });
    },
  ],
  [
    /^projector$/,
    (value, at) => {
      const stops = Object.entries(JSON.parse(value) as Record<string, { position: Position }>);
      return JSON.stringify(
        Object.fromEntries(stops.map(([name, stop]) => [name, { ...stop, position: at(stop.position) }])),
      );
    },
  ],
  [/^[a-z-]+$/, (value, at) => (/^\d+$/.test(value) ? String(at(Number(value))) : unknown())],
];

const unknown = (): never => refuse('FAILED_PRECONDITION', 'there is process state that this version cannot move');

/** Positions are a store's own: what processes remember of one is told in those of another. */
export const translated = (id: string, value: string, at: (position: Position) => Position): string => {
  const [, translate] = byKind.find(([kind]) => kind.test(id)) ?? [];
  return translate ? translate(value, at) : unknown();
};
