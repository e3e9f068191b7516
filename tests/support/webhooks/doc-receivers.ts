import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freshDirectory } from '../run/directories.js';

const page = readFileSync('docs/webhooks.md', 'utf8');

/** Returns the only code block of docs/webhooks.md in a language; fails if there is not exactly one. */
export const blockIn = (language: string) => {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))];
  assert.equal(found.length, 1, `code blocks in ${language}`);
  return found[0]?.[1] as string;
};

const isMissing = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status !== 0;
const noPython = isMissing('python3', '--version') ? 'python3 is not here' : null;
const noEd25519 = isMissing('python3', '-c', 'import cryptography.hazmat.primitives.asymmetric.ed25519')
  ? 'python3 has no package cryptography'
  : null;

type Sample = { readonly language: string; readonly file: string; readonly command: readonly string[] };
/** Sample receivers in docs/webhooks.md, each for both kinds of signature. */
export const samples: readonly (Sample & { readonly version: 'v1' | 'v1a'; readonly missing: string | null })[] = [
  { language: 'ts', file: 'receiver.mts', command: [process.execPath, '--import', 'tsx'] },
  { language: 'python', file: 'receiver.py', command: ['python3'] },
].flatMap((sample) => [
  { ...sample, version: 'v1', missing: sample.language === 'python' ? noPython : null },
  { ...sample, version: 'v1a', missing: sample.language === 'python' ? (noPython ?? noEd25519) : null },
]);

/** Starts a sample receiver of docs/webhooks.md as a reader of that page would. */
export const startSample = async ({ language, file, command }: Sample, port: number, env: Record<string, string>) => {
  const path = join(freshDirectory(), file);
  writeFileSync(path, blockIn(language));
  const [program = '', ...args] = [...command, path];
  const own = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port) };
  const child = spawn(program, args, { env: { ...own, ...env } });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += chunk));
  const gone = once(child, 'exit');
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => printed.push(line));
  await Promise.race([once(lines, 'line'), gone.then(() => assert.fail(complaints))]);
  return {
    url: `http://127.0.0.1:${port}/`,
    greeting: printed[0],
    notices: () => printed.slice(1).map((line) => JSON.parse(line)),
    complaints: () => complaints,
    stop: async () => {
      kill();
      await gone;
      process.removeListener('exit', kill);
    },
  };
};
