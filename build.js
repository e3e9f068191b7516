import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** TypeScript to JavaScript, file by file; checking types is tsc's job in `npm run check`. */
export const build = async () => {
  const esbuild = await import('esbuild');
  const started = new Date();
  const files = sources();
  const { outputFiles } = await esbuild.build({
    entryPoints: files.filter((file) => file.endsWith('.ts')),
    outdir: join(root, 'dist'),
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    write: false,
  });
  for (const { path, contents } of outputFiles) write(path, contents);
  for (const file of files.filter((file) => file.endsWith('.html')))
    write(join(root, 'dist', file.slice(root.length)), readFileSync(file));
  write(stamp, started.toISOString());
};

/** So that `npx chainfold` works right after `npm ci`, and after every edit. */
export const buildIfStale = async () => {
  const built = existsSync(stamp) ? Date.parse(readFileSync(stamp, 'utf8')) : 0;
  if (sources().some((file) => statSync(file).mtimeMs > built)) await build();
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
