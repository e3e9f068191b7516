import type { Actor } from '../ports/event-store.js';

/** Matches an api_key, also within a longer text. */
export const apiKeyForm = /\bck_([0-9a-f]{32})_[0-9a-f]{32}\b/;
const keyPattern = new RegExp(`^${apiKeyForm.source}$`);

/** Builds an api_key that includes its organization id, so that one read of the event store finds its credential. */
export const apiKeyFor = (organizationId: string, random: string) => `ck_${organizationId.slice(4)}_${random}`;
export const organizationOfKey = (apiKey: string) => {
  const found = keyPattern.exec(apiKey);
  return found && `org_${found[1]}`;
};

/**
 * Number of random digits in a shortened api_key: enough to identify the key within its organization, too few to grant
 * access.
 */
const shownDigits = 8;
export const shortApiKey = (apiKey: string) => {
  const [prefix, , random = ''] = apiKey.split('_');
  return `${prefix}_${random.slice(0, shownDigits)}`;
};

/**
 * Returns the actor to store with an event of an organization. An api_key of another organization is shortened, so that
 * nobody who reads an export of the events can use that key.
 */
export const actorIn = (organizationId: string, actor: Actor): Actor => {
  const owner = actor.kind === 'credential' ? organizationOfKey(actor.id) : null;
  return owner === null || owner === organizationId ? actor : { ...actor, id: shortApiKey(actor.id) };
};
