import { timeOf } from '../../../application/history/parse-moment.js';
import { type Access, type AccessKind, accessKinds } from '../../../application/ports/tracing/access-log.js';
import { fail } from '../../../domain/failure.js';
import { operation } from '../define.js';
import { anyOrganization } from '../examples/ids.js';
import { pageSize, pageToken, pagination } from '../records.js';
import { id, int64, list, named, oneOf, text, timestamp } from '../schema.js';

type AccessRecord = {
  access_time: string;
  kind: AccessKind;
  request_id: string;
  api_key: string;
  operation: string;
  status: number;
  code?: string;
  detail?: string;
};

const accessRecord = named<AccessRecord>(
  'Access',
  {
    access_time: timestamp,
    kind: oneOf(accessKinds),
    request_id: text(0, 1000),
    api_key: text(0, 200),
    operation: text(0, 200),
    status: int64(),
    code: id,
    detail: text(0, 1000),
  },
  ['code', 'detail'],
);

const toRecord = ({ time, kind, requestId, key = '', operation = '', status, code, detail }: Access): AccessRecord => ({
  access_time: new Date(time).toISOString(),
  kind,
  request_id: requestId,
  api_key: key,
  operation,
  status,
  ...(code !== undefined && { code: String(code) }),
  ...(detail !== undefined && { detail }),
});

const parseTime = (given: string): number =>
  timeOf(given) ??
  fail('INVALID_ARGUMENT', 'from must be an ISO 8601 time with a zone such as 2026-01-31T12:00:00Z', [
    { path: '/from', message: 'must be an ISO 8601 time with a zone' },
  ]);

export const listAccess = operation({
  kind: 'query',
  name: 'ListAccess',
  summary: "List reads of an organization's secrets, exports of its history and its refused requests, newest first.",
  surface: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id },
    from: { schema: text(1, 40) },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization, from: '2026-01-31T00:00:00Z' }),
  response: {
    accesses: { schema: list(accessRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, from, page_size = 10, page_token }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const since = from === undefined ? undefined : parseTime(from);
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.accesses.page(found.organization_id, since, page);
    return { accesses: documents.map(toRecord), pagination: { next_page_token: nextPageToken } };
  },
});
