import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const rooms = ['domain', 'projections', 'application', 'infrastructure', 'interfaces'];
const stamp = join(root, 'dist', '.built');

const sources = () =>
  rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|html)$/.test(file))
      .map((file) => join(root, room, file)),
  );

/** Written beside and moved into place: a command that starts meanwhile never reads half a file. */
const write = (path, contents) => {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
};

/** What brings files of its own, or is loaded only where an engine is configured. */
const external = ['@photostructure/sqlite', '@nomicfoundation/*', '@ton/core', '@ton/crypto', '@ton/sandbox'];

/** The command, as a process and to be called from another program, and what runs in threads and is loaded by its name. */
const entries = (files) => [
  join(root, 'interfaces', 'main.ts'),
  join(root, 'interfaces', 'process.ts'),
  ...files.filter((file) => /^serveThread\b/m.test(readFileSync(file, 'utf8'))),
];

/**
 * TypeScript and the libraries to a few files, because reading them one by one would take most of a command's time; checking
 * types is tsc's job in `npm run check`. All lie side by side, so that what one reads from beside itself is there.
 */
const compile = async (entryPoints) => {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    entryPoints,
    outdir: join(root, 'dist'),
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    external,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // For libraries that are no modules.
    banner: { js: "const require = process.getBuiltinModule('module').createRequire(import.meta.url);" },
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
  });
  // Entries, whose names do not change with what they hold, come last: they name the others.
  const isEntry = ({ path }) => !/-[A-Z0-9]{8}\.js/.test(path);
  for (const { path, contents } of outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b))) write(path, contents);
};

export const build = async () => {
  const started = new Date();
  const files = sources();
  await compile(entries(files));
  for (const file of files.filter((file) => file.endsWith('.html')))
    write(join(root, 'dist', basename(file)), readFileSync(file));
  write(stamp, started.toISOString());
};

/** So that `npx chainfold` works right after `npm ci`, and after every edit. */
export const buildIfStale = async () => {
  const built = existsSync(stamp) ? Date.parse(readFileSync(stamp, 'utf8')) : 0;
  const inputs = [...sources(), fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
  if (inputs.some((file) => statSync(file).mtimeMs > built)) await build();
};

/** A program that is no part of the service, compiled as it is and beside it. */
export const buildProgram = async (file) => {
  await buildIfStale();
  await compile([file]);
  return join(root, 'dist', `${basename(file, '.ts')}.js`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
