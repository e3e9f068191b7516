import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { signedText } from '../../../application/access/authenticate.js';
import type { StateStore } from '../../../application/ports/state.js';
import { keyRingIn, renewKeyIn } from '../../../infrastructure/keys/master-key.js';
import { stateVault } from '../../../infrastructure/keys/vault.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { type Credentials, signatureHeaders } from '../../../sdk/typescript/src/sign.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const page = readFileSync('docs/security.md', 'utf8');

/** Returns the page's only code block in a language. */
const blockIn = (language: string) => {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))];
  assert.equal(found.length, 1, `code blocks in ${language}`);
  return found[0]?.[1] as string;
};
/** Returns the second column of the table row that has `name` in its first. */
const cell = (name: string) => {
  const found = new RegExp(`^\\| ${name} \\| \`?([^|]*?)\`? \\|$`, 'm').exec(page)?.[1];
  assert.ok(found, name);
  return found;
};

describe('docs/security.md', () => {
  it('shows an example signature that its own rules and the service both produce', async () => {
    const digest = createHash('sha256')
      .update(Buffer.from(cell('body'), 'utf8'))
      .digest('hex');
    assert.equal(cell('digest'), digest);
    const text = [cell('nonce'), cell('method'), cell('path'), digest].join('\n');
    assert.equal(blockIn('text'), `${text}\n`);
    assert.equal(signedText(cell('nonce'), cell('method'), cell('path'), digest), text);
    const signature = (signed: string) => createHmac('sha256', cell('api_secret')).update(signed).digest('hex');
    assert.equal(cell('signature'), signature(text));
    const credentials = { key: cell('api_key'), secret: cell('api_secret') };
    const headers = await signatureHeaders(credentials, cell('method'), cell('path'), cell('body'));
    assert.equal(headers['x-api-signature'], signature(text.replace(cell('nonce'), headers['x-api-nonce'])));
  });

  it('shows an example key and secret in the form in which they are issued', () => {
    assert.match(cell('api_key'), /^ck_[0-9a-f]{32}_[0-9a-f]{32}$/);
    assert.match(cell('api_secret'), /^[0-9a-f]{64}$/);
  });

  it('relies on a setting in docs/configuration.md and on admin operations that docs/api.md lists', () => {
    assert.match(readFileSync('docs/configuration.md', 'utf8'), /^\| `CHAINFOLD_PREVIOUS_MASTER_KEY` \|/m);
    const api = readFileSync('docs/api.md', 'utf8');
    for (const { operation } of endpoints.filter(({ variant }) => variant.surface === 'admin'))
      assert.match(api, new RegExp(`^\\| ${operation.name} \\| ${operation.role ?? 'both'} \\|`, 'm'));
  });
});

type Sample = { readonly language: string; readonly file: string; readonly command: string; readonly tools: string[] };
const samples: readonly Sample[] = [
  { language: 'bash', file: 'register-wallet.sh', command: 'bash', tools: ['bash', 'curl', 'openssl'] },
  { language: 'ts', file: 'register-wallet.mts', command: `${process.execPath} --import tsx`, tools: [] },
  { language: 'python', file: 'register-wallet.py', command: 'python3', tools: ['python3'] },
];
const isMissing = (tool: string) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status !== 0;

const run = async (command: string, env: Record<string, string>) => {
  const [program = '', ...args] = command.split(' ');
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env: { PATH: process.env.PATH, ...env } });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
};

