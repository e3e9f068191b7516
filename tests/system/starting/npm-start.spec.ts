import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve as absolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { embedded } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { environmentOf, launcher } from '../../support/service/command.js';

/** Waits until the output matches, and returns the first group. */
const shownOn = (output: Readable, pattern: RegExp) =>
  new Promise<string>((resolve) => {
    let shown = '';
    output.on('data', (chunk) => {
      shown += chunk;
      const [, found] = pattern.exec(shown) ?? [];
      if (found) resolve(found);
    });
  });

describe('npm start', () => {
  it('stops the service when npm is terminated, although the shell between them forwards no signal', async () => {
    const home = await embedded.home();
    const npm = spawn('npm', ['start'], { env: environmentOf(home), stdio: ['ignore', 'pipe', 'ignore'] });
    // The pipe ends together with the service, because the service has the other end of the pipe open.
    const ended = once(npm.stdout, 'end');
    const url = await shownOn(npm.stdout, /ready at (\S+)/);
    try {
      assert.equal((await fetch(`${url}/health/live`)).status, 200);
    } finally {
      npm.kill('SIGTERM');
    }
    await ended;
    await assert.rejects(fetch(`${url}/health/live`));
  });
});

describe('a service that an npm script puts into the background', () => {
  it('keeps running after the script and npm have ended, until it is terminated itself', async () => {
    const home = await embedded.home();
    const directory = freshDirectory();
    const background = `node ${absolute(launcher)} serve & echo "runs as $!."; read line`;
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ scripts: { background } }));
    const npm = spawn('npm', ['run', 'background'], {
      cwd: directory,
      env: environmentOf(home),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [ended, left] = [once(npm.stdout, 'end'), once(npm, 'exit')];
    const [pid, url] = await Promise.all([
      shownOn(npm.stdout, /^runs as (\d+)\.$/m),
      shownOn(npm.stdout, /ready at (\S+)/),
    ]);
    const timeThere = async () => Date.parse((await fetch(`${url}/health/live`)).headers.get('date') ?? '');
    try {
      npm.stdin.end('\n');
      await left;
      const start = await timeThere();
      await until('the clock of the service goes on for two seconds', async () => (await timeThere()) >= start + 2000);
    } finally {
      process.kill(Number(pid), 'SIGTERM');
    }
    await ended;
  });
});
