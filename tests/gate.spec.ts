import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from './support/eventually.js';
import { freshDirectory } from './support/run/directories.js';
import { skip } from './support/run/skip.js';

type Result = { file: string; title: string; state: string; error?: { code?: string; isLate?: boolean; text: string } };

const passed = (file: string, title: string): Result => ({ file, title, state: 'passed' });
const failed = (file: string, title: string, error = {}): Result => ({
  file,
  title,
  state: 'failed',
  error: { text: `Error: the first failure of ${title}`, ...error },
});

type Reported = { line: string; about?: { file: string; title: string } };
const reportedByDefault: readonly Reported[] = [{ line: 'not run: this' }, { line: 'left to npm run test:full: that' }];

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the CI gate', () => {
  let folder: string;
  let cwd: string;
  before(function () {
    if (process.platform !== 'linux') skip(this, 'the gate of CI, which finds processes in /proc');
  });
  beforeEach(() => {
    folder = freshDirectory();
    cwd = process.cwd();
  });

  const gate = async (...args: readonly string[]) => {
    const { CHAINFOLD_TEST_RESULTS: _, ...env } = process.env;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [resolve('.ci/gate.js'), ...args], { env, cwd });
      return { code: 0, stdout };
    } catch (error) {
      const { code, stdout } = error as { code: number; stdout: string };
      return { code, stdout };
    }
  };
  /**
   * Runs a pass of the gate whose command reports these results. Returns the output of the pass and the verdict.
   */
  const runGate = async (
    results: readonly Result[] | null,
    code = 0,
    { name = 'first', reported = reportedByDefault } = {},
  ) => {
    const text = JSON.stringify({ results, reported });
    const write =
      results && `require('fs').writeFileSync(process.env.CHAINFOLD_TEST_RESULTS, ${JSON.stringify(text)});`;
    const command = [process.execPath, '-e', `${write ?? ''} process.exitCode = ${code}`];
    const { stdout: output } = await gate('pass', folder, name, 'usual', ...command);
    const { code: exit, stdout } = await gate('verdict', folder);
    return { output, exit, verdict: stdout, last: stdout.trim().split('\n').at(-1) };
  };
  const specOf = (name: string, body: string) => {
    const file = join(folder, `${name}.spec.cjs`);
    writeFileSync(file, `it('${name}', () => { ${body} });`);
    return file;
  };

  it('passes when every test passed, and counts each test once', async () => {
    await runGate([passed('a.spec.ts', 'one'), passed('a.spec.ts', 'two')]);
    const { exit, last, verdict } = await runGate([passed('a.spec.ts', 'two'), passed('b.spec.ts', 'three')]);
    assert.deepEqual([exit, last], [0, '2 passed, 0 failed']);
    assert.match(verdict, /not run: this/);
    assert.doesNotMatch(verdict, /left to/);
  });

  it('passes when a failed file passes on the second run, and reports the file as flaky', async () => {
    const file = specOf('slow', '');
    const { exit, last, output, verdict } = await runGate([passed('a.spec.ts', 'one'), failed(file, 'slow')], 1);
    assert.deepEqual([exit, last], [0, '2 passed, 0 failed']);
    for (const text of [output, verdict]) assert.ok(text.includes(`FLAKY first ${file}: slow`), text);
    assert.match(verdict, /the first failure of slow/);
  });

  it('gives the second run a temporary folder with a short path, in which a browser can make a socket', async () => {
    const isShort = `require('assert').ok(process.env.TMPDIR.length < ${folder.length + 40}, process.env.TMPDIR)`;
    const file = specOf('s'.repeat(100), isShort);
    const { exit, last, output } = await runGate([failed(file, 'first')], 1);
    assert.deepEqual([exit, last], [0, '1 passed, 0 failed'], output);
  });

  it('runs the file of a failed hook again, not the file before it', async () => {
    const [first, second] = [specOf('sound', ''), specOf('unsound', '')];
    const hook =
      "describe('with a hook', () => { before(() => { throw new Error('no scene'); }); it('one', () => {}); });";
    writeFileSync(second, hook);
    const command = ['npx', 'mocha', '--no-parallel', first, second];
    const { stdout } = await gate('pass', folder, 'first', 'usual', ...command);
    assert.ok(stdout.includes(`first: ${relative(cwd, second)} failed and runs once more`), stdout);
  });

  it('fails when a file fails twice', async () => {
    const file = specOf('broken', 'throw new Error("still")');
    const { exit, last } = await runGate([passed('a.spec.ts', 'one'), failed(file, 'broken')], 1);
    assert.deepEqual([exit, last], [1, '1 passed, 1 failed']);
  });

  it('fails at once when an assertion shows a broken promise', async () => {
    const file = 'tests/system/access/isolation.spec.ts';
    const { exit, output } = await runGate([failed(file, 'shown to another', { code: 'ERR_ASSERTION' })], 1);
    assert.equal(exit, 1);
    assert.match(output, /RED first .*: shown to another/);
    assert.doesNotMatch(output, /once more/);
  });

  it('runs a file again when an assertion about a promise timed out', async () => {
    const file = 'tests/system/access/isolation.spec.ts';
    // The new directory has no spec of that name, so the second run ends quickly.
    cwd = freshDirectory();
    symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'));
    const { output } = await runGate([failed(file, 'shown to another', { code: 'ERR_ASSERTION', isLate: true })], 1);
    assert.ok(output.includes(`first: ${file} failed and runs once more, alone`), output);
    assert.doesNotMatch(output, /broken promise/);
  });

  it('lists tests that no pass ran, without those that another pass ran', async () => {
    const [left, made] = [
      { file: 'a.spec.ts', title: 'on Redis' },
      { file: 'b.spec.ts', title: 'on Redis' },
    ] as const;
    const lines = (...gaps: Reported[]) => ({ reported: gaps });
    const gaps = lines(
      { line: 'not run: a on Redis', about: left },
      { line: 'not run: b on Redis', about: made },
      { line: 'limiter: SQLite; not on Redis: there is none' },
      { line: 'event store: SQLite; not on a server' },
    );
    await runGate([passed('a.spec.ts', 'on SQLite counts')], 0, gaps);
    const more = lines({ line: 'limiter: SQLite; Redis' }, { line: 'event store: SQLite; not on a server' });
    const ran = [passed('a.spec.ts', 'on SQLite counts'), passed('b.spec.ts', 'on Redis counts')];
    const { verdict } = await runGate(ran, 0, { name: 'second', ...more });
    const [block] = verdict.split('== not run\n')[1]?.split('\n\n') ?? [];
    assert.deepEqual(block?.split('\n').sort(), ['event store: SQLite; not on a server', 'not run: a on Redis']);
  });

  it('fails when more than eight files failed', async () => {
    const many = Array.from({ length: 9 }, (_, n) => failed(`${n}.spec.ts`, 'one'));
    const { exit, last, output } = await runGate(many, 1);
    assert.deepEqual([exit, last], [1, '0 passed, 9 failed']);
    assert.doesNotMatch(output, /once more/);
  });

  it('fails when a command ends without results, or with an error although every test passed', async () => {
    const silent = await runGate(null, 2);
    assert.deepEqual([silent.exit, silent.last], [1, '0 passed, 1 failed']);
    const bad = await runGate([passed('a.spec.ts', 'one')], 2);
    assert.deepEqual([bad.exit, bad.last], [1, '1 passed, 1 failed']);
  });

  it('reports and ends a process that a pass left behind', async () => {
    const child = "require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref()";
    const { stdout } = await gate('pass', folder, 'first', 'usual', process.execPath, '-e', child);
    assert.match(stdout, /left behind: process sleep 1000/);
  });

  it('ends the processes of a pass when it is terminated, and fails', async () => {
    const command = [process.execPath, '-e', 'console.log(process.pid); setInterval(() => {}, 1000)'];
    const { CHAINFOLD_TEST_RESULTS: _, ...env } = process.env;
    const args = [resolve('.ci/gate.js'), 'pass', folder, 'first', 'usual', ...command];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    assert.equal(code, 143);
    await until('the command has ended', () => !isRunning(Number(line)));
    const { code: exit, stdout } = await gate('verdict', folder);
    assert.deepEqual([exit, stdout.trim().split('\n').at(-1)], [1, '0 passed, 1 failed']);
    assert.match(stdout, /RED {3}first .*the pass did not end/);
  });
});