describeInFull('code in docs/security.md', () => {
  let service: Service;
  const directory = freshDirectory();
  before(async () => {
    service = await startService({ on: embedded });
  });
  after(() => service.stop());

  for (const { language, file, command, tools } of samples) {
    const path = join(directory, file);
    const runAs = ({ key, secret }: Credentials) => {
      writeFileSync(path, blockIn(language));
      const env = { CHAINFOLD_URL: service.url, CHAINFOLD_API_KEY: key, CHAINFOLD_API_SECRET: secret };
      return run(`${command} ${path}`, env);
    };
    const missing = tools.filter(isMissing);

    it(`registers a wallet in ${language}, or fails and prints the problem`, async function () {
      if (missing.length > 0)
        return skip(this, `${language} in docs/security.md, since ${missing.join(', ')} is not here`);
      const { code, stdout, stderr } = await runAs(demoOf(service.home));
      assert.equal(code, 0, stdout + stderr);
      const { wallet_id } = JSON.parse(stdout) as { wallet_id: string };
      const { wallet } = await clientOf(service).c.getWallet({ wallet_id });
      assert.deepEqual([wallet.wallet_id, wallet.name], [wallet_id, 'treasury']);
      const refused = await runAs({ ...demoOf(service.home), secret: 'f'.repeat(64) });
      assert.notEqual(refused.code, 0);
      assert.match(refused.stdout + refused.stderr, /UNAUTHENTICATED/);
    });
  }

  it('compiles under strict TypeScript', async () => {
    const path = join(directory, 'checked.mts');
    writeFileSync(path, blockIn('ts'));
    const types = `--types node --typeRoots ${resolve('node_modules/@types')}`;
    const compiler = `${process.execPath} ${resolve('node_modules/.bin/tsc')}`;
    const { code, stdout } = await run(
      `${compiler} --ignoreConfig --noEmit --strict --module nodenext --target es2023 --skipLibCheck ${types} ${path}`,
      {},
    );
    assert.equal(code, 0, stdout);
  });
});

const works = async (service: Service, all: readonly Credentials[]) => {
  for (const one of all) await clientOf(service, one).c.listWallets({});
};
/** Issues another credential for the demo organization. */
const issue = async (service: Service): Promise<Credentials> => {
  const { organizationId } = demoOf(service.home);
  const issued = await clientOf(service).admin.createCredential({ organization_id: organizationId });
  return { key: issued.api_key, secret: issued.api_secret };
};
const rotate = (home: Home) => jsonOf(home, ['master-key', 'rotate']) as Promise<{ keys: number }>;

describeInFull('a change of the master key in the data directory', () => {
  const fileIn = ({ directory }: Home) => {
    const [current, previous] = [join(directory, 'master.key'), join(directory, 'master.key.previous')];
    return { read: () => readFileSync(current, 'utf8'), isUnfinished: () => existsSync(previous) };
  };

  it('keeps running services and every credential working', async () => {
    let service = await startService({ on: embedded });
    const { home } = service;
    const file = fileIn(home);
    const [old, before] = [file.read(), await newOrganization(home, 'before')];
    // The credential `before` is first used after the change, so that the service has to decrypt it then.
    assert.deepEqual(await rotate(home), { keys: 6 });
    assert.notEqual(file.read(), old);
    assert.ok(!file.isUnfinished());
    const all = [demoOf(home), before, await issue(service), await newOrganization(home, 'after')];
    await works(service, all);
    assert.equal(await service.stop(), 0);
    service = await startService({ on: home });
    await works(service, all);
    await service.stop();
  });

  it('loses no credential that is issued or used meanwhile', async () => {
    const service = await startService({ on: embedded });
    const issued: Credentials[] = [];
    const stop = new AbortController();
    const issuing = async () => {
      while (!stop.signal.aborted) issued.push(await issue(service));
    };
    const callers = [issuing(), issuing()];
    for (let n = 0; n < 3; n++) assert.ok((await rotate(service.home)).keys > 0);
    await eventually(async () => assert.ok(issued.length > 10));
    stop.abort();
    await Promise.all(callers);
    await service.stop();
    const again = await startService({ on: service.home });
    await works(again, issued);
    await again.stop();
  });

  /** Changes the master key and fails after re-encrypting `after` keys, as a process that is killed there would. */
  const interrupted = async ({ directory }: Home, after: number) => {
    renewKeyIn(directory);
    const state = await sqliteState(join(directory, 'state.db'));
    let puts = 0;
    const dying: StateStore = {
      ...state,
      put: (...given) => (++puts > after ? Promise.reject(new Error('killed')) : state.put(...given)),
    };
    await assert.rejects(stateVault(dying, keyRingIn(directory)).changeMasterKey(), /killed/);
    await state.close();
  };

  it('is completed by a second run after an interruption, and every credential works until then', async () => {
    let service = await startService({ on: embedded });
    const { home } = service;
    const file = fileIn(home);
    const all: Credentials[] = [demoOf(home)];
    for (let n = 0; n < 4; n++) all.push(await issue(service));
    const old = file.read();
    await interrupted(home, 2);
    const half = file.read();
    assert.ok(half !== old && file.isUnfinished());
    await works(service, all);
    await service.stop();
    service = await startService({ on: home });
    all.push(await issue(service));
    await works(service, all);
    // Counts seven keys: the service key and six credentials. Two of the keys were re-encrypted before the
    // interruption, and one credential was issued after it.
    assert.deepEqual(await rotate(home), { keys: 7 });
    assert.ok(file.read() === half && !file.isUnfinished());
    await works(service, all);
    await service.stop();
    service = await startService({ on: home });
    await works(service, all);
    await service.stop();
  });
});

