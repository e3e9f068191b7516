import { currentEvents } from '../../../application/commands/current-events.js';
import type { DocumentKey, ReadModels } from '../../../application/ports/read-models.js';
import { createProjector } from '../../../application/projecting/projector.js';
import { createProgress } from '../../../application/read-models/progress.js';
import { variants } from '../../../domain/variant.js';
import { scopeOf, systemOwner } from '../../../projections/define.js';
import { projections } from '../../../projections/index.js';
import type { Home } from '../engines/engines.js';
import { testSystem } from '../silent.js';

/** Reads every document of the given organizations and of the system, and groups the documents by scope. */
const dump = async (readModels: ReadModels, organizations: readonly string[]) => {
  const scopes = [systemOwner, ...organizations.flatMap((id) => variants.map(({ tag }) => scopeOf(id, tag)))];
  const found: Record<string, unknown[]> = Object.fromEntries(scopes.map((scope) => [scope, []]));
  for (const projection of projections)
    for await (const { scope, id, document } of walk(readModels, projection))
      found[scope]?.push({ name: projection.name, id, document });
  return found;
};

export const walk = async function* (readModels: ReadModels, projection: (typeof projections)[number]) {
  let after: DocumentKey | undefined;
  do {
    const some = await readModels.scan(projection, after);
    yield* some;
    after = some.at(-1);
  } while (after);
};

/**
 * Returns the documents in a service's stores, once they include all events, and the documents of a rebuild from the
 * same events.
 */
export const liveAndRebuilt = async (home: Home, organizations: readonly string[]) => {
  const [stored, live, fresh] = await Promise.all([home.events(), home.readModels(), home.emptyReadModels()]);
  const events = currentEvents(stored);
  const catchUp = async (readModels: ReadModels) => {
    const stop = new AbortController();
    const progress = createProgress({ readModels, events, system: testSystem });
    const running = createProjector({ events, readModels, progress, system: testSystem, projections }).run(stop.signal);
    const reached = await progress.reached(await events.head(), 30_000);
    stop.abort();
    await running;
    if (!reached) throw new Error('the read models did not catch up with the event store in time');
    return dump(readModels, organizations);
  };
  try {
    return { live: await catchUp(live), rebuilt: await catchUp(fresh) };
  } finally {
    await Promise.all([events.close(), live.close(), fresh.close()]);
  }
};
