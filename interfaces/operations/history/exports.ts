import { shortKey } from '../../../application/tracing/key-form.js';
import { lineOperation } from '../define.js';
import { anyOrganization } from '../examples/ids.js';
import { id, int64, timestamp } from '../schema.js';

export const exportHistory = lineOperation({
  kind: 'query',
  name: 'ExportHistory',
  summary:
    "Export an organization's history as the verifiable file of `chainfold audit export`: NDJSON, hash-chained and signed.",
  surface: 'admin',
  extension: true,
  answers: 'ndjson',
  touches: 'events',
  request: { organization_id: { schema: id } },
  example: () => ({ organization_id: anyOrganization }),
  response: {
    chainfold_audit: { schema: int64({ minimum: 1 }), required: true },
    organization_id: { schema: id, required: true },
    export_time: { schema: timestamp, required: true },
    key_id: { schema: id, required: true },
    public_key: { schema: id, required: true },
  },
  handle: async (app, { organization_id }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const organizationId = found.organization_id;
    const { requestId, actor, touch, isCancelled } = by;
    const showsForeignKeys = by.role === 'admin';
    const lines = await app.audit.exportInTurn(organizationId, { showsForeignKeys, isCancelled, touch });
    const key = organizationId === by.organizationId ? shortKey(actor.id) : 'operator';
    await app.accesses.disclose({ kind: 'export', organizationId, requestId, key, operation: 'admin/ExportHistory' });
    return lines;
  },
});
