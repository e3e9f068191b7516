import type { EventRecord } from '../../../application/audit/event-record.js';
import { apiKeyForm, organizationOfKey, shortApiKey } from '../../../application/commands/api-key.js';

const apiKeys = new RegExp(apiKeyForm, 'g');

/** Shortens an api_key of the organization, and replaces any other api_key with `operator`. */
const nameOf = (apiKey: string, organizationId: string) =>
  organizationOfKey(apiKey) === organizationId ? shortApiKey(apiKey) : 'operator';

const actorFor = ({ kind, id }: EventRecord['actor'], organizationId: string) => {
  const isOther = kind === 'operator' || (kind === 'credential' && organizationOfKey(id) !== organizationId);
  return isOther ? { kind: 'operator', id: '' } : { kind, id };
};

/** Types of events that have the login name of an operator in their field `by`. */
const namingOperators: ReadonlySet<string> = new Set(['LossAccepted', 'LogLossAccepted']);
const dataFor = ({ type, data }: EventRecord) => (namingOperators.has(type) ? { ...data, by: 'operator' } : data);

/** Returns a copy of a value without encrypted secrets, and with shortened api_keys. */
export const maskedFor = <T>(value: T, organizationId: string): T => {
  const mask = (name: string, member: unknown) => {
    if (name.startsWith('sealed')) return undefined;
    return typeof member === 'string' ? member.replace(apiKeys, (key) => nameOf(key, organizationId)) : member;
  };
  return JSON.parse(JSON.stringify(value), mask) as T;
};

/**
 * Returns an event as shown to a client of the organization: without encrypted secrets and names of operators, and with
 * shortened api_keys, because an api_key alone grants access to the gateway.
 */
export const shownToClient = (event: EventRecord, organizationId: string): EventRecord =>
  maskedFor({ ...event, actor: actorFor(event.actor, organizationId), data: dataFor(event) }, organizationId);
