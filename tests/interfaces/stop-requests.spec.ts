import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { endsWithParent, stopSignals } from '../../interfaces/stop-requests.js';

describe('the end of the parent process', () => {
  for (const script of [
    'node bin/chainfold.js serve',
    'cd service && node bin/chainfold.js serve',
    'chainfold serve > service.log 2>&1',
    'chainfold serve &> service.log',
  ])
    it(`ends a service that runs in the foreground of the npm script "${script}"`, () =>
      assert.equal(endsWithParent({ npm_lifecycle_script: script }, 'linux'), true));

  for (const script of [
    'node bin/chainfold.js serve &',
    'chainfold serve & wait-on http://127.0.0.1:8080 && npm run e2e',
    'chainfold serve > service.log 2>&1 & echo $!',
    'bash start-all.sh',
  ])
    it(`does not end a service that the npm script "${script}" may have put into the background`, () =>
      assert.equal(endsWithParent({ npm_lifecycle_script: script }, 'linux'), false));

  it('does not end a service that was started without npm', () => assert.equal(endsWithParent({}, 'linux'), false));

  it('is not watched on Windows, where a process never gets a new parent', () =>
    assert.equal(endsWithParent({ npm_lifecycle_script: 'node bin/chainfold.js serve' }, 'win32'), false));
});

describe('the signals that stop the service', () => {
  it('are all known to this platform', () => {
    for (const signal of stopSignals(process.platform)) assert.ok(signal in constants.signals, signal);
  });

  it('include those that Windows delivers', () =>
    assert.deepEqual(stopSignals('win32'), ['SIGINT', 'SIGBREAK', 'SIGHUP']));
});
