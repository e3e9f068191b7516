import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createMetrics, type MetricValues } from '../../../interfaces/server/metrics.js';
import { projections } from '../../../projections/index.js';
import { readPage } from '../../support/docs/markdown.js';
import { composeApp, openStores } from '../../support/following/following.js';

const page = readFileSync('docs/operations.md', 'utf8');
const section = readPage('docs/operations.md').find(({ anchor }) => anchor === 'metrics');
const sorted = (names: Iterable<string>) => [...names].toSorted((a, b) => a.localeCompare(b));
const metricsNamedIn = (text: string) => text.match(/\bchainfold_[a-z_]+/g) ?? [];

describe('docs/operations.md', () => {
  let metrics: MetricValues;
  before(async () => {
    const stores = await openStores();
    // The data directory adds the metrics of the disk.
    metrics = await createMetrics(composeApp(stores), { stuckSeconds: 600, dataDirectory: stores.directory }).collect();
    await stores.close();
  });
  const registered = () => metrics.map(({ name }) => name).filter((name) => name.startsWith('chainfold_'));

  it('lists each metric that a process registers once in the table of metrics', () => {
    const rows = section?.tables[0]?.rows ?? [];
    assert.deepEqual(sorted(rows.flatMap(({ metric = '' }) => metricsNamedIn(metric))), sorted(registered()));
  });

  it('names no metric that does not exist', () => {
    const names = new Set(registered());
    assert.deepEqual(
      metricsNamedIn(page).filter((name) => !names.has(name)),
      [],
    );
  });

  it('lists the sources of metrics', () => {
    const [, list = ''] = /Each source is read separately,(.*?)\. A source/.exec(section?.lines.join(' ') ?? '') ?? [];
    const up = metrics.find(({ name }) => name === 'chainfold_metrics_source_up');
    assert.deepEqual(
      sorted([...list.matchAll(/`(\w+)`/g)].map(([, source = '']) => source)),
      sorted(up?.values.map(({ labels }) => String(labels.source)) ?? []),
    );
  });

  it('shows the number of projections in the output of status', () =>
    assert.ok(page.includes(`\nAll ${projections.length} projections are up to date.\n`)));
});
