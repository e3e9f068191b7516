import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { aggregates } from '../../domain/aggregates.js';
import { readPage } from '../support/docs/markdown.js';
import { eventsPage, eventsPath } from './events-page.js';

describe('docs/events.md', () => {
  it('is up to date with the code', () =>
    assert.equal(
      readFileSync(eventsPath, 'utf8'),
      eventsPage(),
      'docs/events.md is out of date; run npm run docs:events',
    ));

  it('has every kind of stream, and every event that the specification lists', () => {
    const page = readPage(eventsPath);
    const titles = (level: number) => page.filter((one) => one.level === level).map(({ title }) => title);
    assert.deepEqual(new Set(titles(2)), new Set(aggregates));
    const listed = readPage('docs/specification.md').find(({ anchor }) => anchor === '12-stored-events')?.tables[0]
      ?.rows;
    assert.deepEqual(new Set(titles(3)), new Set(listed?.map(({ type }) => type?.replaceAll('`', ''))));
  });

  it('shows every field and every older version that the specification explains', () => {
    const page = readFileSync(eventsPath, 'utf8');
    const rowsOf = (anchor: string) =>
      readPage('docs/specification.md').find((one) => one.anchor === anchor)?.tables[0]?.rows ?? [];
    const [fields, versions] = [rowsOf('121-fields-of-events'), rowsOf('122-older-versions-of-events')];
    const unused = fields.filter(
      ({ field, meaning }) =>
        !page.split('\n').some((line) => line.startsWith(`| ${field} |`) && line.endsWith(` | ${meaning} |`)),
    );
    assert.deepEqual(unused, []);
    for (const { version, 'difference from the next version': difference } of versions)
      assert.ok(page.includes(`In version ${version}, ${difference}.`));
    assert.ok(fields.length > 0 && versions.length > 0);
  });

  it('names for each kind of stream a file that its commands go through', () => {
    for (const line of readFileSync(eventsPath, 'utf8').split('\n'))
      if (line.startsWith('Decided in')) assert.match(line, /go through `application\/.*`\.$/);
  });
});
