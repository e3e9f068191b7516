import { apiKeyForm, organizationOfKey } from '../../../application/access/credential-cache.js';
import type { EventRecord } from '../../../application/audit/event-record.js';

const apiKeys = new RegExp(apiKeyForm, 'g');
/** Number of digits of an api_key that are shown. They identify the key within its organization but grant no access. */
const shownDigits = 8;

/** Shortens an api_key of the organization, and replaces any other by `operator`. */
const nameOf = (apiKey: string, organizationId: string) => {
  const [prefix, , random = ''] = apiKey.split('_');
  return organizationOfKey(apiKey) === organizationId ? `${prefix}_${random.slice(0, shownDigits)}` : 'operator';
};

const actorFor = ({ kind, id }: EventRecord['actor'], organizationId: string) => {
  const isOther = kind === 'operator' || (kind === 'credential' && organizationOfKey(id) !== organizationId);
  return isOther ? { kind: 'operator', id: '' } : { kind, id };
};

/** Types whose `by` is the login name of an operator. */
const namingOperators: ReadonlySet<string> = new Set(['LossAccepted', 'LogLossAccepted']);
const dataFor = ({ type, data }: EventRecord) => (namingOperators.has(type) ? { ...data, by: 'operator' } : data);

/**
 * Returns an event as shown to a client of the organization: without encrypted secrets and names of operators, and with
 * shortened api_keys, because an api_key alone grants access to the gateway.
 */
export const shownToClient = (event: EventRecord, organizationId: string): EventRecord => {
  const shown = { ...event, actor: actorFor(event.actor, organizationId), data: dataFor(event) };
  const mask = (name: string, value: unknown) => {
    if (name.startsWith('sealed')) return undefined;
    return typeof value === 'string' ? value.replace(apiKeys, (key) => nameOf(key, organizationId)) : value;
  };
  return JSON.parse(JSON.stringify(shown), mask) as EventRecord;
};
