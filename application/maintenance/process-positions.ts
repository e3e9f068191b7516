import { fail } from '../../domain/failure.js';
import { parseObject } from '../audit/seals/seal-progress.js';
import { withPositions } from '../following/progress/cursor-store.js';
import type { Position } from '../ports/event-store.js';
import type { PageKey } from '../ports/read-models.js';
import { withWrittenSince } from './newer-software.js';

/**
 * Replaces every position in a stored state entry with the position that `at` returns for it. Returns null if the
 * format of the entry is unknown.
 */
type Translate = (value: string, at: (position: Position) => Position) => string | null;

const byKind: readonly (readonly [kind: RegExp, translate: Translate])[] = [
  [/^follow:/, withPositions],
  [
    /^(?:pulse|audit-refusal|set-aside|unreadable|lease|reconcile|traced|nonces|credential|credential-use|backup|import|session|sessions|console-link):|^late-accounts |^audit-log$/,
    (value) => value,
  ],
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
      const chain = parseObject(value) as { position: Position; signature?: string };
      // Leaves signed progress unchanged. Progress with a valid signature is migrated by moved-histories.ts, so the
      // signature of this progress was invalid in the source.
      return chain.signature === undefined ? JSON.stringify({ ...chain, position: at(chain.position) }) : value;
    },
  ],
  [/^event-versions$/, withWrittenSince],
  [
    /^projector$/,
    (value, at) => {
      const stops = Object.entries(JSON.parse(value) as Record<string, { position: Position }>);
      return JSON.stringify(
        Object.fromEntries(stops.map(([name, stop]) => [name, { ...stop, position: at(stop.position) }])),
      );
    },
  ],
  [/^(?:[a-z-]+[A-Z]?|witness:[a-z]+)$/, (value, at) => (/^\d+$/.test(value) ? String(at(Number(value))) : null)],
];

const unknown = (id: string): never =>
  fail(
    'FAILED_PRECONDITION',
    `This version cannot migrate the process state ${id}. Migrate with the version that wrote it.`,
  );

/** Converts the positions in an entry of the state store to positions of another event store. */
export const migratePositions = (id: string, value: string, at: (position: Position) => Position): string => {
  const [, translate] = byKind.find(([kind]) => kind.test(id)) ?? [];
  return translate?.(value, at) ?? unknown(id);
};
