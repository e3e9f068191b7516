import { parseAsOf } from '../../../application/history/parse-moment.js';
import { now } from '../../../application/ports/event-store.js';
import { operation } from '../define.js';
import { anyOrganization } from '../examples/ids.js';
import { pageSize, pageToken, pagination } from '../records.js';
import { anyObject, id, int64, list, moment, named, nullable, oneOf, text } from '../schema.js';
import { maskedFor } from './client-history.js';

type DifferenceRecord = {
  collection: string;
  chain: string;
  id: string;
  change: 'added' | 'removed' | 'changed' | 'undone';
  document?: object;
  fields?: object;
  meanwhile?: object | null;
};

const difference = named<DifferenceRecord>(
  'Difference',
  {
    collection: id,
    chain: text(0, 10),
    id: text(1, 1000),
    change: oneOf(['added', 'removed', 'changed', 'undone']),
    document: anyObject,
    fields: anyObject,
    meanwhile: nullable(anyObject),
  },
  ['document', 'fields', 'meanwhile'],
);

export const diffHistory = operation({
  kind: 'query',
  name: 'DiffHistory',
  summary: "List how an organization's records changed between two moments, and what was undone in between.",
  surface: 'admin',
  extension: true,
  touches: 'events',
  request: {
    organization_id: { schema: id },
    from: { schema: moment, required: true },
    to: { schema: moment },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization, from: '2026-01-01T00:00:00Z', to: '2026-01-31T12:00:00Z' }),
  response: {
    from: { schema: int64({ minimum: 0 }), required: true },
    to: { schema: int64({ minimum: 0 }), required: true },
    differences: { schema: list(difference), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, from, to, page_size = 10, page_token }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const wanted = {
      first: parseAsOf(String(from), 'from'),
      last: to === undefined ? now : parseAsOf(String(to), 'to'),
      text: JSON.stringify([from, to ?? '']),
      isCancelled: by.isCancelled,
      touch: by.touch,
    };
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken, ...period } = await app.differencePages(found.organization_id, wanted, page);
    const differences: readonly DifferenceRecord[] =
      by.role === 'admin' ? documents : maskedFor(documents, by.organizationId);
    return { ...period, differences: [...differences], pagination: { next_page_token: nextPageToken } };
  },
});
