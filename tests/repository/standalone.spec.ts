import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Files that tools write. The tests do not check them. */
const madeByOthers = ['package-lock.json'];
const unpacked = ['node_modules', 'dist', 'coverage', '.git', '.chainfold'];

const walked = (): string[] =>
  readdirSync('.', { withFileTypes: true })
    .filter(({ name }) => !unpacked.includes(name))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const within = readdirSync(entry.name, { recursive: true, withFileTypes: true });
      return within
        .filter((one) => one.isFile() && !one.parentPath.includes('node_modules'))
        .map(({ parentPath, name }) => posix.join(parentPath, name));
    });
const tracked = () =>
  execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(file));
/** Files of the repository; a copy without .git, such as an archive, is walked instead. */
const files = (existsSync('.git') ? tracked() : walked()).filter(
  (file) => !madeByOthers.includes(file) && !file.endsWith('.png'),
);

type Finding = { readonly at: string; readonly found: string };
type Judge = (found: string, before: string, after: string) => boolean;
const findings = (file: string, text: string, pattern: RegExp, isWrong: Judge) =>
  [...text.matchAll(pattern)]
    .filter(({ 0: found, index }) => {
      const end = index + found.length;
      return isWrong(found, text.slice(Math.max(0, index - 80), index), text.slice(end, end + 1));
    })
    .map(({ 0: found, index }): Finding => ({ at: `${file}:${text.slice(0, index).split('\n').length}`, found }));

