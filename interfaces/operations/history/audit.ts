import { orders } from '../../../application/audit/event-pages.js';
import { toEventRecord } from '../../../application/audit/event-record.js';
import { toHeadRecord } from '../../../application/audit/log/head-record.js';
import { parseAsOf } from '../../../application/history/parse-moment.js';
import { now, type Recorded } from '../../../application/ports/event-store.js';
import { type Caller, operation } from '../define.js';
import { anyEvent, anyOrganization } from '../examples/ids.js';
import { eventRecord, pageSize, pageToken, pagination } from '../records.js';
import { extension, id, int64, list, moment, oneOf, text } from '../schema.js';
import { shownToClient } from './client-history.js';
import { eventFilterFields, eventTest } from './event-filter.js';
import { count, hash, logHead, provenEvent, provenSeal } from './proof-records.js';

/**
 * Creates a function that shows an event in full to admins, and without secrets and names of operators to all other
 * callers.
 */
const shownTo =
  ({ role, organizationId }: Caller) =>
  (event: Recorded) =>
    role === 'admin' ? toEventRecord(event) : shownToClient(toEventRecord(event), organizationId);

export const listEvents = operation({
  kind: 'query',
  name: 'ListEvents',
  summary: "List an organization's events, newest first, as of a position or an ISO time; your own by default.",
  surface: 'admin',
  extension: true,
  touches: 'events',
  request: {
    organization_id: { schema: id },
    as_of: { schema: moment },
    from: { schema: extension(moment) },
    order: { schema: extension(oneOf(orders, 'desc')) },
    ...eventFilterFields,
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization, as_of: '2026-01-31T12:00:00Z' }),
  response: {
    events: { schema: list(eventRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, as_of, from, order, page_size = 10, page_token, ...filter }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const [show, passes] = [shownTo(by), eventTest(filter)];
    const wanted = {
      upTo: as_of === undefined ? now : parseAsOf(String(as_of), 'as_of'),
      from: from === undefined ? undefined : parseAsOf(String(from), 'from'),
      order,
      text: JSON.stringify([as_of ?? '', from ?? '', order ?? '', filter]),
      isWanted: (event: Recorded) => passes(show(event)),
      touch: by.touch,
    };
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.audit.page(found.organization_id, wanted, page);
    return { events: documents.map(show), pagination: { next_page_token: nextPageToken } };
  },
});

export const getInclusionProof = operation({
  kind: 'query',
  name: 'GetInclusionProof',
  summary:
    'Get the proof that the signed head of the seal log covers an event: its number, its seal and the inclusion path.',
  surface: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id },
    event_id: { schema: id, required: true },
    position: { schema: int64({ minimum: 0 }) },
  },
  example: () => ({ event_id: anyEvent }),
  response: {
    event: { schema: provenEvent, required: true },
    seal: { schema: provenSeal, required: true },
    leaf: { schema: text(1, 1000), required: true },
    leaf_index: { schema: int64({ minimum: 0 }), required: true },
    inclusion_path: { schema: list(hash), required: true },
    head: { schema: logHead, required: true },
  },
  handle: async (app, { organization_id, event_id, position }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const wanted = { eventId: event_id, position };
    const { event, seal, leaf, index, path, head } = await app.logProofs.inclusion(found.organization_id, wanted);
    return {
      event: { event_id: event.id, number: event.count, previous_hash: event.before, hash: event.hash },
      seal: {
        organization_id: seal.organizationId,
        count: seal.count,
        hash: seal.hash,
        places: String(seal.places),
        position: seal.position,
        key_id: seal.keyId,
        signature: seal.signature,
      },
      leaf,
      leaf_index: index,
      inclusion_path: [...path],
      head: toHeadRecord(head),
    };
  },
});

export const getConsistencyProof = operation({
  kind: 'query',
  name: 'GetConsistencyProof',
  summary:
    'Get the proof that the seal log of size `to` extends that of size `from`; `to` is the current size by default.',
  surface: 'admin',
  extension: true,
  request: { from: { schema: count, required: true }, to: { schema: count } },
  example: () => ({ from: 1 }),
  response: {
    from: { schema: logHead, required: true },
    to: { schema: logHead, required: true },
    consistency_path: { schema: list(hash), required: true },
  },
  handle: async (app, { from, to }) => {
    const proof = await app.logProofs.consistency(from, to);
    return { from: toHeadRecord(proof.from), to: toHeadRecord(proof.to), consistency_path: [...proof.path] };
  },
});
