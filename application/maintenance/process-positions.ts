import { fail } from '../../domain/failure.js';
import { objectIn } from '../audit/seal-progress.js';
import { withPositions } from '../following/progress/cursor-store.js';
import type { Position } from '../ports/event-store.js';
import type { PageKey } from '../ports/read-models.js';

/** Replaces every position in the stored state of a process. */
type Translate = (value: string, at: (position: Position) => Position) => string;

const byKind: readonly (readonly [kind: RegExp, translate: Translate])[] = [
  [/^follow:/, withPositions],
  [/^(?:pulse|audit-refusal|set-aside|lease|traced|nonces|credential):|^late-accounts |^audit-log$/, (value) => value],
  [
    /^token-accounts /,
    (value, at) => {
      const [position, ...rest] = JSON.parse(value) as PageKey;
      return JSON.stringify([at(Number(position)), ...rest]);
    },
  ],
  [
    /^audit-chain:/,
    (value, at) => {
      const chain = objectIn(value) as { position: Position; signature?: string };
      // A signed memory that does not move with its history was false before.
      return chain.signature === undefined ? JSON.stringify({ ...chain, position: at(chain.position) }) : value;
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
  [/^(?:[a-z-]+[A-Z]?|witness:[a-z]+)$/, (value, at) => (/^\d+$/.test(value) ? String(at(Number(value))) : unknown())],
];

const unknown = (): never => fail('FAILED_PRECONDITION', 'there is process state that this version cannot move');

/** Converts the positions in a process's stored state to those of another store, because each store has its own. */
export const translated = (id: string, value: string, at: (position: Position) => Position): string => {
  const [, translate] = byKind.find(([kind]) => kind.test(id)) ?? [];
  return translate ? translate(value, at) : unknown();
};
