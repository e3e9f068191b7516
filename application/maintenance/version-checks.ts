import { type Check, fail, ok } from './finding.js';
import { type NewerSoftware, unreadableText } from './newer-software.js';

/**
 * Maximum duration in milliseconds of the search for unreadable events. A search that takes longer covers only a part
 * of the events.
 */
const searchMs = 5000;

const rebuildAdvice = 'run chainfold projections rebuild --all with this release, or upgrade to the newer one';
const upgradeAdvice = 'upgrade to the release that wrote them; only these organizations are affected';

/** Returns the checks for read models and events that a newer release wrote. */
export const versionChecks = (newer: () => Promise<NewerSoftware>): readonly Check[] => [
  {
    name: 'read model versions',
    advice: 'fix the read models first',
    run: async () => {
      const found = await (await newer()).readModels();
      return found.length > 0 ? found.map((text) => fail(text, rebuildAdvice)) : [ok('all are of this release')];
    },
  },
  {
    name: 'event versions',
    advice: 'fix the event store and the process state first',
    run: async () => {
      const { found, searched, isPartial } = await (await newer()).searchEvents({ ms: searchMs });
      if (found.length > 0) return found.map((kind) => fail(unreadableText(kind), upgradeAdvice));
      return [ok(isPartial ? `all of the ${searched} events searched can be read` : 'every event can be read')];
    },
  },
];
