import assert from 'node:assert/strict';
import { historyOf } from '../../support/audit/sealed-history.js';
import { openFiles } from '../../support/audit/tampered-files.js';

const organizationId = `org_${'a'.repeat(32)}`;

describe('events that a writer of the event store appended while no service ran', () => {
  it('are sealed like those of the service, and no proof detects them, as docs/audit.md says', async () => {
    const files = await openFiles();
    await files.append(organizationId, 11, 0);
    await files.seal();
    await files.tamper(
      `INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), organization || '.thing-99', 0, organization,
        id || '-forged', type, data, metadata, time, 0 FROM events WHERE stream = '${organizationId}.thing-1'`,
    );
    await files.append(organizationId, 11, 100);
    await files.seal();
    const history = await historyOf(files.stores().events, organizationId);
    assert.ok(history.some(({ id }) => id.endsWith('-forged')));
    assert.ok(history.filter(({ type }) => type === 'AuditSealed').length > 1);
    assert.equal(await files.flawOf(organizationId), null);
    await files.close();
  });
});
