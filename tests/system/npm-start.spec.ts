import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentOf } from '../support/command.js';
import { embedded } from '../support/engines.js';

describe('npm start', () => {
  it('ends the service when npm is told to end, though the shell between them passes no signal on', async () => {
    const home = await embedded.home();
    const npm = spawn('npm', ['start'], { env: environmentOf(home), stdio: ['ignore', 'pipe', 'ignore'] });
    // The service holds the other end of the pipe for as long as it lives.
    const ended = once(npm.stdout, 'end');
    const url = await new Promise<string>((resolve) => {
      let shown = '';
      npm.stdout.on('data', (chunk) => {
        shown += chunk;
        const [, found] = /ready at (\S+)/.exec(shown) ?? [];
        if (found) resolve(found);
      });
    });
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
    npm.kill('SIGTERM');
    await ended;
    await assert.rejects(fetch(`${url}/health/live`));
  }).timeout(20_000);
});
