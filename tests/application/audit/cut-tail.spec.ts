import assert from 'node:assert/strict';
import { historyOf } from '../../support/audit/sealed-history.js';
import { openFiles } from '../../support/audit/tampered-files.js';

const organizationId = `org_${'a'.repeat(32)}`;

describe('events after the last seal that were cut off, with the progress of that moment', () => {
  it('are missed by a file that was exported later, and by nothing in the stores, as docs/audit.md says', async () => {
    const files = await openFiles();
    await files.append(organizationId, 11, 0);
    await files.seal();
    const [earlier, { length }] = [
      await files.memoryOf(organizationId),
      await historyOf(files.stores().events, organizationId),
    ];
    await files.append(organizationId, 3, 100);
    await files.seal();
    const lines: string[] = [];
    for await (const text of files.audit().export(organizationId)) lines.push(...text.trimEnd().split('\n'));
    const exported = async function* () {
      yield* lines;
    };
    assert.equal(await files.audit().compare(organizationId, exported()), null);

    await files.tamper(
      `DELETE FROM events WHERE stream LIKE '${organizationId}.thing-%' AND CAST(substr(stream, -3) AS INTEGER) >= 100`,
    );
    await files.remember(organizationId, earlier);
    assert.equal((await historyOf(files.stores().events, organizationId)).length, length);
    assert.equal(await files.flawOf(organizationId), null);
    const flaw = await files.audit().compare(organizationId, exported());
    assert.deepEqual([flaw?.event, flaw?.reason], [length + 1, 'missing in the store, which ends before it']);
    await files.close();
  });
});
