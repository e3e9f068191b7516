import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { environmentOf } from '../support/command.js';
import { embedded } from '../support/engines.js';

describe('npm start', () => {
  it('ends the service when npm is told to end, though the shell between them passes no signal on', async () => {
    const home = await embedded.home();
    const npm = spawn('npm', ['start'], { env: environmentOf(home), stdio: ['ignore', 'pipe', 'ignore'] });
    let shown = '';
    for await (const chunk of npm.stdout) {
      shown += chunk;
      if (/ready at \S+/.test(shown)) break;
    }
    const [, url = ''] = /ready at (\S+)/.exec(shown) ?? assert.fail(shown);
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
    npm.kill('SIGTERM');
    // The test ends in time only if the service does.
    for (;;)
      try {
        await fetch(`${url}/health/live`);
      } catch {
        break;
      }
  }).timeout(20_000);
});
