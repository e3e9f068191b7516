import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
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

    if (engine.isEmbedded)
      it('exits with code 1 for an event that somebody appended while no service ran, also after the next start', async () => {
        const home = await engine.home();
        const { organizationId } = await newOrganization(home, 'forged');
        const verify = () => runCommand(home, ['audit', 'verify', '--organization', 'forged']);
        const first = await startService({ on: home });
        await until('the sealer has hashed the history', async () => (await verify()).code === 0);
        await first.stop();
        const db = new DatabaseSync(join(home.directory, 'events.db'));
        db.exec(`INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), stream, 1000, organization, 'forged',
          'GatewayKeysSet', '{"organizationId":"${organizationId}","gatewayKeys":"any"}', json_remove(metadata, '$.mac'),
          time, 0 FROM events WHERE organization = '${organizationId}' AND type = 'OrganizationCreated'`);
        db.close();
        const named = /^NOT VALID, in the store: event \d+ \(forged\) is without the authentication code/m;
        assert.match((await verify()).stdout, named);
        const second = await startService({ on: home });
        const { code, stdout } = await verify();
        assert.deepEqual([code, named.test(stdout)], [1, true]);
        await second.stop();
      });
  });
