import { toVerdictRecord, type VerdictRecord } from '../../../application/audit/verdict-record.js';
import { type Caller, operation } from '../define.js';
import { anyOrganization } from '../examples/ids.js';
import { flag, id, int64, list, named, nullable, text, timestamp } from '../schema.js';

type Loss = NonNullable<VerdictRecord['accepted_losses']>[number];
const place = int64({ minimum: 0 });

const acceptedLoss = named<Loss>('AcceptedLoss', {
  event: place,
  known_events: nullable(place),
  found_events: place,
  accepted_by: id,
  accept_time: timestamp,
  reason: text(0, 1000),
});
const firstFlaw = named<NonNullable<VerdictRecord['first']>>(
  'Flaw',
  { where: id, event: place, last: place, event_id: id, about: text(1, 1000), reason: text(1, 2000) },
  ['event_id', 'about'],
);

/** Returns the verdict as shown to the caller. Clients and auditors see `operator` in place of an operator's name. */
const shownTo = ({ role }: Caller, verdict: VerdictRecord): VerdictRecord =>
  role === 'admin' || !verdict.accepted_losses
    ? verdict
    : { ...verdict, accepted_losses: verdict.accepted_losses.map((loss) => ({ ...loss, accepted_by: 'operator' })) };

export const getHistoryBounds = operation({
  kind: 'query',
  name: 'GetHistoryBounds',
  summary: "Get the positions and times of an organization's first and last event; your own by default.",
  surface: 'admin',
  extension: true,
  request: { organization_id: { schema: id } },
  example: () => ({ organization_id: anyOrganization }),
  response: {
    first_position: { schema: place, required: true },
    first_time: { schema: timestamp, required: true },
    last_position: { schema: place, required: true },
    last_time: { schema: timestamp, required: true },
  },
  handle: async (app, { organization_id }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const { first, last } = await app.audit.bounds(found.organization_id);
    return {
      first_position: first.position,
      first_time: new Date(first.time).toISOString(),
      last_position: last.position,
      last_time: new Date(last.time).toISOString(),
    };
  },
});

export const verifyHistory = operation({
  kind: 'query',
  name: 'VerifyHistory',
  summary: "Verify an organization's stored events against their seals and the seal log; your own by default.",
  surface: 'admin',
  extension: true,
  touches: 'events',
  request: { organization_id: { schema: id } },
  example: () => ({ organization_id: anyOrganization }),
  response: {
    valid: { schema: nullable(flag()), required: true },
    organization_id: { schema: id, required: true },
    events: { schema: place, required: true },
    seals: { schema: place, required: true },
    hash: { schema: id, required: true },
    key: { schema: id, required: true },
    store: { schema: id, required: true },
    unproven_events: { schema: place },
    accepted_losses: { schema: list(acceptedLoss) },
    first: { schema: firstFlaw },
  },
  handle: async (app, { organization_id }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const proof = await app.audit.verifyInTurn(found.organization_id);
    by.touch?.(proof.events);
    return shownTo(by, toVerdictRecord(proof));
  },
});
