import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Difference } from '../../../application/history/diff.js';
import { foldHistory } from '../../../application/history/replay.js';
import type { EventStore, Position } from '../../../application/ports/event-store.js';
import { now } from '../../../application/ports/event-store.js';
import { memoryReadModels } from '../../../infrastructure/memory/read-models.js';
import { scopeOf, systemOwner } from '../../../projections/define.js';
import { projections } from '../../../projections/index.js';
import { openStores } from '../../support/following/following.js';
import { histories } from '../../support/histories/histories.js';
import { openHistory, ownersOf, renamed } from '../../support/histories/past.js';

const bounds = { signal: new AbortController().signal, maxEvents: Number.POSITIVE_INFINITY };
type Documents = Map<string, Readonly<Record<string, unknown>>>;

const documentsAt = async (events: EventStore, organizationId: string, upTo: Position): Promise<Documents> => {
  const { readModels } = await foldHistory({ events, scratch: memoryReadModels }, { organizationId, upTo }, bounds);
  const found: Documents = new Map();
  for (const projection of projections)
    for (const { scope, id, document } of await readModels.scan(projection))
      found.set(JSON.stringify([projection.name, scope, id]), document);
  return found;
};

/**
 * Applies a difference to the documents, and asserts that the difference states the previous values of the documents.
 */
const redo = (documents: Documents, organizationId: string, difference: Difference) => {
  const { collection, chain, id } = difference;
  const scope = collection === 'organizations' ? systemOwner : scopeOf(organizationId, chain);
  const slot = JSON.stringify([collection, scope, id]);
  if (difference.change === 'changed') {
    const document = { ...documents.get(slot) };
    for (const [field, { before, after }] of Object.entries(difference.fields)) {
      assert.deepEqual(document[field], before);
      assert.notDeepEqual(before, after);
      document[field] = after;
    }
    documents.set(slot, document);
  } else if (difference.change === 'undone') {
    assert.notDeepEqual(difference.meanwhile, documents.get(slot) ?? null);
  } else {
    assert.deepEqual(documents.get(slot), difference.change === 'removed' ? difference.document : undefined);
    if (difference.change === 'removed') documents.delete(slot);
    else documents.set(slot, difference.document);
  }
};
const written = (documents: Documents) =>
  JSON.parse(JSON.stringify([...documents].toSorted(([a], [b]) => (a < b ? -1 : 1))));

/**
 * Offsets of further positions to compare. There are so many that some document is both added and removed between two
 * consecutive positions.
 */
const betweens = Array.from({ length: 12 }, (_, i) => i * 20);

describe('the differences between two moments', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('turn the documents of the first moment exactly into those of the second', async () => {
    const changes = new Set<string>();
    let played = 0;
    const check = async (history: ReturnType<typeof openHistory>, id: string, from: Position, to: Position) => {
      const documents = await documentsAt(stores.events, id, from);
      const found = await history.app.differences(id, { position: from }, { position: to }, bounds);
      for (const difference of found.documents) {
        redo(documents, id, difference);
        changes.add(difference.change);
      }
      assert.deepEqual(written(documents), written(await documentsAt(stores.events, id, to)));
    };
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(300), fc.nat(300), async (happened, one, another) => {
        const history = openHistory(stores);
        const name = `d${played++}x`;
        const start = await stores.events.head();
        await history.append(renamed(happened, name));
        const organizations = new Set(ownersOf(name).map(({ organizationId }) => organizationId));
        const moments = [one, another, ...betweens].toSorted((a, b) => a - b).map((passed) => start + passed);
        for (const id of organizations)
          for (const [i, to] of moments.slice(1).entries()) await check(history, id, moments[i] as Position, to);
        await history.close();
      }),
      { numRuns: 5, endOnFailure: true },
    );
    assert.deepEqual(changes, new Set(['added', 'changed', 'removed', 'undone']));
  });

  it('are empty if nothing happened, and rejected if the second moment precedes the first', async () => {
    const history = openHistory(stores);
    const [organizationId] = ownersOf('d0x').map((by) => by.organizationId);
    const ask = (from: Position) => history.app.differences(organizationId ?? '', { position: from }, now, bounds);
    const { to } = await ask(0);
    assert.deepEqual([...(await ask(to)).documents], []);
    assert.deepEqual([...(await ask(to + 1)).documents], []);
    await assert.rejects(history.app.differences(organizationId ?? '', now, { position: to - 1 }, bounds), {
      code: 'INVALID_ARGUMENT',
    });
    await history.close();
  });
});
