import assert from 'node:assert/strict';
import { createPages } from '../../../interfaces/pages/pages.js';
import { checkNamedTests } from '../../support/docs/held-by.js';
import { readPage } from '../../support/docs/markdown.js';
import { testSystem } from '../../support/silent.js';

/** Returns the first segment of every path that the service answers without a signature. */
const openPaths = () => {
  const pages = createPages({
    app: { system: testSystem } as never,
    version: '1.0.0',
    metrics: { contentType: 'text/plain', render: async () => '' },
    metricsToken: undefined,
    readiness: async () => [],
  });
  const paths = pages.router.stack.flatMap(({ route }) => (route ? [route.path] : []));
  return new Set(paths.filter((path) => path !== '/').map((path) => `/${path.split('/')[1]}`));
};

describe('the threat model in docs/security.md', () => {
  const section = readPage('docs/security.md').find(({ anchor }) => anchor === 'threat-model');
  const rows = section?.tables[0]?.rows ?? [];

  it('names a test for each attacker from whom something is protected', () => {
    assert.ok(rows.length > 10);
    for (const { attacker = '', protected: safe = '', 'held by': held = '' } of rows)
      if (safe === '') assert.equal(held, '', attacker);
      else checkNamedTests(held, attacker);
  });

  it('lists every page that answers without a signature', () => {
    const { protected: safe = '' } = rows.find(({ attacker }) => attacker === 'anybody on the network') ?? {};
    const listed = new Set(safe.match(/`\/[^`]+`/g)?.map((path) => path.slice(1, -1)));
    assert.deepEqual([...openPaths()].sort(), [...listed].sort());
  });
});
