import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Examined } from '../../../application/maintenance/finding.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const change = (service: Service, file: string, sql: string) => {
  const db = new DatabaseSync(join(service.home.directory, file));
  db.exec(sql);
  db.close();
};
const rebuildAdvice = 'chainfold projections rebuild --all';

describe('a service on stores that a newer release has used', () => {
  let service: Service;
  before(async () => {
    service = await startService({ on: embedded });
    await clientOf(service).c.registerWallet({ name: 'before' });
    await service.stop();
    change(service, 'read-models.db', `UPDATE generations SET version = version + 1 WHERE collection = 'wallets'`);
    change(
      service,
      'events.db',
      `UPDATE events SET metadata = json_set(metadata, '$.version', 9) WHERE type = 'WalletRegistered'`,
    );
    service = await startService({ on: service.home });
  });
  after(() => service?.stop());
  const examined = async (check: string) => {
    const { stdout } = await runCommand(service.home, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
    return checks.filter((one) => one.check === check);
  };

  it('names the read model at once, with the command that cures it', () => {
    const [first = ''] = service.output().split('\n');
    assert.match(first, /^Read model wallets was built by a newer release \(version \d+, this release writes \d+\)\. /);
    assert.ok(first.includes(rebuildAdvice), first);
  });
  it('names the type, the version and the organization of events that it cannot read', () =>
    eventually(() => {
      const { organizationId } = demoOf(service.home);
      const text = `This release cannot read WalletRegistered in version 9 (events: 1, organizations: ${organizationId})`;
      assert.ok(service.output().includes(text), service.output());
    }));
  it('is examined by doctor with the same findings and advice', async () => {
    const [readModel] = await examined('read model versions');
    assert.equal(readModel?.level, 'fail');
    assert.ok(readModel?.advice?.includes(rebuildAdvice));
    const [event] = await examined('event versions');
    assert.equal(event?.level, 'fail');
    assert.match(event?.found ?? '', /WalletRegistered in version 9/);
  });
  it('works again after the rebuild that it names', async () => {
    change(
      service,
      'events.db',
      `UPDATE events SET metadata = json_remove(metadata, '$.version') WHERE type = 'WalletRegistered'`,
    );
    const { code, stdout, stderr } = await runCommand(service.home, ['projections', 'rebuild', '--all']);
    assert.equal(code, 0, stdout + stderr);
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'after' });
    await eventually(async () =>
      assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.name, 'after'),
    );
    assert.deepEqual(
      (await examined('read model versions')).map(({ level }) => level),
      ['ok'],
    );
  });
});
