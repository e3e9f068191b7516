import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { aggregates } from '../../../domain/aggregates.js';
import type { Decider, Message } from '../../../domain/decider.js';
import { readPage } from '../../support/docs/markdown.js';

type AnyDecider = Decider<Message, Message, object>;
const modules = await Promise.all(
  readdirSync('domain/aggregates', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => import(`../../../domain/aggregates/${file.replace(/\.ts$/, '.js')}`)),
);
const deciders = modules
  .flatMap((module): object[] => Object.values(module))
  .filter((exported): exported is AnyDecider => Object.hasOwn(exported, 'evolve'));

const section = readPage('docs/specification.md').find(({ anchor }) => anchor === '12-stored-events');
const rows = section?.tables[0]?.rows ?? [];
const onPage = rows.map(({ type = '', stream = '' }) => `${stream} ${type.replaceAll('`', '')}`);

describe('the stored events of docs/specification.md', () => {
  it('match the events of the deciders exactly, each in its stream', () => {
    const inCode = deciders.flatMap(({ stream, evolve }) => Object.keys(evolve).map((type) => `${stream} ${type}`));
    assert.ok(inCode.length > 0);
    assert.deepEqual(onPage.toSorted(), inCode.toSorted());
  });

  it('match the golden events exactly', () => {
    const golden: readonly Message[] = JSON.parse(readFileSync('tests/golden/events.json', 'utf8'));
    const types = onPage.map((one) => one.split(' ')[1]);
    assert.deepEqual(new Set(types), new Set(golden.map(({ type }) => type)));
  });

  it('cover every kind of stream', () =>
    assert.deepEqual(new Set(rows.map(({ stream }) => stream)), new Set(aggregates)));
});
