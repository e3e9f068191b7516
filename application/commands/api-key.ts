import type { Actor } from '../ports/event-store.js';

/** Matches an api_key, also within a longer text. */
export const apiKeyForm = /\bck_([0-9a-f]{32})_[0-9a-f]{32}\b/;
const keyPattern = new RegExp(`^${apiKeyForm.source}$`);

/** Builds an api_key that includes its organization id, so that one read of the event store finds it. */
export const apiKeyFor = (organizationId: string, random: string) => `ck_${organizationId.slice(4)}_${random}`;
export const organizationOfKey = (apiKey: string) => {
  const found = keyPattern.exec(apiKey);
  return found && `org_${found[1]}`;
};

/** Number of digits of an api_key that are shown. They identify the key within its organization but grant no access. */
const shownDigits = 8;
export const shortApiKey = (apiKey: string) => {
  const [prefix, , random = ''] = apiKey.split('_');
  return `${prefix}_${random.slice(0, shownDigits)}`;
};

/**
 * Returns the actor as the history of an organization names it. The key of another organization is shortened, because
 * an export of the history would otherwise give its readers access to the gateway under that key.
 */
export const actorIn = (organizationId: string, actor: Actor): Actor => {
  const owner = actor.kind === 'credential' ? organizationOfKey(actor.id) : null;
  return owner === null || owner === organizationId ? actor : { ...actor, id: shortApiKey(actor.id) };
};
