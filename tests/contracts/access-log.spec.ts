import assert from 'node:assert/strict';
import { type AccessLog, maxAccesses, type OwnedAccess } from '../../application/ports/tracing/access-log.js';
import { accessLogs, accessRetentionMs } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

const access = (requestId: string, more: Partial<OwnedAccess> = {}): OwnedAccess => ({
  organizationId: 'org_1',
  time: Date.now(),
  kind: 'secret',
  requestId,
  key: 'ck_89abcdef',
  operation: 'c/GetWebhook',
  status: 200,
  ...more,
});
const refusal = (requestId: string, more: Partial<OwnedAccess> = {}) =>
  access(requestId, { kind: 'refused', status: 404, code: 'NOT_FOUND', detail: 'Wallet not found: “wal_1”', ...more });

for (const [adapter, place] of Object.entries(accessLogs))
  describe(`the access log on ${adapter}`, () => {
    const { open } = usePlace(place);
    let log: AccessLog;
    let other: AccessLog;
    beforeEach(async () => {
      [log, other] = await Promise.all([open(), open()]);
    });
    const list = (range: Partial<Parameters<AccessLog['list']>[1]> = {}, organizationId = 'org_1') =>
      other.list(organizationId, { from: 0, before: undefined, limit: 100, ...range });
    const ids = async (...given: Parameters<typeof list>) => (await list(...given)).map(({ requestId }) => requestId);

    it('is empty at first', async () =>
      assert.deepEqual(await log.list('org_1', { from: 0, before: 9, limit: 1 }), []));

    it('returns to every process the entries of one organization, newest first', async () => {
      await log.add([access('a'), refusal('b'), access('c', { organizationId: 'org_2' })]);
      await other.add([refusal('d'), access('d')]);
      assert.deepEqual(await ids(), ['d', 'd', 'b', 'a']);
      assert.deepEqual(await ids({}, 'org_2'), ['c']);
      const given = refusal('b');
      const { number, time, ...found } = (await list())[2] ?? assert.fail();
      const { organizationId: _, time: __, ...expected } = given;
      assert.deepEqual(found, expected);
    });

    it('pages through reads and refusals in one order, while entries are added', async () => {
      await log.add(Array.from({ length: 7 }, (_, i) => (i % 2 ? access : refusal)(`${i}`)));
      const found: string[] = [];
      let before: number | undefined;
      for (;;) {
        const page = await list({ before, limit: 2 });
        if (page.length === 0) break;
        found.push(...page.map(({ requestId }) => requestId));
        before = page.at(-1)?.number;
        await log.add([access('later')]);
      }
      assert.deepEqual(found, ['6', '5', '4', '3', '2', '1', '0']);
    });

    it('keeps the newest refusals, which displace neither reads of secrets nor entries of others', async () => {
      await log.add([access('read'), refusal('theirs', { organizationId: 'org_2' })]);
      for (let i = 0; i < 6; i++)
        await log.add(Array.from({ length: maxAccesses / 5 }, (_, n) => refusal(`${i}-${n}`)));
      const all = await ids({ limit: 2 * maxAccesses });
      assert.equal(all.length, maxAccesses + 1);
      assert.deepEqual([all.at(-1), all.at(-2)], ['read', '1-0']);
      assert.deepEqual(await ids({}, 'org_2'), ['theirs']);
    });

    it('returns no entry that is older than the retention, or than the requested time', async () => {
      const time = Date.now();
      await log.add([
        access('expired', { time: time - accessRetentionMs - 1000 }),
        access('old', { time: time - 5000 }),
      ]);
      await log.add([access('new', { time })]);
      assert.deepEqual(await ids(), ['new', 'old']);
      assert.deepEqual(await ids({ from: time }), ['new']);
    });

    it('accepts entries from several processes at once', async () => {
      const added = [log, other].flatMap((one, by) =>
        Array.from({ length: 20 }, (_, i) => ({ one, entry: access(`${by}-${i}`) })),
      );
      await Promise.all(added.map(({ one, entry }) => one.add([entry])));
      assert.deepEqual(new Set(await ids()), new Set(added.map(({ entry }) => entry.requestId)));
    });
  });
