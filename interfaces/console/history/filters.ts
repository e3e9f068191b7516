import type { Event, ListEventsRequest } from '../../../sdk/typescript/src/generated.js';
import { namesAddress } from '../../cli/audit/replay/names-address.js';

/** Filters of the history, as in the query string of the page's URL. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;
export const filterNames = ['wallet', 'address', 'actor', 'type', 'from', 'to', 'request', 'organization'] as const;
export type FilterName = (typeof filterNames)[number];

export const filtersIn = (query: Readonly<Record<string, string>>): Filters =>
  Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

/** Returns the URL of the page with these filters, so that a filtered history can be shared. */
export const urlOf = (filters: Filters): string => {
  const given = filterNames.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []));
  const query = new URLSearchParams(given).toString();
  return query === '' ? '/console/history' : `/console/history?${query}`;
};

/** Converts the filters that the service supports to a ListEvents request. */
export const requestOf = ({ wallet, actor, type, from, to, request, organization }: Filters): ListEventsRequest => ({
  ...(wallet && { wallet_id: wallet }),
  ...(actor && { actor }),
  ...(type && { types: type.split(',') }),
  ...(from && { from }),
  ...(to && { as_of: to }),
  ...(request && { correlation_id: request }),
  ...(organization && { organization_id: organization }),
});

/** Returns true for events that pass the address filter, which the service does not support. */
export const passes = ({ address }: Filters, event: Event): boolean => !address || namesAddress(event, address);
