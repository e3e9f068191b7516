import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Chain } from '../../application/ports/chain.js';
import { nameOf, roles, type ServiceProcess } from '../../application/processes/service-process.js';
import {
  folders as applicationFolders,
  foundations,
  type Imported,
  local,
  mayImport,
  mayImportInside,
  usesOf,
} from '../support/docs/import-rules.js';
import { composeApp, followedVariant, openStores } from '../support/following/following.js';
import { fakeNode } from '../support/gateway/json-rpc.js';

const read = (file: string) => readFileSync(file, 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  ...readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`),
];
const architecture = read('docs/architecture.md');
const rooms = ['domain', 'projections', 'application', 'infrastructure', 'interfaces', 'sdk', 'tests'];
const folders = [...rooms, 'docs', 'bench', 'bin', 'deploy', '.ci'];

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
  string,
  Record<string, string>
>;
const packageNames = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
/** Names that look like paths of this repository but are not. */
const notPaths = ['application/json', ...packageNames];

/** Reports whether a path exists. A star in its last part stands for any text. */
const isThere = (path: string) => {
  if (!path.includes('*')) return existsSync(path);
  const [before = '', after = ''] = basename(path).split('*');
  const isMeant = (name: string) => name.startsWith(before) && name.endsWith(after);
  return existsSync(dirname(path)) && readdirSync(dirname(path)).some(isMeant);
};

const inFolder = new RegExp(
  `(?<![\\w./-])(?:${folders.map((one) => one.replace('.', '\\.')).join('|')})/[\\w.*/-]*`,
  'g',
);
const rootFile = /`(\.?[A-Za-z][\w.-]*\.(?:ts|c?js|json|md|sh|ya?ml))`/g;
const link = /\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g;

/** Lists the paths that a page names. Link targets start at the page's folder, all other paths at the root. */
const pathsIn = (page: string) => {
  const text = read(page);
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const links = [...prose.matchAll(link)].map(([, target = '']) => join(dirname(page), target));
  const named = [...text.replaceAll(link, ']').matchAll(inFolder)].map(([path]) => path.replace(/\.+$/, ''));
  const atRoot = [...prose.matchAll(rootFile)].map(([, path = '']) => path);
  return [...links, ...named, ...atRoot].filter((path) => !notPaths.includes(path));
};

describe('the pages for contributors', () => {
  for (const page of pages)
    it(`name only paths that exist, in ${page}`, () => {
      const paths = pathsIn(page);
      assert.ok(paths.length > 3, `only ${paths.length} paths were found in ${page}`);
      assert.deepEqual(
        paths.filter((path) => !isThere(path)),
        [],
      );
    });

  it('name only npm scripts that exist in package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) => [...read(page).matchAll(/npm run ([a-z][a-z:-]*)/g)]);
    assert.ok(named.length > 3);
    assert.deepEqual(
      named.map(([, script = '']) => script).filter((script) => !Object.hasOwn(scripts, script)),
      [],
    );
  });

  it('list every decision in docs/decisions/README.md under consecutive numbers', () => {
    const numbered = readdirSync('docs/decisions').filter((name) => /^\d{4}-/.test(name));
    assert.ok(numbered.length >= 7);
    for (const [i, name] of numbered.toSorted((a, b) => a.localeCompare(b)).entries()) {
      assert.equal(Number(name.slice(0, 4)), i + 1, name);
      assert.ok(read('docs/decisions/README.md').includes(`](${name})`), name);
    }
  });
});

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
/** Returns the cells of all rows below the given header row of a table. */
const rowsBelow = (heading: string) => {
  const [, below = ''] = architecture.split(`${heading}\n`);
  return (/^(?:\|.*\n)+/.exec(below)?.[0] ?? '').trimEnd().split('\n').slice(1).map(cellsOf);
};

const packages = packageNames.map((name): Imported & { readonly name: string } => ({
  name,
  path: `node_modules/${name}/index.js`,
  type: 'npm',
}));
const fileSystem: Imported = { path: 'fs', type: 'core' };

describe('docs/architecture.md', () => {
  const heading = `| from | ${rooms.join(' | ')} | packages and \`node:\` |`;

  it('documents exactly the import rules of .dependency-cruiser.cjs', () => {
    const cell = (from: string, to: string) => {
      if (mayImport(`${from}/sub/one.ts`, local(`${to}/sub/other.ts`))) return 'yes';
      return mayImport(`${from}/main.ts`, local(`${to}/sub/other.ts`)) ? `only from \`${from}/main.ts\`` : 'no';
    };
    const outside = (from: string) => {
      const all = packages.filter(({ name }) => name !== 'inversify');
      const allowed = all.filter((one) => mayImport(`${from}/sub/one.ts`, one));
      const hasNode = mayImport(`${from}/sub/one.ts`, fileSystem);
      if (allowed.length === 0 && !hasNode) return 'none';
      assert.ok(hasNode, `${from} may import packages but not node:`);
      return allowed.length === all.length ? 'any' : 'listed';
    };
    assert.deepEqual(
      rowsBelow(heading),
      rooms.map((from) => [from, ...rooms.map((to) => cell(from, to)), outside(from)]),
    );
  });

  it('documents which folders each folder of application/ may import', () => {
    const expected = applicationFolders.map((one) => [
      `\`${one}/\``,
      foundations.includes(one) ? 'foundation' : usesOf(one).join(', ') || 'none',
    ]);
    const rows = rowsBelow('| folder of `application/` | holds | uses |');
    assert.deepEqual(
      rows.map(([folder, , used]) => [folder, used]).toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
      expected.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    );
    assert.ok(
      !mayImportInside('application/loose.ts', 'domain/other.ts'),
      'application/loose.ts, outside the folders, must not be allowed',
    );
  });

  it('describes the import rules of infrastructure/nodes/ as they are enforced', () => {
    assert.ok(architecture.includes('knows neither the chains nor the gateway'));
    const mayUse = (from: string, to: string) =>
      mayImport(`infrastructure/${from}/one.ts`, local(`infrastructure/${to}/other.ts`));
    for (const user of ['chains/evm', 'gateway-nodes']) {
      assert.ok(mayUse(user, 'nodes'), user);
      assert.ok(!mayUse('nodes', user), user);
      assert.ok(!mayUse('nodes/json-rpc', user), user);
    }
    assert.ok(!mayUse('gateway-nodes', 'chains/evm'));
  });

  it('lists the packages that infrastructure may import, and the folders that may import inversify', () => {
    const list = / of `node:` and these packages: (.*?)\. `inversify`/s.exec(architecture)?.[1] ?? '';
    const allowed = packages.filter((one) => mayImport('infrastructure/container.ts', one));
    assert.deepEqual(
      [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      allowed.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)),
    );
    const inversify = packages.find(({ name }) => name === 'inversify') ?? assert.fail('package.json has no inversify');
    for (const file of ['infrastructure/container.ts', 'interfaces/main.ts']) assert.ok(mayImport(file, inversify));
    for (const room of rooms) assert.ok(!mayImport(`${room}/sub/one.ts`, inversify), room);
  });

  it('lists the roles and processes of the application', async () => {
    const stores = await openStores();
    const chain = { sending: {}, hasTokenAccounts: true } as unknown as Chain;
    const { processes } = composeApp(stores, {
      chains: new Map([[followedVariant.tag, { chain, isNew: true }]]),
      nodes: new Map([['q/mainnet', fakeNode().real]]),
    });
    const titled = (one: ServiceProcess) => nameOf(one.chain ? { ...one, chain: '`<chain>`' } : one);
    const listed = roles.flatMap((role) => processes.filter((one) => one.role === role));
    assert.deepEqual(
      rowsBelow('| role | process | file |').map(([role, process]) => `${role}: ${process}`),
      listed.map((one) => `${one.role}: ${titled(one)}`),
    );
    await stores.close();
  });

  it('names an existing file and an identifier in that file for each rule', () => {
    const section = architecture.split('## Where does a rule live')[1] ?? '';
    const rows = [...section.matchAll(/^\| (?!rule |---)([^|]+) \| ([^|]+) \|$/gm)];
    assert.ok(rows.length >= 30, String(rows.length));
    for (const [, rule, where = ''] of rows) {
      const named = [...where.matchAll(/`([\w./-]+)`: `(\w+)`/g)];
      assert.equal(named.map(([text]) => text).join('; '), where, rule);
      for (const [, file = '', name = ''] of named)
        assert.match(read(file), new RegExp(`\\b${name}\\b`), `${file} has no ${name}`);
    }
  });

  it('contains only diagrams whose lines Mermaid can parse', () => {
    const pictures = [...architecture.matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, text = '']) => text);
    assert.equal(pictures.length, 7);
    const [node, label] = ['\\w+(?:\\[\\(?"[^"]+"\\)?\\])?', '(?: -- "[^"]+")?'];
    const flow = new RegExp(`^  +(?:${node}(?:${label} (?:-->|-\\.->) ${node})*|subgraph \\w+\\["[^"]+"\\]|end)$`);
    const sequence = /^ {2}(?:participant \w+ as [\w ./]+|\w+--?>>\w+: [\w ,./-]+)$/;
    for (const picture of pictures) {
      const [kind = '', ...lines] = picture.trimEnd().split('\n');
      assert.match(kind, /^(?:flowchart (?:TD|LR)|sequenceDiagram)$/);
      for (const line of lines) assert.match(line, kind === 'sequenceDiagram' ? sequence : flow, line);
    }
  });
});
