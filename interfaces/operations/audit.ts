import { shownEvent } from '../../application/audit/event-record.js';
import { momentOf, now } from '../../application/history/parse-moment.js';
import { operation } from './define.js';
import { anyOrganization, eventRecord, pageSize, pageToken, pagination } from './records.js';
import { id, list, moment } from './schema.js';

export const listEvents = operation({
  kind: 'query',
  name: 'ListEvents',
  summary: "An organization's event history, newest first, as of a position or an ISO time; without an id, one's own.",
  surface: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id },
    as_of: { schema: moment },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization, as_of: '2026-01-31T12:00:00Z' }),
  response: {
    events: { schema: list(eventRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, as_of, page_size = 10, page_token }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const upTo = as_of === undefined ? now : momentOf(String(as_of), 'as_of');
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.audit.page(found.organization_id, upTo, String(as_of ?? ''), page);
    return { events: documents.map(shownEvent), pagination: { next_page_token: nextPageToken } };
  },
});
