import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createDiskFaults, setDiskFault } from '../../support/engines/disk-faults.js';
import { embedded } from '../../support/engines/engines.js';
import { skip } from '../../support/run/skip.js';
import { clientOf, startService } from '../../support/service/service.js';

describe('the service on a failing or slow disk', () => {
  let disk: NonNullable<ReturnType<typeof createDiskFaults>>;
  before(function () {
    const created = createDiskFaults();
    if (!created) return skip(this, 'a failing or slow disk (no C compiler to build the faults with)');
    disk = created;
  });

  it('keeps everything that it acknowledged, whichever write or sync failed, and accepts commands afterwards', async () => {
    const child = ['--import', 'tsx', 'tests/support/engines/failing-disk.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, child, {
      env: { ...process.env, ...disk.environment },
    });
    const { unsynced, unharmed, refused, acknowledged, failedCheckpoints, ...harm } = JSON.parse(stdout);
    assert.deepEqual([unsynced, unharmed], [[], 0], 'every command was answered after its sync');
    assert.ok(refused > 20 && acknowledged > 80, `${refused} refused, ${acknowledged} acknowledged`);
    assert.ok(failedCheckpoints > 10, `${failedCheckpoints} checkpoints failed`);
    assert.deepEqual(harm, { lost: [], torn: [], integrity: 'ok' });
  });

  it('delays commands but no reads', async () => {
    const service = await startService({
      on: embedded,
      env: { ...disk.environment, CHAINFOLD_REQUEST_TIMEOUT_MS: '60000' },
    });
    const api = () => clientOf(service).c;
    const { wallet_id } = await api().registerWallet({ name: 'read meanwhile' });
    setDiskFault('hold syncs', disk.environment.DISK_CONTROL);
    let answered = 0;
    const commands = Array.from({ length: 20 }, async (_, n) => {
      await api().registerWallet({ name: `slow ${n}` });
      answered++;
    });
    for (let n = 0; n < 20; n++) await api().getWallet({ wallet_id });
    assert.equal(answered, 0, 'no command was answered while the disk was slow');
    setDiskFault('', disk.environment.DISK_CONTROL);
    await Promise.all(commands);
    assert.equal((await api().listWallets({ page_size: 100 })).wallets.length, 21);
    assert.equal(await service.stop(), 0);
  });
});
