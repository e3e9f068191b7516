import assert from 'node:assert/strict';
import { sealFailuresIn } from '../../../application/audit/seals/seal-failures.js';
import { storeChecks } from '../../../application/maintenance/store-checks.js';
import { historyOf, manualSystem } from '../../support/audit/sealed-history.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';
import { silent } from '../../support/silent.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const operator = { actor: { kind: 'operator', id: 'mara' }, requestId: 'request' } as const;
const monthMs = 30 * 86_400_000;

describe("an attacker with write access to a store's files", () => {
  let [files, untouched]: [Files, string] = [] as never;
  before(async () => {
    const made = await openFiles();
    for (const round of [0, 1, 2])
      for (const owner of [organizationId, other]) {
        await made.append(owner, 11, 11 * round);
        await made.seal();
      }
    await made.close();
    untouched = made.directory;
  });
  beforeEach(async () => {
    files = await openFiles(untouched);
  });
  afterEach(() => files.close());

  const own = `stream LIKE '${organizationId}.%'`;
  const cut = (after: number) =>
    `DELETE FROM events WHERE ${own} AND position NOT IN (SELECT position FROM events WHERE ${own} ORDER BY position LIMIT ${after})`;
  const sealsOf = async (of: string) =>
    (await historyOf(files.stores().events, of)).filter(({ type }) => type === 'AuditSealed').length;
  const reasonOf = async (of: string) => {
    const { about = '', reason } = (await files.flawOf(of)) ?? assert.fail('no flaw was found');
    return `${about} ${reason}`.trim();
  };
  /** Runs sealers and returns the errors that they logged. */
  const sealAndListen = async () => {
    const errors: { about?: string; reason?: string; message: string }[] = [];
    const log = { ...silent, error: (facts: object, message: string) => void errors.push({ ...facts, message }) };
    await files.seal({ ...manualSystem(), log }, 1);
    return errors;
  };
  const isRefused = async (about: string) =>
    (await sealFailuresIn(files.stores().state)).some((refusal) => refusal.about === about);

  it('cannot change commit times, not even of all events', async () => {
    for (const owner of [organizationId, other, 'system']) assert.equal(await files.flawOf(owner), null);
    await files.tamper(`UPDATE events SET time = time - ${monthMs}`);
    for (const owner of [organizationId, other, 'system'])
      assert.match(await reasonOf(owner), /^at another position or commit time than when /);
    await files.tamper(`UPDATE events SET time = time + ${monthMs}`);
    assert.equal(await files.flawOf(organizationId), null);
    await files.tamper(`UPDATE events SET time = time + 1 WHERE ${own} AND stream LIKE '%thing-15'`);
    const flaw = await files.flawOf(organizationId);
    assert.deepEqual([flaw?.event, flaw?.last], [12, 23]);
  });

  it('cannot truncate a tail with its seals, nor have a forged tail sealed in its place', async () => {
    await files.tamper(cut(20));
    assert.match(await reasonOf(organizationId), /^missing: there were \d+ more when /);
    await files.append(organizationId, 30, 100);
    const before = await sealsOf(organizationId);
    const errors = await sealAndListen();
    assert.equal(await sealsOf(organizationId), before);
    assert.ok(await isRefused(organizationId));
    assert.ok(!(await isRefused(other)));
    assert.ok(errors.some(({ about }) => about === organizationId));
    for (const { message } of errors) assert.match(message, /chainfold audit verify .*chainfold audit accept-loss/);
    assert.match(await reasonOf(organizationId), /not what it was when/);
    await files.append(other, 30, 100);
    await files.seal();
    assert.equal(await files.flawOf(other), null);
  });

  it("cannot hide a truncation by removing, changing, swapping or rolling back the sealer's progress", async () => {
    const [now, others] = [await files.memoryOf(organizationId), await files.memoryOf(other)];
    await files.append(organizationId, 11, 50);
    await files.seal();
    const said: [string | null, RegExp][] = [
      [null, /^the sealer's progress missing, although \d+ seals were made$/],
      [others, /^the sealer's progress forged: it was signed for org_b/],
      [now.replace('"unsealed":0', '"unsealed":1'), /progress forged: it is not signed by/],
      ['nothing', /^the sealer's progress not signed$/],
    ];
    const there = await files.memoryOf(organizationId);
    const before = await sealsOf(organizationId);
    for (const [value, reason] of said) {
      await files.remember(organizationId, value);
      assert.match(await reasonOf(organizationId), reason);
      await files.append(organizationId, 11, 100 + 20 * said.findIndex(([one]) => one === value));
      await sealAndListen();
      assert.equal(await sealsOf(organizationId), before, reason.source);
      assert.ok(await isRefused(organizationId), reason.source);
      await files.remember(organizationId, there);
    }
    await files.remember(organizationId, now);
    assert.match(await reasonOf(organizationId), /^the sealer's progress older than the log, which has a seal over/);
    await files.tamper(cut(36));
    await files.remember(organizationId, now);
    assert.match(
      await reasonOf(organizationId),
      /^missing: there were \d+ more when a seal over \d+ events was added to the seal log/,
    );
  });

  it("hides nothing by rolling back only the sealer's progress: the log and the history prove the rest", async () => {
    const before = await files.memoryOf(organizationId);
    await files.append(organizationId, 11, 50);
    await files.seal();
    const seals = await sealsOf(organizationId);
    await files.remember(organizationId, before);
    await files.append(organizationId, 11, 70);
    assert.deepEqual(await sealAndListen(), []);
    assert.equal(await sealsOf(organizationId), seals + 1);
    assert.equal(await files.flawOf(organizationId), null);
  });

  it('hides nothing by rolling back only the checkpoint of the log: the log and the progress prove the rest', async () => {
    const before = (await files.stores().state.get('processes', 'audit-log'))?.value ?? '';
    const seal = async (from: number) => {
      await files.append(organizationId, 11, from);
      return sealAndListen();
    };
    await seal(50);
    const seals = await sealsOf(organizationId);
    await files.put('audit-log', before);
    assert.equal(await files.flawOf(organizationId), null);
    assert.deepEqual(await seal(70), []);
    assert.equal(await sealsOf(organizationId), seals + 1);
    await files.put('audit-log', before);
    const newest = "(SELECT max(position) FROM events WHERE type = 'SealLogged')";
    await files.tamper(`DELETE FROM events WHERE type = 'SealLogged' AND position = ${newest}`);
    assert.match(await reasonOf(organizationId), /^the seal log without the seal over \d+ events, which the sealer's /);
  });

  it('cannot remove an organization without a trace', async () => {
    await files.tamper(`DELETE FROM events WHERE ${own}`);
    await files.remember(organizationId, null);
    assert.ok((await files.audit().sealedOrganizations()).includes(organizationId));
    assert.match(await reasonOf(organizationId), /^missing: the store does not have the organization any more, /);
  });

  it("cannot change or truncate the seal log, or roll it back together with one organization's progress", async () => {
    const [oldLog, oldMemory] = [
      (await files.stores().state.get('processes', 'audit-log'))?.value ?? '',
      await files.memoryOf(organizationId),
    ];
    await files.append(organizationId, 11, 50);
    await files.append(other, 11, 50);
    await files.seal();
    const newest = "(SELECT max(position) FROM events WHERE type = 'SealLogged')";
    const last = `type = 'SealLogged' AND position >= ${newest}`;
    await files.tamper(
      `UPDATE events SET data = replace(data, '"count":11,', '"count":99,') WHERE type = 'SealLogged'`,
    );
    assert.match(await reasonOf(organizationId), /^the seal log not the one that was written: /);
    await files.tamper(
      `UPDATE events SET data = replace(data, '"count":99,', '"count":11,') WHERE type = 'SealLogged'`,
    );
    await files.tamper(`DELETE FROM events WHERE ${last}`);
    assert.match(
      await reasonOf(other),
      /^the seal log not the one that was written: the log has \d+ seals, and had \d+$/,
    );
    await files.tamper(`DELETE FROM events WHERE ${last}`);
    await files.remember(organizationId, oldMemory);
    await files.put('audit-log', oldLog);
    assert.match(
      await reasonOf(other),
      /^the seal log without the seal over \d+ events, which the sealer's progress records$/,
    );
    const before = [await sealsOf(organizationId), await sealsOf(other)];
    await files.append(other, 30, 100);
    await sealAndListen();
    assert.deepEqual([await sealsOf(organizationId), await sealsOf(other)], before);
    assert.ok(await isRefused('log'));
  });

  it('is detected by doctor; the operator can accept the loss, which every later proof reports', async () => {
    await files.tamper(cut(20));
    await files.append(organizationId, 3, 100);
    await sealAndListen();
    const { state } = files.stores();
    const nobody = () => assert.fail('not asked');
    const checks = storeChecks({
      events: nobody,
      state: async () => state,
      status: nobody,
      roles: nobody,
      stuck: nobody,
      stuckSeconds: 1,
      now: Date.now,
    });
    const findings = (await checks.find(({ name }) => name === 'seals')?.run()) ?? [];
    assert.ok(findings.some(({ level, advice }) => level === 'fail' && advice?.includes('audit accept-loss')));
    await assert.rejects(files.audit().acceptLoss.ofHistory(operator, other, 'why'), /there is no loss to accept/);
    await assert.rejects(files.audit().acceptLoss.ofLog(operator, 'why'), /there is no loss to accept/);
    const accepted = await files.audit().acceptLoss.ofHistory(operator, organizationId, 'restored');
    assert.deepEqual(accepted, { found: 23, known: 36 });
    await files.seal();
    const { flaw, losses } = await files.audit().verify(organizationId);
    assert.equal(flaw, null, flaw?.reason);
    assert.deepEqual(
      losses?.map(({ by, reason, found, known }) => [by, reason, found.count, known?.count]),
      [['mara', 'restored', 23, 36]],
    );
    assert.deepEqual(await sealFailuresIn(files.stores().state), []);
    await files.tamper(cut(19));
    assert.match(await reasonOf(organizationId), /^missing/);
  });

  it('forces the operator to start a new volume of a lost log, in which every history is sealed again', async () => {
    await files.tamper("DELETE FROM events WHERE type = 'SealLogged' AND data LIKE '%\"index\":4%'");
    await sealAndListen();
    await assert.rejects(
      files.audit().acceptLoss.ofHistory(operator, 'system', 'why'),
      /Accept its loss first, with --log/,
    );
    assert.equal(await files.audit().acceptLoss.ofLog(operator, 'restored'), 1);
    await files.audit().acceptLoss.ofHistory(operator, 'system', 'restored');
    await files.seal();
    await files.append(organizationId, 1, 100);
    await files.append(other, 1, 100);
    await files.seal();
    for (const owner of [organizationId, other, 'system']) {
      const flaw = await files.flawOf(owner);
      assert.equal(flaw, null, `${owner} ${flaw?.about} ${flaw?.reason}`);
    }
    assert.deepEqual(await files.audit().sealedOrganizations(), [organizationId, other, 'system']);
    await files.tamper("DELETE FROM events WHERE type = 'SealLogged' AND stream LIKE '%seallog-1-%'");
    assert.match(await reasonOf(other), /^the seal log not the one that was written/);
  });
});
