import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedIn } from '../../support/audit/evidence-verifiers.js';
import { type Engine, engines } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const year = String(new Date().getUTCFullYear());

const describeEvidence = (engine: Engine) =>
  describe(`audit evidence on ${engine.name}`, () => {
    let service: Service;
    let tenant: Awaited<ReturnType<typeof newOrganization>>;
    let folder: string;
    let made: Readonly<Record<string, unknown>>;
    const away = { CHAINFOLD_DATA_DIR: '/nonexistent', EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '' };
    const evidence = (out: string, ...args: string[]) => [
      ...['audit', 'evidence', '--organization', 'audited', '--period', year, '--out', out],
      ...args,
    ];
    const verify = async (args: readonly string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await runCommand(service.home, ['audit', 'verify', ...args], env);
      return { code, text: stdout || stderr };
    };
    before(async () => {
      service = await startService({ on: engine });
      tenant = await newOrganization(service.home, 'audited');
      const { c } = clientOf(service, tenant);
      for (const name of ['one', 'two', 'three']) await c.registerWallet({ name });
      await until(
        'the sealer has hashed the history',
        async () => (await verify(['--organization', 'audited'])).code === 0,
      );
      folder = join(service.home.directory, 'evidence');
      made = await jsonOf(service.home, evidence(folder, '--seed', 'chosen', '--sample', '3'));
    });
    after(() => service.stop());

    it('writes a folder that only its owner can read, and reports its counts and its key', () => {
      const { events, events_of_period, organization_id, sample, fingerprint } = made;
      assert.deepEqual([events, events_of_period, organization_id], [5, 5, tenant.organizationId]);
      assert.deepEqual(sample, { seed: 'chosen', size: 3 });
      assert.match(String(fingerprint), /^[0-9a-f]{64}$/);
      assert.equal(statSync(folder).mode & 0o077, 0);
      for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
      const text = readFileSync(join(folder, 'README.txt'), 'utf8').replaceAll('\n', ' ');
      assert.match(text, /every event of the organization from its first to number 5, in the order/);
    });

    it('contains a statement of each wallet, and names one that was changed', async () => {
      const statements = readdirSync(folder).filter((name) => name.startsWith('statement-wal_'));
      assert.deepEqual([statements.length, made.statements, made.statements_without_node], [3, 3, 3]);
      const text = readFileSync(join(folder, 'README.txt'), 'utf8').replaceAll('\n', ' ');
      assert.match(text, /a statement of the period for each of the 3 wallets that the organization has/);
      assert.match(text, /For 3 of the 3 statements no node of the chain answered\./);
      const [name = ''] = statements;
      const path = join(folder, name);
      const csv = readFileSync(path, 'utf8');
      writeFileSync(path, csv.replace('record', 'recorb'));
      const found = await verify([folder, '--key', String(made.public_key)], away);
      assert.deepEqual([found.code, namedIn(found.text)?.file], [1, name]);
      writeFileSync(path, csv);
    });

    it('contains the verifiers as they are in the sources', () => {
      const sources = 'interfaces/cli/audit/evidence';
      const verifiers = readdirSync(sources).filter((name) => /\.(html|py)$/.test(name));
      assert.ok(verifiers.includes('verify.py'));
      for (const name of verifiers)
        assert.equal(readFileSync(join(folder, name), 'utf8'), readFileSync(join(sources, name), 'utf8'), name);
    });

    it('verifies against the store, and elsewhere with the key', async () => {
      assert.match(
        (await verify([folder])).text,
        /^valid: 5 events of org_\w+, 0 seals; this service's key; the store agrees$/m,
      );
      const elsewhere = await verify([folder, '--key', String(made.public_key)], away);
      assert.deepEqual([elsewhere.code, /not compared/.test(elsewhere.text)], [0, true]);
      assert.equal((await verify([folder], away)).code, 2);
    });

    it('names the file and the event that were changed', async () => {
      const path = join(folder, 'history.ndjson');
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace('"name":"two"', '"name":"too"'));
      const found = await verify([folder, '--key', String(made.public_key)], away);
      assert.equal(found.code, 1);
      const { event, last, file } = namedIn(found.text) ?? {};
      assert.deepEqual([file, event, last], ['history.ndjson', 4, 4]);
      const { code, stdout } = await runCommand(service.home, ['audit', 'verify', folder, '--json']);
      const { valid, first } = JSON.parse(stdout);
      assert.deepEqual([code, valid, first.where, first.file, first.event], [1, false, 'file', 'history.ndjson', 4]);
      writeFileSync(path, text);
      assert.equal((await verify([folder])).code, 0);
    });

    it('says that a mistyped key is not a key', async () => {
      const key = String(made.public_key);
      const typo = key.replace(/.(?=.{9}$)/, (character) => (character === 'x' ? 'y' : 'x'));
      for (const given of ['audpk_short', typo]) {
        const { code, text } = await verify([folder, '--key', given], away);
        assert.equal(code, 2);
        assert.match(text, /^That is not a key: /);
      }
      const inStore = await verify(['--organization', 'audited', '--key', typo]);
      assert.deepEqual([inStore.code, /^That is not a key: --key differs in a few/.test(inStore.text)], [2, true]);
    });

    it('writes nothing into a folder that is not empty, and rejects other periods, samples and organizations', async () => {
      const again = await runCommand(service.home, evidence(folder, '--json'));
      assert.deepEqual([again.code, JSON.parse(again.stdout).code], [1, 'FAILED_PRECONDITION']);
      const other = join(service.home.directory, 'other-evidence');
      const sampled = await runCommand(service.home, evidence(other, '--sample', '0'));
      assert.deepEqual([sampled.code, sampled.stderr], [2, '--sample must be 1 to 1000\n']);
      const period = ['audit', 'evidence', '--organization', 'audited', '--period', 'May', '--out', other, '--json'];
      const named = await runCommand(service.home, period);
      assert.deepEqual([named.code, JSON.parse(named.stdout).code], [1, 'INVALID_ARGUMENT']);
      const stranger = ['audit', 'evidence', '--organization', 'nobody', '--period', year, '--out', other, '--json'];
      assert.equal((await runCommand(service.home, stranger)).code, 1);
    });
  });

for (const engine of engines) describeEvidence(engine);