describeInFull('a change of the master key in the environment', () => {
  const newKey = () => randomBytes(32).toString('hex');
  const under = (home: Home, key: string, previous?: string): Home => ({
    ...home,
    environment: {
      CHAINFOLD_MASTER_KEY: key,
      ...(previous !== undefined && { CHAINFOLD_PREVIOUS_MASTER_KEY: previous }),
    },
  });
  const startOver = async (service: Service, on: Home) => {
    await service.stop();
    return startService({ on });
  };

  it('accepts both keys until it is done, and afterwards only the new one', async () => {
    const [home, old, next] = [await embedded.home(), newKey(), newKey()];
    let service = await startService({ on: under(home, old) });
    const all: Credentials[] = [demoOf(home), await newOrganization(under(home, old), 'before')];
    for (const key of [old, next]) {
      const { code, stderr } = await runCommand(under(home, key), ['master-key', 'rotate']);
      assert.equal(code, 2);
      assert.match(stderr, /^CHAINFOLD_PREVIOUS_MASTER_KEY must be the old key[^\n]*\n$/);
    }
    const both = under(home, next, old);
    service = await startOver(service, both);
    all.push(await issue(service));
    await works(service, all);
    assert.deepEqual(await rotate(both), { keys: 6 });
    assert.deepEqual(await rotate(both), { keys: 0 });
    await works(service, all);
    service = await startOver(service, under(home, next));
    await works(service, [...all, await newOrganization(service.home, 'after')]);
    await service.stop();
    await assert.rejects(startService({ on: under(home, old) }), /did not start: [^\n]*is not the key[^\n]*\n$/);
    assert.ok(!existsSync(join(home.directory, 'master.key')));
  });

  it('causes no downtime when every node knows the new key before any node uses it', async () => {
    const [home, old, next] = [await embedded.home(), newKey(), newKey()];
    const first = await startService({ on: under(home, old, next) });
    const second = await startService({ on: under(home, next, old) });
    const credentials = [await issue(first), await issue(second)];
    for (const service of [first, second]) await works(service, credentials);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('can start from a key in the data directory', async () => {
    let service = await startService({ on: embedded });
    const { home } = service;
    const [file, next] = [join(home.directory, 'master.key'), newKey()];
    const both = under(home, next, readFileSync(file, 'utf8').trim());
    service = await startOver(service, both);
    assert.deepEqual(await rotate(both), { keys: 5 });
    rmSync(file);
    service = await startOver(service, under(home, next));
    await works(service, [demoOf(home)]);
    await service.stop();
  });
});
