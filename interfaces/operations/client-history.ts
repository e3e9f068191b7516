import { apiKeyForm, organizationOfKey } from '../../application/access/credential-cache.js';
import type { EventRecord } from '../../application/audit/event-record.js';

const apiKeys = new RegExp(apiKeyForm, 'g');
/** Digits of an api_key that tell the keys of one organization apart, and open nothing. */
const tellingDigits = 8;

/** Names an api_key of the organization by its telling digits, and any other as the operator's. */
const nameOf = (apiKey: string, organizationId: string) => {
  const [prefix, , random = ''] = apiKey.split('_');
  return organizationOfKey(apiKey) === organizationId ? `${prefix}_${random.slice(0, tellingDigits)}` : 'operator';
};

const actorFor = ({ kind, id }: EventRecord['actor'], organizationId: string) => {
  const isOther = kind === 'operator' || (kind === 'credential' && organizationOfKey(id) !== organizationId);
  return isOther ? { kind: 'operator', id: '' } : { kind, id };
};

/**
 * Shows an event as a client of the organization may see it: without sealed secrets, without the names of operators and
 * with short names in place of api_keys, since an api_key alone spends its organization's limits at the gateway.
 */
export const shownToClient = (event: EventRecord, organizationId: string): EventRecord => {
  const shown = { ...event, actor: actorFor(event.actor, organizationId) };
  const mask = (name: string, value: unknown) => {
    if (name.startsWith('sealed')) return undefined;
    return typeof value === 'string' ? value.replace(apiKeys, (key) => nameOf(key, organizationId)) : value;
  };
  return JSON.parse(JSON.stringify(shown), mask) as EventRecord;
};
