import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { aggregates } from '../../domain/aggregates.js';
import { readPage } from '../support/markdown.js';
import { eventsPage, eventsPath } from './events-page.js';

describe('docs/events.md', () => {
  it('is what npm run docs:events makes of the code', () =>
    assert.equal(readFileSync(eventsPath, 'utf8'), eventsPage(), 'run npm run docs:events'));

  it('has every kind of stream, and every event that the specification lists', () => {
    const page = readPage(eventsPath);
    const titles = (level: number) => page.filter((one) => one.level === level).map(({ title }) => title);
    assert.deepEqual(new Set(titles(2)), new Set(aggregates));
    const listed = readPage('docs/specification.md').find(({ anchor }) => anchor === '12-stored-events')?.tables[0]
      ?.rows;
    assert.deepEqual(new Set(titles(3)), new Set(listed?.map(({ type }) => type?.replaceAll('`', ''))));
  });

  it('names a file that commands go through for each kind of stream', () => {
    for (const line of readFileSync(eventsPath, 'utf8').split('\n'))
      if (line.startsWith('Decided in')) assert.match(line, /go through `application\/.*`\.$/);
  });
});
