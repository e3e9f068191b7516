import type { Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { openTransactions } from '../../projections/transactions.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import { type DocumentKey, type ReadModels, stoppedParts } from '../ports/read-models.js';

type Ports = { readonly events: Pick<EventStore, 'readAll'>; readonly readModels: ReadModels };
/** Events that the documents of open transactions include; `stopped` describes organizations that are behind. */
type Included = { readonly position: Position; readonly stopped: string };

export const keyText = ({ scope, id }: DocumentKey) => `${scope}|${id}`;
const { name, on } = openTransactions;

/**
 * Creates a function that returns the keys of open transactions whose documents changed since its last call, found from
 * the events that the documents include by now. Returns null when any document may have changed: at the first call,
 * after a failure, and after documents were rebuilt or an organization's projection stopped or continued.
 */
export const createOpenChanges = ({ events, readModels }: Ports, { tag }: Variant) => {
  let last: Included | null = null;

  const readIncluded = async (): Promise<Included> => {
    const { positions } = await readModels.checkpoint();
    const parts = stoppedParts(positions).filter(({ projection }) => projection === name);
    const stopped = parts.map(({ organizationId, position }) => `${organizationId} ${position}`).toSorted();
    return { position: positions[name] ?? beginning, stopped: stopped.join() };
  };
  const keysOf = ({ type, data, metadata: { organizationId, variant } }: Recorded): readonly DocumentKey[] =>
    variant === tag && Object.hasOwn(on, type)
      ? [{ scope: scopeOf(organizationId, tag), id: (data as { transactionId: string }).transactionId }]
      : [];
  const changedIn = async (after: Position, upTo: Position) => {
    const changed: DocumentKey[] = [];
    if (after === upTo) return changed;
    for await (const batch of events.readAll(after)) {
      changed.push(...batch.filter(({ position }) => position <= upTo).flatMap(keysOf));
      if ((batch.at(-1)?.position ?? upTo) >= upTo) break;
    }
    return changed;
  };

  return async (): Promise<readonly DocumentKey[] | null> => {
    const before = last;
    last = null;
    const now = await readIncluded();
    const isContinued = before !== null && before.stopped === now.stopped && before.position <= now.position;
    const changed = isContinued ? await changedIn(before.position, now.position) : null;
    last = now;
    return changed;
  };
};
