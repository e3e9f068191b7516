import assert from 'node:assert/strict';
import { engines } from '../../support/engines/engines.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

for (const engine of engines)
  describe(`the replay of a history on ${engine.name}`, () => {
    let service: Service;
    let key: string;
    const address = `0x${'Ab'.repeat(20)}`.toLowerCase();
    const replay = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand(service.home, [
        ...['audit', 'replay', '--organization', 'replayed'],
        ...args,
      ]);
      return { code, stdout, stderr };
    };
    /** Returns the sentences that `audit replay` prints, without times and summary. */
    const sentences = async (...args: string[]) => {
      const { code, stdout, stderr } = await replay(...args);
      assert.equal(code, 0, stderr);
      const [events = ''] = stdout.split(/\n\n\d+ events of /);
      return events.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
    };
    before(async () => {
      service = await startService({ on: engine });
      const { organizationId: organization_id } = await newOrganization(service.home, 'replayed');
      const made = await clientOf(service).admin.createCredential({ organization_id, name: 'deploy-bot' });
      key = made.api_key;
      const { c } = clientOf(service, { key, secret: made.api_secret });
      const { wallet_id } = await c.registerWallet({ name: 'treasury' });
      await c.registerWallet({ name: 'reserve' });
      const other = `0x${'1'.repeat(40)}`;
      await c.batchRegisterAddresses({ wallet_id, addresses: [address, other] }, { 'x-request-id': 'both' });
    });
    after(() => service.stop());

    it('has one sentence an event, with names instead of ids, grouped by request', async () => {
      const found = await sentences();
      assert.match(found[0] ?? '', /^\d{4}-\d\d-\d\d UTC$/);
      assert.match(found[1] ?? '', /^operator \S+ created organization .+ with the domain replayed$/);
      assert.match(found[3] ?? '', /^key ck_[0-9a-f]{8} issued key deploy-bot with the role client$/);
      assert.deepEqual(found.slice(4), [
        'key deploy-bot registered wallet treasury on C',
        'key deploy-bot registered wallet reserve on C',
        `key deploy-bot registered address ${address} in wallet treasury on C`,
        `           registered address 0x${'1'.repeat(40)} in wallet treasury on C`,
      ]);
    });

    it('filters by wallet, address, actor, type and period, and knows names from before the period', async () => {
      const registered = `key deploy-bot registered address ${address} in wallet treasury on C`;
      const all = [
        '--wallet',
        'treasury',
        '--address',
        address,
        '--actor',
        'deploy-bot',
        '--type',
        'AddressRegistered',
      ];
      const { stdout } = await replay('--json', ...all);
      const [event = '', summary = ''] = stdout.split('\n');
      assert.equal(JSON.parse(summary).summary.events, 1);
      const { position } = JSON.parse(event);
      assert.deepEqual((await sentences('--from', `${position}`, '--to', `${position}`)).slice(1), [registered]);
      const unknown = await replay('--type', 'WalletRegisterd');
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /Did you mean WalletRegistered\?/);
    });

    it('says that a period is empty or reversed', async () => {
      const empty = await replay('--from', '2001-01-01', '--to', '2001-02-01');
      assert.equal(empty.stdout, 'No events from 2001-01-01 to 2001-02-01\n');
      const reversed = await replay('--from', '2026-02-01', '--to', '2026-01-01');
      assert.equal(reversed.code, 1);
      assert.match(reversed.stderr, /The period is reversed: --from 2026-02-01 is after --to 2026-01-01/);
    });

    it('is printed as CSV', async () => {
      const { stdout } = await replay('--csv', '--type', 'WalletRegistered');
      const [header, row, , end] = stdout.split('\r\n');
      assert.ok(header?.startsWith('"position","commit_time","type","chain","actor_kind"'));
      assert.ok(row?.includes('"key deploy-bot registered wallet treasury on C","{""walletId"":""wal_'));
      assert.equal(end, '');
      const empty = await replay('--csv', '--actor', 'nobody');
      assert.deepEqual([empty.stdout, empty.stderr], ['', 'No events that pass the filters\n']);
    });

    it('shows what operators did to the service itself, in its own history', async () => {
      const rebuilt = await runCommand(service.home, ['projections', 'rebuild', 'wallets', '--json']);
      assert.equal(rebuilt.code, 0, rebuilt.stderr);
      const rotates = engine.isEmbedded;
      if (rotates) assert.equal((await runCommand(service.home, ['master-key', 'rotate'])).code, 0);
      const args = ['audit', 'replay', '--organization', 'system', '--actor', 'operator'];
      const { stdout, stderr } = await runCommand(service.home, args);
      assert.match(stdout, /operator \S+ rebuilt the read models wallets$/m, stderr);
      if (!rotates) return;
      assert.match(stdout, /operator \S+ began to rotate the master key$/m);
      assert.match(stdout, /^ {11}rotated the master key and encrypted \d+ keys again$/m);
    });
  });
