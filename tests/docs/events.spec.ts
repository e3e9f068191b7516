import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { aggregates } from '../../domain/aggregates.js';
import { currentVersion } from '../../domain/upcasters.js';
import { readPage } from '../support/docs/markdown.js';
import { eventsPage, eventsPath, fieldTable } from './events-page.js';
import { storedStreams } from './stored-types.js';

describe('docs/events.md', () => {
  it('is up to date with the code', () =>
    assert.equal(
      readFileSync(eventsPath, 'utf8'),
      eventsPage(),
      'docs/events.md is out of date; run npm run docs:events',
    ));

  it('lists every kind of stream and every event of the specification', () => {
    const page = readPage(eventsPath);
    const titles = (level: number) => page.filter((one) => one.level === level).map(({ title }) => title);
    assert.deepEqual(new Set(titles(2)), new Set(aggregates));
    const listed = readPage('docs/specification.md').find(({ anchor }) => anchor === '12-stored-events')?.tables[0]
      ?.rows;
    assert.deepEqual(new Set(titles(3)), new Set(listed?.map(({ type }) => type?.replaceAll('`', ''))));
  });

  it('cannot be generated while a field has no meaning', () => {
    const field = { path: 'walletId', kinds: ['string'], optional: false };
    assert.throws(() => fieldTable('WalletRegistered', [{ ...field, meaning: '' }]), /walletId of WalletRegistered/);
    const [, , row] = fieldTable('WalletRegistered', [{ ...field, meaning: 'Id of the wallet.' }]);
    assert.equal(row, '| `walletId` | `string` | Id of the wallet. |');
  });

  it('explains every field in a sentence and lists no other field', () => {
    const rows = readPage(eventsPath).flatMap(({ tables }) => tables.flatMap((table) => table.rows));
    const fields = storedStreams.flatMap(({ types }) =>
      types.flatMap(({ shapes }) => [...shapes.slice(-1), ...shapes.slice(0, -1)].flatMap((shape) => shape.fields)),
    );
    assert.ok(fields.length > 300);
    assert.deepEqual(
      rows.map(({ field }) => field?.replaceAll('`', '')),
      fields.map(({ path }) => path),
    );
    for (const { path, meaning } of fields) assert.match(meaning, /^[A-Z`].*\.$/, path);
  });

  it('shows every older version of a type with its fields and the step that converts it', () => {
    const older = storedStreams.flatMap(({ types }) =>
      types.flatMap(({ type }) =>
        Array.from({ length: currentVersion(type) - 1 }, (_, i) => `${type} version ${i + 1}`),
      ),
    );
    assert.ok(older.length > 0);
    const sections = readPage(eventsPath).filter(({ level }) => level === 4);
    assert.deepEqual(
      sections.map(({ title }) => title),
      older,
    );
    for (const { tables } of sections) assert.ok(tables[0] && tables[0].rows.length > 0);
    const explained = readFileSync(eventsPath, 'utf8').match(/^Version \d+ .* The step to version \d+ .*\.$/gm);
    assert.equal(explained?.length, older.length);
  });

  it('names the file that handles the commands of each kind of stream', () => {
    for (const line of readFileSync(eventsPath, 'utf8').split('\n'))
      if (line.startsWith('Decided in')) assert.match(line, /go through `application\/.*`\.$/);
  });
});
