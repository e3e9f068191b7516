import type { PageKey, ReadModels } from '../../application/ports/read-models.js';
import { createProjector } from '../../application/processes/project.js';
import { createProgress } from '../../application/progress.js';
import { variants } from '../../domain/variant.js';
import { everybody, scopeOf } from '../../projections/define.js';
import { projections } from '../../projections/index.js';
import type { Home } from './engines.js';
import { testSystem } from './silent.js';

/** Every document of some organizations, scope by scope. */
const dump = async (readModels: ReadModels, organizations: readonly string[]) => {
  const scopes = [everybody, ...organizations.flatMap((id) => variants.map(({ tag }) => scopeOf(id, tag)))];
  const found: Record<string, unknown[]> = {};
  for (const scope of scopes) found[scope] = await dumpScope(readModels, scope);
  return found;
};

const dumpScope = async (readModels: ReadModels, scope: string) => {
  const found: { name: string; document: unknown }[] = [];
  const wallets: string[] = [];
  for (const projection of projections.filter((one) => 'all' in one.indexes))
    for await (const document of walk(readModels, projection, scope, 'all', [])) {
      found.push({ name: projection.name, document });
      if (projection.name === 'wallets') wallets.push((document as { wallet_id: string }).wallet_id);
    }
  for (const projection of projections.filter((one) => 'byWallet' in one.indexes))
    for (const wallet of wallets)
      for await (const document of walk(readModels, projection, scope, 'byWallet', [wallet]))
        found.push({ name: projection.name, document });
  return found;
};

const walk = async function* (
  readModels: ReadModels,
  projection: (typeof projections)[number],
  scope: string,
  index: string,
  equal: string[],
) {
  let after: PageKey | undefined;
  do {
    const page = await readModels.page(projection, scope, { index, equal, limit: 500, after });
    yield* page.documents;
    after = page.next ?? undefined;
  } while (after);
};

/** The read models of a home as they are, and as a fresh rebuild from its events makes them. */
export const liveAndRebuilt = async (home: Home, organizations: readonly string[]) => {
  const [events, live, fresh] = await Promise.all([home.events(), home.readModels(), home.emptyReadModels()]);
  const catchUp = async (readModels: ReadModels) => {
    const stop = new AbortController();
    const progress = createProgress(readModels, testSystem);
    const running = createProjector({ events, readModels, progress, system: testSystem, projections }).run(stop.signal);
    const reached = await progress.reached(await events.head(), 30_000);
    stop.abort();
    await running;
    if (!reached) throw new Error('the read models did not catch up');
    return dump(readModels, organizations);
  };
  try {
    return { live: await catchUp(live), rebuilt: await catchUp(fresh) };
  } finally {
    await Promise.all([events.close(), live.close(), fresh.close()]);
  }
};
