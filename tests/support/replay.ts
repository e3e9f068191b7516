import fc from 'fast-check';
import { scopeOf } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import { type Happened, histories } from './histories.js';
import { organizationIds, tags } from './history-asks.js';

export const owners = organizationIds.flatMap((organizationId) =>
  tags.map((variant) => ({ organizationId, variant, scope: scopeOf(organizationId, variant) })),
);

/** By slot. */
export type Documents = ReadonlyMap<string, object>;
export const slot = (collection: string, scope: string, id: string) => JSON.stringify([collection, scope, id]);

/** What every projection makes of a history, on top of what there was. */
export const project = (history: readonly Happened[], from: Documents = new Map()): Documents => {
  const documents = new Map(from);
  for (const event of history)
    for (const { name, scope, key, on } of projections) {
      if (!Object.hasOwn(on, event.type)) continue;
      const at = slot(name, scope(event.about), key(event));
      const next = on[event.type]?.(documents.get(at) ?? null, event.data, event.about);
      if (next) documents.set(at, next);
      else documents.delete(at);
    }
  return documents;
};

export const holds = (check: (history: readonly Happened[]) => void) => fc.assert(fc.property(histories, check));
