import type { App } from '../../../application/app.js';
import { unreadableText } from '../../../application/maintenance/newer-software.js';
import type { Invocation } from '../command/command.js';

/** Time limit of the search for unreadable events at startup. */
const searchMs = 1000;

const rebuildAdvice = 'Run chainfold projections rebuild --all with this release, or upgrade to the newer one.';
const upgradeAdvice = 'Upgrade to the release that wrote these events.';

/**
 * Warns about read models and events of a newer release. Returns the warning about read models; null if no read model
 * is of a newer release.
 */
export const warnOfNewerSoftware = async (
  { newerSoftware, system }: App,
  printError: Invocation['printError'],
): Promise<string | null> => {
  await newerSoftware.record();
  const [readModels, versions] = [await newerSoftware.readModels(), await newerSoftware.eventVersions()];
  for (const text of readModels) {
    printError(`${text}. ${rebuildAdvice}`);
    system.log.error({ advice: rebuildAdvice }, text);
  }
  if (versions.length > 0)
    printError(
      `A newer release used these stores. It writes events that this release cannot read: ${versions.join(', ')}. ${upgradeAdvice}`,
    );
  return readModels.length > 0 ? `${readModels.join('. ')}. ${rebuildAdvice}` : null;
};

/**
 * Searches the history for events that this release cannot read, and prints their type, version and organizations.
 * Never rejects, because the service works without the result of the search.
 */
export const searchNewerEvents = async (
  { newerSoftware, system }: App,
  printError: Invocation['printError'],
  signal: AbortSignal,
) => {
  try {
    const { found } = await newerSoftware.searchEvents({ ms: searchMs, signal });
    for (const kind of found) {
      printError(`${unreadableText(kind)}. ${upgradeAdvice}`);
      system.log.error({ ...kind }, 'Events of a newer release cannot be read');
    }
  } catch (error) {
    system.log.warn({ err: error }, 'Search for events of a newer release failed');
  }
};
