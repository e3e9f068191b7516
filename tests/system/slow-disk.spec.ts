import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createDiskFaults, tellDisk } from '../support/disk-faults.js';
import { embedded } from '../support/engines.js';
import { clientOf, startService } from '../support/service.js';
import { skip } from '../support/skip.js';

describe('a disk that fails or is slow', function () {
  this.timeout(120_000);
  let disk: NonNullable<ReturnType<typeof createDiskFaults>>;
  before(function () {
    const created = createDiskFaults();
    if (!created) return skip(this, 'a disk that fails or is slow (nothing compiles what makes it so here)');
    disk = created;
  });

  it('has everything that was acknowledged, whichever write or wait failed, and takes more afterwards', async () => {
    const child = ['--import', 'tsx', 'tests/support/failing-disk.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, child, {
      env: { ...process.env, ...disk.environment },
    });
    const { unsynced, unharmed, refused, acknowledged, ...harm } = JSON.parse(stdout);
    assert.deepEqual([unsynced, unharmed], [[], 0], 'answered only once it is on the disk');
    assert.ok(refused > 20 && acknowledged > 80, `${refused} refused, ${acknowledged} acknowledged`);
    assert.deepEqual(harm, { lost: [], torn: [], integrity: 'ok' });
  });

  it('keeps commands waiting, and nobody who reads', async () => {
    const service = await startService({ on: embedded, env: disk.environment });
    const api = () => clientOf(service).c;
    const { wallet_id } = await api().registerWallet({ name: 'read meanwhile' });
    tellDisk('slow 3000', disk.environment.DISK_CONTROL);
    let answered = 0;
    const commands = Array.from({ length: 20 }, async (_, n) => {
      await api().registerWallet({ name: `slow ${n}` });
      answered++;
    });
    for (let n = 0; n < 20; n++) await api().getWallet({ wallet_id });
    assert.equal(answered, 0, 'read before anything was written');
    tellDisk('', disk.environment.DISK_CONTROL);
    await Promise.all(commands);
    assert.equal((await api().listWallets({ page_size: 100 })).wallets.length, 21);
    assert.equal(await service.stop(), 0);
  });
});
