import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inTransaction, openDatabase } from '../../../infrastructure/sqlite/database.js';
import { organizations } from '../../../projections/organizations.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { organizationCreated } from '../../support/histories/events.js';
import { describeInFull } from '../../support/run/tier.js';
import { jsonOf, runCommand, runProcess } from '../../support/service/command.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const addresses = (from: number, count: number) => Array.from({ length: count }, (_, i) => address(from + i));

type Shown = { name: string; state: string; rate: number | null; lag: number; generation: { number: number } };
const statusOf = async (home: Home, name: string) => {
  const { projections } = (await jsonOf(home, ['projections', 'status'])) as { projections: Shown[] };
  return projections.find((one) => one.name === name) as Shown;
};

/** Starts a rebuild in a process of its own, which a test can kill or interrupt. */
const startRebuild = async (home: Home, ...args: string[]) => {
  const child = spawn(process.execPath, ['bin/chainfold.js', 'projections', 'rebuild', ...args], {
    env: { PATH: process.env.PATH, CHAINFOLD_DATA_DIR: home.directory, CHAINFOLD_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: { phase: string; outcome?: string; position: number }[] = [];
  const reading = createInterface({ input: child.stdout });
  reading.on('line', (line) => lines.push(JSON.parse(line)));
  const gone = once(child, 'close');
  await Promise.race([once(reading, 'line'), gone]);
  return { child, lines, gone };
};

describeInFull('a rebuild of more events than fit into memory', () => {
  it('stays within a heap of 64 MB over forty thousand events', async () => {
    const home = await embedded.home();
    const store = await home.events();
    for (let n = 0; n < 40; n++)
      await store.append(Array.from({ length: 1000 }, (_, i) => organizationCreated(`domain-${n}-${i}`)));
    await store.close();
    const { code, stdout, stderr } = await runProcess(home, ['projections', 'rebuild', '--all', '--json'], {
      NODE_OPTIONS: '--max-old-space-size=64',
      // Sets a master key: these stores were made without one, and no command creates a key beside existing stores.
      CHAINFOLD_MASTER_KEY: '5f'.repeat(32),
    });
    assert.equal(code, 0, stdout + stderr);
    const models = await home.readModels();
    const checkpoint = await models.checkpoint();
    await models.close();
    assert.equal(checkpoint.positions[organizations.name], 40_000);
  });
});

describe('a rebuild under a running service', () => {
  let service: Service;
  let walletId: string;
  const held = 6000;
  before(async () => {
    service = await startService({ on: embedded });
    walletId = (await clientOf(service).c.registerWallet({ name: 'treasury' })).wallet_id;
    for (let n = 0; n < held; n += 1000)
      await clientOf(service).c.batchRegisterAddresses({ wallet_id: walletId, addresses: addresses(n, 1000) });
  });
  after(() => service.stop());
  const home = () => service.home;

  it('lets the service answer every read and write meanwhile, and swaps the generations', async () => {
    const over = new AbortController();
    let reads = 0;
    let made = 0;
    const reading = async () => {
      while (!over.signal.aborted) {
        const [got, listed] = await Promise.all([
          clientOf(service).c.getWallet({ wallet_id: walletId }),
          clientOf(service).c.listWallets({ page_size: 100 }),
        ]);
        assert.equal(got.wallet.addresses.length, held);
        assert.equal(listed.wallets.length, Math.min(made + 1, 100));
        const { wallet_id } = await clientOf(service).c.registerWallet({ name: `meanwhile ${made}` });
        made++;
        assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.name, `meanwhile ${made - 1}`);
        reads++;
      }
    };
    const work = reading();
    const { code, stdout } = await runCommand(home(), ['projections', 'rebuild', '--all']);
    assert.equal(code, 0, stdout);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.at(-1).outcome, 'swapped');
    assert.ok(lines.some(({ phase, eta_seconds }) => phase === 'building' && eta_seconds !== undefined));
    over.abort();
    await work;
    assert.ok(reads > 0);
    // Waits, because the service itself adds events, such as seals.
    await eventually(async () => {
      const { generation, lag, state } = await statusOf(home(), 'addresses');
      assert.deepEqual([generation.number, lag, state], [2, 0, 'live']);
    });
  });

  it('builds the same documents as the live generation, and reports that', async () => {
    const { code, stdout } = await runCommand(home(), ['projections', 'rebuild', 'addresses', 'wallets', '--compare']);
    assert.equal(code, 0, stdout);
    const { comparisons, names } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
    assert.deepEqual(names, ['wallets', 'addresses']);
    assert.deepEqual(
      comparisons.map((one: { name: string; equal: boolean }) => [one.name, one.equal]),
      [
        ['wallets', true],
        ['addresses', true],
      ],
    );
    assert.equal(comparisons[1].built.documents, held);
  });

  it('resumes after kill -9 and after Ctrl-C, and can be abandoned', async () => {
    const killed = await startRebuild(home(), 'addresses');
    killed.child.kill('SIGKILL');
    await killed.gone;
    const stopped = await startRebuild(home(), 'addresses');
    stopped.child.kill('SIGINT');
    await stopped.gone;
    assert.match(stopped.lines.at(-1)?.outcome ?? '', /interrupted|swapped/);
    const before = (await statusOf(home(), 'addresses')).generation.number;
    const { code } = await runCommand(home(), ['projections', 'rebuild', 'addresses']);
    assert.equal(code, 0);
    assert.equal((await statusOf(home(), 'addresses')).generation.number, before + 1);
    assert.equal((await clientOf(service).c.getWallet({ wallet_id: walletId })).wallet.addresses.length, held);
    assert.deepEqual(await jsonOf(home(), ['projections', 'rebuild', 'addresses', '--abandon']), {
      abandoned: ['addresses'],
    });
  });

  it('is rejected for unknown projections, and without names or --all', async () => {
    for (const [args, complaint] of [
      [['colours'], /Unknown projection colours\. Projections: organizations, /],
      [[], /Specify either projection names or --all/],
      [['wallets', '--all'], /Specify either projection names or --all/],
    ] as const) {
      const { code, stderr } = await runCommand(home(), ['projections', 'rebuild', ...args]);
      assert.equal(code, 2);
      assert.match(stderr, complaint);
    }
  });

  it('starts automatically when the version of a projection was raised, while the old generation serves', async () => {
    await service.stop();
    const before = (await statusOf(home(), 'wallets')).generation.number;
    const db = openDatabase(join(home().directory, 'read-models.db'), 'relaxed');
    inTransaction(db, () => db.exec("UPDATE generations SET version = 0 WHERE collection = 'wallets'"));
    db.close();
    service = await startService({ on: home() });
    const served = new Set<string>();
    const read = async () => (await clientOf(service).c.getWallet({ wallet_id: walletId })).wallet.name;
    await until('the new generation is live', async () => {
      served.add(await read().catch(String));
      return (await statusOf(home(), 'wallets')).generation.number === before + 1;
    });
    assert.deepEqual([...served], ['treasury']);
  });
});
