import fc from 'fast-check';
import type { AddressDocument, AddressTokenDocument } from '../../../projections/addresses.js';
import { scopeOf } from '../../../projections/define.js';
import { projections } from '../../../projections/index.js';
import { seed } from '../run/seed.js';
import { sized } from '../run/tier.js';
import { type Happened, histories } from './histories.js';
import { organizationIds, tags } from './history-asks.js';

export const owners = organizationIds.flatMap((organizationId) =>
  tags.map((variant) => ({ organizationId, variant, scope: scopeOf(organizationId, variant) })),
);

/** Documents, keyed by slot: a text that consists of the collection, the scope and the id. */
export type Documents = ReadonlyMap<string, object>;
export const slot = (collection: string, scope: string, id: string) => JSON.stringify([collection, scope, id]);

/** Applies every projection to a history, starting from the given documents. */
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

/** Returns the documents of a collection in a scope. */
export const documentsIn = <Doc>(documents: Documents, collection: string, scope: string) =>
  [...documents].flatMap(([at, document]) => {
    const [name, owner] = JSON.parse(at) as [string, string];
    return name === collection && owner === scope ? [document as Doc] : [];
  });

/** Returns the tokens of an address since its registration, oldest first. */
export const tokensOf = (documents: Documents, collection: string, scope: string, held: AddressDocument) =>
  documentsIn<AddressTokenDocument>(documents, collection, scope)
    .filter((one) => one.wallet_id === held.wallet_id && one.address === held.address && one.position > held.position)
    .sort((a, b) => a.position - b.position);

type Check = (history: readonly Happened[]) => void;

const run = { seed, numRuns: sized(50, 200) };
let made: readonly (readonly Happened[])[] | undefined;

const failureOf = (check: Check, history: readonly Happened[]) => {
  try {
    check(history);
    return null;
  } catch (error) {
    return error as Error;
  }
};

/**
 * Checks a property over histories that all properties of a file share, because making them takes most of the time. A
 * property that fails is checked again by fast-check, which finds the smallest history for which it fails.
 */
export const holds = (check: Check) => {
  made ??= fc.sample(histories, run);
  for (const history of made) {
    const failure = failureOf(check, history);
    if (!failure) continue;
    fc.assert(fc.property(histories, check), run);
    throw new Error(`failed for a history of seed ${run.seed}`, { cause: failure });
  }
};
