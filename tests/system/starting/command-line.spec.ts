import assert from 'node:assert/strict';
import { engines } from '../../support/engines/engines.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call } from '../../support/service/http.js';
import { demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const port = (service: Service) => ({ CHAINFOLD_PORT: new URL(service.url).port });

for (const engine of engines)
  describe(`the command line on ${engine.name}`, () => {
    let service: Service;
    before(async () => {
      service = await startService({ on: engine });
    });
    after(() => service.stop());
    const run = (args: string[], env: Record<string, string> = {}) =>
      runCommand(service.home, args, { ...port(service), ...env });

    it('prints help for every command', async () => {
      const overview = await run(['--help']);
      assert.equal(overview.code, 0);
      for (const words of [
        'serve',
        'call',
        'organization create',
        'organization list',
        'credential issue',
        'credential list',
        'credential delete',
        'ratelimit set',
        'ratelimit list',
        'ratelimit delete',
        'audit replay',
        'audit export',
        'audit verify',
        'master-key rotate',
      ]) {
        assert.match(overview.stdout, new RegExp(`^  ${words}`, 'm'));
        const help = await run([...words.split(' '), '--help']);
        assert.equal(help.code, 0);
        assert.match(help.stdout, /--json/);
      }
      assert.match((await run(['call', '--help'])).stdout, /^ {2}c RegisterWallet$/m);
    });

    it('calls operations with the demo credentials', async () => {
      const made = await run(['call', 'c', 'RegisterWallet', '{"name":"by hand"}', '--json']);
      assert.equal(made.code, 0);
      const { wallet_id } = JSON.parse(made.stdout);
      const shown = await run(['call', 'c', 'GetWallet', JSON.stringify({ wallet_id })]);
      assert.equal(JSON.parse(shown.stdout).wallet.name, 'by hand');
    });

    it('exits with 1 and prints the problem when an operation fails', async () => {
      const asked = await run(['call', 'c', 'GetWallet', '{"wallet_id":"none"}', '--json']);
      assert.equal(asked.code, 1);
      assert.equal(JSON.parse(asked.stdout).code, 'NOT_FOUND');
      const read = await run(['call', 'c', 'GetWallet', '{"wallet_id":"none"}']);
      assert.equal(read.code, 1);
      assert.equal(read.stderr, 'NOT_FOUND: Wallet not found: none\n');
    });

    it('exits with 1 and prints UNAVAILABLE when no service answers', async () => {
      const asked = await run(['call', 'c', 'ListWallets', '--url', 'http://127.0.0.1:2', '--json']);
      assert.equal(asked.code, 1);
      const { code, detail } = JSON.parse(asked.stdout);
      assert.equal(code, 'UNAVAILABLE');
      assert.match(detail, /^No service answers at http:\/\/127\.0\.0\.1:2 \(ECONNREFUSED\)\. Start one/);
    });

    it('reads credentials from options or the environment', async () => {
      const { key, secret } = await newOrganization(service.home, 'elsewhere');
      await run(['call', 'c', 'RegisterWallet', '{"name":"theirs"}', '--key', key, '--secret', secret]);
      const listed = await run(['call', 'c', 'ListWallets', '--json'], {
        CHAINFOLD_API_KEY: key,
        CHAINFOLD_API_SECRET: secret,
      });
      assert.deepEqual(
        JSON.parse(listed.stdout).wallets.map(({ name }: { name: string }) => name),
        ['theirs'],
      );
      const half = await run(['call', 'c', 'ListWallets', '--key', key]);
      assert.equal(half.code, 2);
    });

    it('exits with 2 and prints one line when it is misused', async () => {
      const misused: [string[], RegExp][] = [
        [['nonsense'], /Unknown command/],
        [['organization', 'create', '--name', 'x'], /--domain is required/],
        [
          ['credential', 'issue', '--organization', 'any', '--role', 'king'],
          /--role must be one of client, admin, auditor/,
        ],
        [['serve', '--role', 'nobody'], /each role of --role must be one of/],
        [['audit', 'verify'], /Specify exactly one of FILE, --organization and --all/],
        [['audit', 'export', '--organization', 'any'], /--out is required/],
        [['call', 'c'], /<Operation> is required/],
        [['call', 'c', 'ListWallets', '{oops'], /not valid JSON/],
        [['call', 'c', 'ListWallets', '--colour', 'red'], /colour/],
      ];
      for (const [args, message] of misused) {
        const { code, stderr, stdout } = await run(args);
        assert.equal(code, 2, args.join(' '));
        assert.equal(stdout, '');
        assert.match(stderr, message);
        assert.equal(stderr.trim().split('\n').length, 1, stderr);
      }
    });

    it('exits with one line that names an invalid setting', async () => {
      for (const [name, value] of [
        ['CHAINFOLD_PORT', 'eighty'],
        ['CHAINFOLD_MASTER_KEY', 'short'],
        ['CHAIN_C_URL', 'nowhere'],
        ['CHAIN_S_URL', 'sui+https://a.example'],
        ['CHAIN_P_URL', 'cosmos+https://a.example'],
        ['CHAINFOLD_DEMO', 'maybe'],
      ]) {
        const { code, stderr } = await run(['serve'], { [name as string]: value as string });
        assert.equal(code, 2);
        assert.match(stderr, new RegExp(`^${name} [^\\n]+\\n$`));
      }
    });

    it('exits with one line that names a port, host, directory or key that cannot be used', async () => {
      const busy = new URL(service.url).port;
      const lines: [Record<string, string>, RegExp][] = [
        [{ CHAINFOLD_PORT: busy }, /^CHAINFOLD_PORT \d+ is already in use/],
        [{ CHAINFOLD_HOST: 'nobody.invalid' }, /^CHAINFOLD_HOST nobody.invalid /],
        [{ CHAINFOLD_DATA_DIR: 'package.json' }, /^CHAINFOLD_DATA_DIR: \S*package.json/],
        [{ REDIS_URL: 'redis://:99999999' }, /^REDIS_URL cannot be used: Invalid URL$/m],
        [{ REDIS_URL: 'redis://name:word@:99999999' }, /^REDIS_URL cannot be used$/m],
        [{ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=maybe' }, /^EVENTSTORE_URL cannot be used: .*maybe/],
        [{ MONGODB_URL: 'mongodb://a:b:c', CHAINFOLD_MASTER_KEY: 'ab'.repeat(32) }, /^MONGODB_URL cannot be used: /],
        [{ CHAINFOLD_MASTER_KEY: 'cd'.repeat(32) }, /^CHAINFOLD_MASTER_KEY, or master.key .* is not the key/],
      ];
      for (const [env, line] of lines.filter(([one]) => engine.isEmbedded || !('CHAINFOLD_DATA_DIR' in one))) {
        const { code, stderr } = await run(['serve'], { CHAINFOLD_PORT: '0', ...env });
        assert.equal(code, 2, stderr);
        assert.match(stderr, line);
        assert.equal(stderr.trim().split('\n').length, 1, stderr);
      }
    });

    it('rejects taken and malformed domains, unknown organizations and unknown credentials', async () => {
      const taken = await run([
        'organization',
        'create',
        '--name',
        'Again',
        '--domain',
        demoOf(service.home).domain,
        '--json',
      ]);
      assert.equal(taken.code, 1);
      assert.equal(JSON.parse(taken.stdout).code, 'ALREADY_EXISTS');
      const bad = await run(['organization', 'create', '--name', 'Bad', '--domain', 'Not A Domain', '--json']);
      assert.equal(JSON.parse(bad.stdout).code, 'INVALID_ARGUMENT');
      const nobody = await run(['credential', 'issue', '--organization', 'nobody', '--json']);
      assert.equal(JSON.parse(nobody.stdout).code, 'NOT_FOUND');
      const none = await run(['credential', 'delete', 'ck_none', '--json']);
      assert.equal(JSON.parse(none.stdout).code, 'NOT_FOUND');
    });

    it('gives a domain to exactly one of several concurrent commands', async () => {
      const race = await Promise.all(
        Array.from({ length: 4 }, () =>
          run(['organization', 'create', '--name', 'Racer', '--domain', 'racer', '--json']),
        ),
      );
      assert.deepEqual(race.map(({ code }) => code).sort(), [0, 1, 1, 1]);
    });

    it('issues, lists and deletes credentials', async () => {
      const { domain } = demoOf(service.home);
      const issued = await jsonOf(service.home, ['credential', 'issue', '--organization', domain, '--role', 'admin']);
      const list = async () => {
        const { credentials } = await jsonOf(service.home, ['credential', 'list', '--organization', domain]);
        return credentials.map(({ api_key, role }: { api_key: string; role: string }) => `${api_key} ${role}`);
      };
      assert.equal((await list())[0], `${issued.api_key} admin`);
      await jsonOf(service.home, ['credential', 'delete', issued.api_key]);
      assert.ok(!(await list()).includes(`${issued.api_key} admin`));
    });

    it('works without a running service, and a later service finds the results', async () => {
      const home = await engine.home();
      const credentials = await newOrganization(home, 'early-bird');
      const { organizations } = await jsonOf(home, ['organization', 'list']);
      assert.equal(organizations[0].domain, 'early-bird');
      const later = await startService({ on: home });
      assert.equal((await call(later.url, credentials, '/v1/c/ListWallets', {})).status, 200);
      await later.stop();
    });
  });
