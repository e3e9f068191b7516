import assert from 'node:assert/strict';
import { engines } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { runCommand } from '../../support/service/command.js';
import { newOrganization, startService } from '../../support/service/service.js';

for (const engine of engines)
  describe(`audit verify on ${engine.name}, of stores that no service has sealed`, () => {
    it('exits with code 2 until the service has covered the events', async () => {
      const home = await engine.home();
      const verify = async (...args: string[]) => {
        const { code, stdout, stderr } = await runCommand(home, ['audit', 'verify', ...args, '--json']);
        return {
          code,
          stderr,
          lines: stdout
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        };
      };
      const empty = await verify('--all');
      assert.deepEqual([empty.code, empty.lines[0].valid], [2, null]);
      assert.match(empty.lines[0].reason, /^No history was ever sealed/);
      const { organizationId } = await newOrganization(home, 'unsealed');
      const one = await verify('--organization', 'unsealed');
      assert.deepEqual([one.code, one.lines[0].valid], [2, null]);
      assert.equal(one.lines[0].unproven_events, one.lines[0].events);
      const all = await verify('--all');
      assert.equal(all.code, 2);
      assert.ok(all.lines.some(({ organization_id, valid }) => organization_id === organizationId && valid === null));
      const service = await startService({ on: home });
      await until(
        'the sealer has hashed the history',
        async () => (await verify('--organization', 'unsealed')).code === 0,
      );
      await service.stop();
    });
  });