const up = '.'.repeat(2);
/** Matches a path with two dots; the parts of a joined path are concatenated first. */
const pathPattern = /[\w.@%*+~/\\-]*\.{2}[\w.@%*+~/\\-]*/g;
const joinedUp = (text: string) => text.replaceAll(/(?<=['"`/]\.{2})['"`],\s?['"`]/g, '/');
/**
 * Patterns for the text before a path that is relative to the file's own folder: an import, a URL, a link or a join.
 */
const besideItself = [
  /(?:\b(?:from|import|import\(|require\(|URL\()|import\.meta\.url\)\()\s*['"`]$/,
  /(?:\]\(|(?:href|src)=")$/,
  /\b(?:join|resolve)\(\s*[\w.]+\s*,\s*['"`]$/,
  /[)}]"?$/,
];
/** Matches a code block of a document that contains or changes the file named in its first line. */
const codeOfFile = /^ *```(?:ts|diff)\n *(?:\/\/|---) (\S+)\n[\s\S]*?^ *```$/gm;
const isCode = (file: string) => /\.[cm]?[jt]s$/.test(file);
/** Recognizes the operator of Lua that joins two texts. */
const isOperator = (found: string, before: string, after: string) =>
  found === up && !(/['"`]$/.test(before) && /['"`]/.test(after));
/** Paths that tests send as an attack. */
const attacks: readonly string[] = [[...Array(4).fill(up), 'etc', 'passwd'].join('/')];

const outwardPaths = (file: string, text: string): Finding[] => [
  ...outwardIn(file, text.replaceAll(codeOfFile, '')),
  ...[...text.matchAll(codeOfFile)].flatMap(([block, named = '']) => outwardIn(named, block)),
];

/** Resolves paths from the file's own folder, or else from the root, where programs and documented commands run. */
const outwardIn = (file: string, text: string) =>
  findings(file, joinedUp(text), pathPattern, (found, before, after) => {
    const path = found.replaceAll('\\', '/');
    if (!path.split('/').includes(up) || attacks.includes(path)) return false;
    if (isCode(file) && isOperator(found, before, after)) return false;
    const isBeside = file.endsWith('.json') || besideItself.some((pattern) => pattern.test(before));
    if (path.startsWith('/') && !isBeside) return false;
    const reached = posix.join(isBeside ? posix.dirname(file) : '.', `./${path}`);
    return reached.split('/')[0] === up;
  });

/** Names of pages outside the repository, each written in two pieces because this file is checked as well. */
const pages = ['SP EC', 'INTER FACE', 'DE SIGN', 'FA ULTS'].map((name) => name.replace(' ', ''));
const places = ['CHA INS', 'PLAT FORM', 'LAY OUT'].map((name) => name.replace(' ', ''));
const pagePattern = new RegExp(`(?:${pages.join('|')}|\\b(?:${places.join('|')}))\\b`, 'g');
const pageNames = (file: string, text: string) => findings(file, text, pagePattern, () => true);

const homes = ['work', 'home', 'root', 'Users'];
const homePattern = new RegExp(`(?<![\\w.)}-])[/\\\\](?:${homes.join('|')})(?![\\w-])[\\w./\\\\-]*`, 'g');
const developersFolders = (file: string, text: string) => findings(file, text, homePattern, () => true);

const everywhere = (find: (file: string, text: string) => readonly Finding[]) =>
  files.flatMap((file) => find(file, readFileSync(file, 'utf8'))).map(({ at, found }) => `${at} ${found}`);

describe('the standalone repository', () => {
  it('is checked as a whole', () => {
    for (const file of [
      'README.md',
      'package.json',
      '.ci/run',
      'tests/repository/standalone.spec.ts',
      'domain/variant.ts',
    ])
      assert.ok(files.includes(file), file);
    const found = new Set(walked());
    assert.deepEqual(
      files.filter((file) => !found.has(file)),
      [],
    );
  });
  it('contains no path that leads out of it', () => assert.deepEqual(everywhere(outwardPaths), []));
  it('cites no page that its readers do not have', () => assert.deepEqual(everywhere(pageNames), []));
  it("contains no folder of a developer's machine", () => assert.deepEqual(everywhere(developersFolders), []));
});

describe('a reference out of the repository', () => {
  const [one, two, three] = [1, 2, 3].map((count) => Array(count).fill(up).join('/')) as [string, string, string];
  const outward: Readonly<Record<string, readonly [file: string, text: string]>> = {
    'an import': ['tests/some.ts', `import { a } from '${two}/beside/a.js';`],
    'an import when needed': ['tests/deep/some.ts', `await import(\`${three}/beside/a.js\`);`],
    'a URL': ['tests/deep/some.ts', `new URL('${three}/beside/a.json', import.meta.url)`],
    'a URL of a folder': ['tests/some.ts', `new URL('${two}', import.meta.url)`],
    'a file read from where the program starts': ['tests/deep/some.ts', `readFileSync('${one}/beside/a.json')`],
    'a path that first goes down': ['tests/deep/some.ts', `readFileSync('tests/${three}/beside')`],
    'a path joined from parts': ['tests/some.ts', `join(here, '${up}', '${up}', 'beside')`],
    'a path after a variable': ['tests/some.ts', `\`\${here}/${two}/beside\``],
    'a link': ['docs/api.md', `[beside](${two}/beside/page.md)`],
    'a file that a document holds': ['docs/api.md', `\`\`\`ts\n// tests/some.ts\nfrom '${two}/beside/a.js';\n\`\`\``],
    'a command in a document': ['docs/api.md', `cp ${one}/beside/page.md .`],
    'a script': ['tests/some.sh', `cd "$(dirname "$0")/${two}"`],
    'a setting': ['deep/some.json', `{ "extends": "${two}/beside.json" }`],
    'a folder above': ['some.ts', `const above = '${up}';`],
  };
  for (const [place, [file, text]] of Object.entries(outward))
    it(`is found in ${place}`, () => assert.equal(outwardPaths(file, text).length, 1, text));

  const inward: typeof outward = {
    'an import': ['tests/deep/some.ts', `import { a } from '${two}/domain/a.js';`],
    'a URL': ['tests/deep/some.ts', `new URL('${two}/domain/a.json', import.meta.url)`],
    'a path joined from parts': ['tests/deep/some.ts', `join(here, '${up}', '${up}', 'domain')`],
    'a link': ['docs/api.md', `[read me](${one}/README.md)`],
    'a file that a document holds': ['docs/api.md', `\`\`\`ts\n// tests/some.ts\nfrom '${one}/domain/a.js';\n\`\`\``],
    'a script': ['tests/some.sh', `cd "$(dirname "$0")/${one}"`],
    'a path that callers try': ['tests/some.ts', `'/a/${two}/secret', 'ipfs://${one}/x'`],
    'a list spread out': ['some.ts', 'const all = [...some, ...others];'],
    'two texts joined in Lua': ['some.ts', `local key = KEYS[1] ${up} ':' ${up} id`],
    'a pattern of two characters': ['some.ts', `text.match(/${up}/g)`],
  };
  for (const [place, [file, text]] of Object.entries(inward))
    it(`is not found in ${place} that stays within the repository`, () =>
      assert.deepEqual(outwardPaths(file, text), []));

  it('is found in the citation of a page', () => {
    for (const page of [...pages, ...places])
      assert.equal(pageNames('some.ts', `/** As ${page} 2.4 has it. */`).length, 1, page);
    assert.deepEqual(pageNames('some.ts', 'specification, interface, DESIGNATED, CHAIN_C_URL'), []);
  });
  it("is found in a path of a developer's folder", () => {
    for (const home of homes) assert.equal(developersFolders('some.md', `cd /${home}/someone/here`).length, 1, home);
    assert.deepEqual(developersFolders('some.md', `tests/support/${homes[2]}-hooks.ts and a/${homes[0]}/b`), []);
  });
});
