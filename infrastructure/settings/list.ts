import type { Sources } from './sources.js';
import { settings } from './table.js';

/**
 * Lists the settings that are set, and the defaults of all other settings. Values that may contain a secret are hidden.
 */
export const listSettings = ({ environment, origins }: Sources) =>
  settings.flatMap(({ name, byDefault, isSecret }) => {
    const from = origins[name];
    if (from !== undefined) return [{ name, value: isSecret ? '(hidden)' : (environment[name] ?? ''), from }];
    // Defaults of gateway addresses are left out: they are the same for every address, and would fill the page.
    const isListed = byDefault !== undefined && !name.startsWith('GATEWAY_');
    return isListed ? [{ name, value: String(byDefault), from: 'default' }] : [];
  });
