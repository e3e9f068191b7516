import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { embedded } from '../../support/engines/engines.js';
import { environmentOf } from '../../support/service/command.js';

describe('npm start', () => {
  it('stops the service when npm is terminated, although the shell between them forwards no signal', async () => {
    const home = await embedded.home();
    const npm = spawn('npm', ['start'], { env: environmentOf(home), stdio: ['ignore', 'pipe', 'ignore'] });
    // The service holds the other end of the pipe as long as it lives.
    const ended = once(npm.stdout, 'end');
    const url = await new Promise<string>((resolve) => {
      let shown = '';
      npm.stdout.on('data', (chunk) => {
        shown += chunk;
        const [, found] = /ready at (\S+)/.exec(shown) ?? [];
        if (found) resolve(found);
      });
    });
    try {
      assert.equal((await fetch(`${url}/health/live`)).status, 200);
    } finally {
      npm.kill('SIGTERM');
    }
    await ended;
    await assert.rejects(fetch(`${url}/health/live`));
  });
});
