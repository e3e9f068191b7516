import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Manifest } from '../../../application/audit/evidence/manifest.js';
import { contentsOf, evidenceOwner, openSealedFiles, writeEvidence } from '../../support/audit/evidence-folder.js';
import { verifyByCommand } from '../../support/audit/evidence-verifiers.js';
import { historyOf, notary } from '../../support/audit/sealed-history.js';
import type { Files } from '../../support/audit/tampered-files.js';

const day = 86_400_000;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

describe('an evidence folder', () => {
  let files: Files;
  before(async () => {
    files = await openSealedFiles(3);
  });
  after(() => files.close());

  const written = async (...args: Parameters<typeof writeEvidence> extends [unknown, ...infer Rest] ? Rest : never) => {
    const { folder, evidence } = await writeEvidence(files, ...args);
    const contents = contentsOf(folder);
    const textOf = (name: string) => contents.get(name) ?? '';
    const rows = textOf('sample.csv').trimEnd().split('\n').slice(1);
    return { folder, evidence, contents, textOf, rows, manifest: JSON.parse(textOf('manifest.json')) as Manifest };
  };

  it('lists every file with its size and SHA-256, the version, the counts and the key', async () => {
    const { contents, manifest, textOf } = await written();
    const listed = manifest.files.map(({ name }) => name);
    const unlisted = [...contents.keys()].filter((name) => !listed.includes(name));
    assert.deepEqual(new Set(unlisted), new Set(['manifest.json', 'manifest.sig']));
    for (const { name, size, sha256 } of manifest.files)
      assert.deepEqual([Buffer.byteLength(textOf(name)), digest(textOf(name))], [size, sha256], name);
    const events = (await historyOf(files.stores().events, evidenceOwner)).length;
    assert.deepEqual(
      [manifest.counts.events, manifest.counts.events_of_period, manifest.software],
      [events, events, '0.0.0'],
    );
    assert.equal(
      Object.values(manifest.counts.types).reduce((sum, count) => sum + count, 0),
      events,
    );
    const [key] = (
      JSON.parse(textOf('keys.json')) as { keys: { public_key: string; fingerprint: string; key_id: string }[] }
    ).keys;
    assert.equal(key?.public_key, notary.publicKey);
    assert.equal(key.fingerprint, digest(notary.publicKey.slice('audpk_'.length)));
    assert.ok(key.fingerprint.startsWith(key.key_id));
  });

  it('draws the sample by its seed, so that everybody draws the same one', async () => {
    const { rows, manifest } = await written({ seed: 'chosen', size: 5 });
    const numbers = Array.from({ length: manifest.counts.events }, (_, n) => n + 1);
    const expected = numbers
      .toSorted((a, b) => (digest(`chosen\n${a}`) < digest(`chosen\n${b}`) ? -1 : 1))
      .slice(0, 5)
      .toSorted((a, b) => a - b);
    assert.deepEqual(
      rows.map((row) => Number.parseInt(row, 10)),
      expected,
    );
    assert.deepEqual((await written({ seed: 'chosen', size: 5 })).rows, rows);
    assert.notDeepEqual((await written({ seed: 'other', size: 5 })).rows, rows);
    assert.equal((await written({ size: 1000 })).rows.length, manifest.counts.events);
  });

  it('ends at the first seal that covers the period, and states which events are of the period', async () => {
    const history = await historyOf(files.stores().events, evidenceOwner);
    const fifth = history[4];
    assert.ok(fifth);
    const time = new Date(fifth.time).toISOString();
    const last = history.findLastIndex((event) => event.time <= fifth.time) + 1;
    const { folder, manifest, textOf } = await written({
      period: `2020-01-01/${time}`.replace('2020-01-01', '2020-01-01T00:00Z'),
    });
    const seal =
      history.findIndex(({ type, data }) => type === 'AuditSealed' && (data as { count: number }).count >= last) + 1;
    assert.deepEqual(
      [manifest.counts.first_event, manifest.counts.last_event, manifest.counts.events],
      [1, last, seal],
    );
    assert.match(
      textOf('README.txt').replaceAll('\n', ' '),
      new RegExp(`${last} of these events, numbers 1 to ${last}, were`),
    );
    assert.deepEqual(await verifyByCommand([folder], notary.publicKey), [null]);
  });

  it('of a period without events says so', async () => {
    const before = dateOf(Date.now() - 30 * day);
    const { folder, manifest, rows, textOf } = await written({ period: before });
    assert.deepEqual([manifest.counts.events_of_period, rows.length], [0, 0]);
    assert.match(textOf('README.txt'), new RegExp(`No event was committed in the period ${before}`));
    assert.deepEqual(await verifyByCommand([folder], notary.publicKey), [null]);
  });

  it('is refused for a period that has not begun', async () =>
    assert.rejects(written({ period: dateOf(Date.now() + 30 * day) }), /has not begun yet$/));
});
