import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const rooms = ['domain', 'projections', 'application', 'infrastructure', 'interfaces', 'sdk'];
const stamp = join(root, 'dist', '.built');

const sources = () =>
  rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|css|html|svg|py)$/.test(file))
      .map((file) => join(root, room, file)),
  );

/** Writes a draft and renames it, so that a command that starts meanwhile never reads half a file. */
const write = (path, contents) => {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
};

/**
 * Packages left out of the bundle: they load files of their own, or only some configurations need them, or the service
 * recognizes their errors by the folder in the stack trace.
 */
const external = [
  '@eventstore/db-client',
  '@kurrent/kurrentdb-client',
  '@photostructure/sqlite',
  '@nomicfoundation/*',
  '@ton/core',
  '@ton/crypto',
  '@ton/sandbox',
  'pdfkit',
];

/**
 * Plugin that bundles only the dispatchers of undici, because loading its fetch and its mocks takes a fifth of the time
 * to start. The build fails when a source imports another export of undici.
 */
const onlyDispatchers = {
  name: 'only the dispatchers of undici',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `
        import api from './lib/api/index.js';
        import Dispatcher from './lib/dispatcher/dispatcher.js';
        Object.assign(Dispatcher.prototype, api);
        export { default as buildConnector } from './lib/core/connect.js';
        export { default as Agent } from './lib/dispatcher/agent.js';
        export { default as Pool } from './lib/dispatcher/pool.js';`,
    })),
};

/**
 * Entry points: the command for other programs to call (main.ts), and the same command as a process (process.ts).
 */
const entries = [join(root, 'interfaces', 'main.ts'), join(root, 'interfaces', 'process.ts')];

/** Build options of the entry points: ES modules that share chunks. */
const modules = {
  format: 'esm',
  splitting: true,
  // CommonJS libraries in the bundle call `require`, which an ES module lacks.
  banner: { js: "const require = process.getBuiltinModule('module').createRequire(import.meta.url);" },
};

/**
 * Build options of worker threads: one CommonJS file each, because a store starts several threads, and loading a dozen
 * modules would take as long as the start of the thread itself.
 */
const threads = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "'use strict'; const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
};

/**
 * Returns true for a file that runs as a worker thread. Such a file calls `serveThread`, and is started by its file
 * name.
 */
const isThread = (file) => /^serveThread\b/m.test(readFileSync(file, 'utf8'));

/**
 * Bundles TypeScript and libraries into a few files, because reading every module by itself would take most of a
 * command's time. The types are checked by tsc in `npm run check`. All files are in one folder, so that a module finds
 * the files that it reads from its own directory.
 */
const compile = async (entryPoints, form = modules) => {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    entryPoints,
    outdir: join(root, 'dist'),
    entryNames: '[name]',
    bundle: true,
    external,
    plugins: [onlyDispatchers],
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    ...form,
  });
  // Entry files are written last: a command may load them at any time, because their names stay the same, and the
  // hashed chunks that they import must exist then.
  const isEntry = ({ path }) => !/-[A-Z0-9]{8}\.js/.test(path);
  for (const { path, contents } of outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b))) write(path, contents);
};

const consoleSource = join(root, 'interfaces', 'console');
const consoleOutput = join(root, 'dist', 'console');

/**
 * Returns HTML tags for the files that the page loads at once: its script, the chunks that the script imports
 * statically, its style sheet and its icon.
 */
const firstLoad = (outputs) => {
  const outputOf = (source) => Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source));
  const [entry, { cssBundle }] = outputOf('main.tsx');
  const [icon] = outputOf('icon.svg');
  const scripts = new Set([entry]);
  for (const script of scripts)
    for (const { path, kind } of outputs[script].imports) if (kind === 'import-statement') scripts.add(path);
  const address = (path) => `/console/assets/${basename(path)}`;
  const [main, ...chunks] = [...scripts].map(address);
  return [
    `<script type="module" src="${main}"></script>`,
    ...chunks.map((chunk) => `<link rel="modulepreload" href="${chunk}">`),
    ...(cssBundle ? [`<link rel="stylesheet" href="${address(cssBundle)}">`] : []),
    `<link rel="icon" type="image/svg+xml" href="${address(icon)}">`,
  ].join('\n    ');
};

/** Plugin that lets the console import the verifier of evidence folders from its script element in verify.html. */
const evidenceVerifier = {
  name: 'evidence-verifier',
  setup: ({ onLoad }) =>
    onLoad({ filter: /verify\.html$/ }, ({ path }) => {
      const [, script] = /<script id="verifier">([\s\S]*?)<\/script>/.exec(readFileSync(path, 'utf8'));
      return { contents: `${script}\nexport { linesOf, parse, sha256, verifyExport, verifyFolder };`, loader: 'js' };
    }),
};

/**
 * Bundles the console for browsers into dist/console/: index.html, and the files that it loads, with hashes of their
 * contents in their names.
 */
const bundleConsole = async () => {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [join(consoleSource, 'main.tsx'), join(consoleSource, 'icon.svg')],
    loader: { '.svg': 'copy' },
    plugins: [evidenceVerifier],
    outdir: join(consoleOutput, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: root,
    metafile: true,
    write: false,
  });
  for (const { path, contents } of outputFiles) write(path, contents);
  const template = readFileSync(join(consoleSource, 'index.html'), 'utf8');
  write(
    join(consoleOutput, 'index.html'),
    template.replace('<!-- first load -->', () => firstLoad(metafile.outputs)),
  );
};

const sdks = join(root, 'sdk');

/**
 * Returns true for a file that a module of the service reads from its own directory. The console's page is not copied,
 * but built. The service reads no file of the SDKs, some of which have the name of a file that it reads.
 */
const isCopied = (file) =>
  /\.(html|py)$/.test(file) && ![consoleSource, sdks].some((folder) => file.startsWith(folder));

/** Copies files into dist/. Fails if two files have the same name, because one would replace the other. */
const copy = (files) => {
  const names = files.map((file) => basename(file));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new Error(`two files would be dist/${twice}`);
  for (const file of files) write(join(root, 'dist', basename(file)), readFileSync(file));
};

export const build = async () => {
  const started = new Date();
  const files = sources();
  await compile(files.filter(isThread), threads);
  await compile(entries);
  await bundleConsole();
  copy(files.filter(isCopied));
  write(stamp, started.toISOString());
};

/**
 * Rebuilds when a source is newer than the last build, so that `npx chainfold` works right after `npm ci` and after
 * every edit.
 */
export const buildIfStale = async () => {
  const built = existsSync(stamp) ? Date.parse(readFileSync(stamp, 'utf8')) : 0;
  const inputs = [...sources(), fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
  if (inputs.some((file) => statSync(file).mtimeMs > built)) await build();
};

/**
 * Compiles a program that is not part of the service, such as a benchmark, into dist/ and returns the path of the file.
 */
export const buildProgram = async (file) => {
  await buildIfStale();
  await compile([file]);
  return join(root, 'dist', `${basename(file, '.ts')}.js`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
