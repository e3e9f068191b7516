import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { chains } from '../../../domain/variant.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { environmentOf, launcher, runCommand } from '../../support/service/command.js';

/**
 * Settings with which the test environment turns the development chains off. They are removed here, because an
 * operator's first start has none of them.
 */
const unset = chains.map(({ tag }) => `CHAIN_${tag}_URL`);
const startForPeople = async (home: Home, extra: Record<string, string>) => {
  const given = Object.entries({ ...environmentOf(home), ...extra });
  const env = Object.fromEntries(given.filter(([name]) => !unset.includes(name) || name in extra));
  const child = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let [shown, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => (stderr += chunk));
  for await (const chunk of child.stdout) {
    shown += chunk;
    if (/ListTransfers .*\n/.test(shown)) break;
  }
  return { child, shown, stderr: () => stderr };
};
const stop = async (child: ChildProcess) => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
};

/** Splits a command into arguments as a shell does. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);

describe('the banner of a service', () => {
  const withoutEvm = { NODE_OPTIONS: `--require ${resolve('tests/support/service/no-development-evm.cjs')}` };
  const machines: Readonly<Record<string, Record<string, string>>> = {
    'with the development EVM': {},
    'without the development EVM': withoutEvm,
    'with a node of its own that cannot be reached': { CHAIN_C_URL: 'http://127.0.0.1:1', CHAIN_P_URL: 'off' },
  };
  for (const [machine, env] of Object.entries(machines))
    it(`suggests only commands that work on a machine ${machine}, and says which APIs lack a chain`, async () => {
      const home = await embedded.home();
      const { child, shown, stderr } = await startForPeople(home, env);
      try {
        const lacks = shown.split('\n').filter((line) => line.includes('no development chain'));
        assert.deepEqual(lacks.length, env === withoutEvm ? 1 : 0, shown);
        if (env === withoutEvm) {
          assert.match(lacks[0] ?? '', /for P, C, Q on .+CHAIN_C_URL=http/);
          assert.match(shown, /following T, S$/m);
          assert.equal(stderr().trim().split('\n').length, 1, stderr());
        }
        const commands = [...shown.matchAll(/^ {2}npx chainfold (.+)$/gm)].map(([, command = '']) => command);
        assert.ok(commands.length >= 3, shown);
        for (const command of commands) {
          const { code, stderr } = await runCommand(home, wordsOf(command));
          assert.equal(code, 0, `${command}: ${stderr}`);
        }
      } finally {
        await stop(child);
      }
    });
});
