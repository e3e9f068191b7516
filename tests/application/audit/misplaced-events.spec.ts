import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealFailuresIn } from '../../../application/audit/seals/seal-failures.js';
import { storeChecks } from '../../../application/maintenance/store-checks.js';
import { historyOf } from '../../support/audit/sealed-history.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';
import { allEvents } from '../../support/following/following.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const operator = { actor: { kind: 'operator', id: 'mara' }, requestId: 'request' } as const;

/** SQL expressions for the columns that say where an inserted event stands and whose it is. */
type Place = { readonly position: string; readonly revision: string; readonly owner: string };

const pageBytes = 4096;
const indexPages: readonly unknown[] = [2, 10];
/** Returns a copy of a database file in which the index entries of a stream name another stream. */
const withoutEntries = (file: Buffer, stream: string) => {
  const changed = Buffer.from(file);
  for (let at = file.indexOf(stream); at >= 0; at = file.indexOf(stream, at + 1))
    if (indexPages.includes(file[at - (at % pageBytes)])) changed[at + stream.length - 1] = 'z'.charCodeAt(0);
  return changed;
};

describe('an attacker who changes by which order and owner the store finds its events', () => {
  let files: Files;
  beforeEach(async () => {
    files = await openFiles();
    await files.append(organizationId, 11, 0);
    await files.append(other, 11, 0);
    await files.seal();
  });
  afterEach(() => files.close());

  const sealsOf = async (of: string) =>
    (await historyOf(files.stores().events, of)).filter(({ type }) => type === 'AuditSealed').length;
  const reasonOf = async (of: string) => {
    const { about = '', reason } = (await files.flawOf(of)) ?? assert.fail('no flaw was found');
    return `${about} ${reason}`;
  };
  const isRefused = async (about: string) =>
    (await sealFailuresIn(files.stores().state)).some((failure) => failure.about === about);

  const stream = `${organizationId}.organization-settings`;
  const inStream = `stream = '${stream}'`;
  const appendSettings = async (...keys: readonly string[]) => {
    for (const [n, gatewayKeys] of keys.entries()) {
      const { metadata } = (await historyOf(files.stores().events, organizationId))[0] ?? assert.fail('no event');
      const one = { id: randomUUID(), type: 'GatewayKeysSet', data: { organizationId, gatewayKeys }, metadata };
      await files.stores().events.append([{ stream, expected: n - 1, events: [one] }]);
    }
    await files.append(organizationId, 11, 50);
    await files.seal();
    assert.equal(await files.flawOf(organizationId), null);
  };
  const settingsIn = (events: readonly { data: object }[]) =>
    events.map(({ data }) => (data as { gatewayKeys?: string }).gatewayKeys).filter((one) => one !== undefined);
  const obeyed = async () => {
    const { events } = files.stores();
    return [settingsIn((await events.read(stream)).events), settingsIn(await allEvents(events))];
  };
  const shown = async () => settingsIn(await historyOf(files.stores().events, organizationId));
  /**
   * Returns SQL that forges a setting: it copies the last event into another row, with data that the attacker chose.
   */
  const insert = ({ position, revision, owner }: Place) =>
    `INSERT INTO events SELECT ${position}, stream, ${revision}, ${owner}, id || 'f', type,
       replace(data, 'tokens', 'api_keys'), metadata, time, 0 FROM events WHERE ${inStream} AND data LIKE '%tokens%'`;
  const end = '(SELECT max(position) + 1 FROM events)';
  const check = (name: string) => {
    const nobody = () => assert.fail('not asked');
    const { events, state } = files.stores();
    const ports = {
      events: async () => events,
      state: async () => state,
      status: nobody,
      roles: nobody,
      stuck: nobody,
    };
    return storeChecks({ ...ports, stuckSeconds: 1, now: Date.now })
      .find((one) => one.name === name)
      ?.run();
  };

  it('cannot exchange the revisions of a stream: its events are read in the order that the audit shows', async () => {
    await appendSettings('api_keys', 'tokens');
    await files.tamper(
      `UPDATE events SET revision = revision + 100 WHERE ${inStream}`,
      `UPDATE events SET revision = 101 - revision WHERE ${inStream}`,
    );
    assert.deepEqual(await obeyed(), [await shown(), await shown()]);
    assert.match(
      await reasonOf(organizationId),
      /^the event store altered or damaged: revision 1 of .*-settings is at po/,
    );
    assert.equal(await files.flawOf(other), null);
    const [finding] = (await check('event order')) ?? [];
    assert.equal(finding?.level, 'fail');
  });

  const places = [
    { where: 'under another organization', position: end, revision: '9', owner: "'nobody'" },
    { where: 'before the first revision', position: end, revision: '-1', owner: 'organization' },
    { where: 'before the first position', position: '-5', revision: '9', owner: 'organization' },
  ];
  for (const { where, ...place } of places)
    it(`cannot insert an event ${where} that is obeyed but not shown`, async () => {
      await appendSettings('api_keys', 'tokens');
      await files.tamper(insert(place));
      const [inStreamNow, inAll] = await obeyed();
      assert.deepEqual([inStreamNow, inAll], [await shown(), await shown()]);
      assert.match(
        await reasonOf(organizationId),
        /^the event store altered or damaged: the event at position -?\d+, of /,
      );
      const before = await sealsOf(organizationId);
      await files.append(organizationId, 11, 100);
      await files.append(other, 11, 100);
      await files.seal();
      assert.equal(await sealsOf(organizationId), before);
      assert.ok(await isRefused(organizationId));
      assert.ok(!(await isRefused(other)));
      const [finding] = (await check('event order')) ?? [];
      assert.equal(finding?.level, 'fail');
      await assert.rejects(
        files.audit().acceptLoss.ofHistory(operator, organizationId, 'why'),
        /The event store is altered or damaged: .* Restore a backup/,
      );
    });

  it('cannot add a trigger or a view', async () => {
    await files.tamper('CREATE TRIGGER more AFTER INSERT ON events BEGIN SELECT 1; END');
    for (const owner of [organizationId, other, 'system'])
      assert.match(await reasonOf(owner), /^the event store altered or damaged: it has a trigger "more"/);
  });

  it('cannot remove an event from an index', async () => {
    await appendSettings('api_keys', 'tokens');
    await files.tamper('PRAGMA wal_checkpoint(TRUNCATE)');
    await files.close();
    const path = join(files.directory, 'events.db');
    writeFileSync(path, withoutEntries(readFileSync(path), stream));
    await files.reopen();
    assert.deepEqual((await files.stores().events.read(stream)).events, []);
    assert.match(await reasonOf(organizationId), /^the event store altered or damaged: its file is damaged: /);
  });
});
