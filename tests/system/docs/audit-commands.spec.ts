import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { addressOf, createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { shellCommandsIn } from '../../support/docs/shell-commands.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { environmentOf, jsonOf, launcher, runCommand } from '../../support/service/command.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

/** Values of the test, by the example values of the page that they replace. */
type Values = Readonly<Record<string, string>>;
type Options = { readonly code?: number; readonly env?: Record<string, string> };

const [ann, ben, other] = ['ann', 'ben', 'other'].map(addressOf) as [string, string, string];
const finalDepth = 4;
/** Number of unsealed events at which the service seals a history without waiting for an hour. */
const enough = 1000;
const many = Array.from({ length: enough }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);
/** Splits a command line into words as a shell does, for lines with no other syntax than single quotes. */
const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;

describe('the commands of docs/audit.md', () => {
  const page = shellCommandsIn(readFileSync('docs/audit.md', 'utf8'));
  /** Commands that the text names without a use of them. */
  const named = new Set(['chainfold trace', 'chainfold migrate']);
  const ran = new Set<string>();
  /** Returns a command of the page with the values of the test, and notes the command as run. */
  const take = (command: string, values: Values = {}) => {
    assert.ok(page.has(command), `the page does not give "${command}"`);
    ran.add(command);
    return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), command);
  };

  const chain = createEvmChain('audited');
  /** Folder in which an auditor runs the commands. */
  const folder = freshDirectory();
  const at = (name: string) => join(folder, name);
  let node: EvmNode;
  let service: Service;
  let walletId: string;
  let publicKey: string;
  let deployBot: Record<string, string>;
  let auditor: Record<string, string>;
  /** Settings of the service for its commands, by which `call` also finds the service. */
  const settings = () => ({ CHAIN_C_URL: node.url, CHAINFOLD_PORT: new URL(service.url).port });

  const run = async (command: string, values: Values = {}, { code = 0, env = deployBot }: Options = {}) => {
    const [, ...args] = wordsOf(take(command, values));
    const result = await runCommand(service.home, args, { ...settings(), ...env });
    assert.equal(result.code, code, `${command}: ${result.stdout}${result.stderr}`);
    return result.stdout + result.stderr;
  };
  /** Runs a command in a shell, because it uses a pipe, a redirection or a pattern of file names. */
  const runInShell = async (command: string, values: Values = {}, env = deployBot) => {
    const programs = freshDirectory();
    const line = `exec ${process.execPath} ${resolve(launcher)} "$@"`;
    writeFileSync(join(programs, 'chainfold'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const environment = environmentOf(service.home, { ...settings(), ...env });
    const PATH = `${programs}${delimiter}${process.env.PATH}`;
    const options = { cwd: folder, env: { ...environment, PATH } };
    return (await promisify(execFile)('bash', ['-c', take(command, values)], options)).stdout;
  };
  const lastEvent = async (): Promise<{ position: number; time: string }> => {
    const { stdout } = await runCommand(service.home, ['audit', 'replay', '--organization', 'acme', '--json']);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').summary.last;
  };
  const followed = async () => {
    for (let n = 0; n < finalDepth + 2; n++) chain.mine();
    await eventually(async () => {
      const { followers } = await jsonOf(service.home, ['projections', 'status']);
      assert.equal(followers[0]?.height, chain.head().number);
    });
  };

  before(async () => {
    chain.finalDepth = finalDepth;
    chain.mine([{ from: other, to: ben, value: 7n }]);
    node = await startEvmNode({ chain });
    // The blocks are old, because their times are the same in every run.
    const env = { CHAIN_C_URL: node.url, CHAIN_C_HEAD_AGE_SECONDS: '0', CHAINFOLD_WITNESS_FILE: at('heads.ndjson') };
    service = await startService({ on: embedded, env });
    const { home } = service;
    const { organization_id } = await jsonOf(home, ['organization', 'create', '--name', 'Acme', '--domain', 'acme']);
    const issue = async (...options: string[]) => {
      const { api_key, api_secret } = await jsonOf(home, [
        ...['credential', 'issue', '--organization', organization_id],
        ...options,
      ]);
      return { CHAINFOLD_API_KEY: String(api_key), CHAINFOLD_API_SECRET: String(api_secret) };
    };
    deployBot = await issue('--name', 'deploy-bot');
    auditor = await issue('--role', 'auditor');
    const { CHAINFOLD_API_KEY: key = '', CHAINFOLD_API_SECRET: secret = '' } = deployBot;
    const { c } = clientOf(service, { key, secret });
    walletId = (await c.registerWallet({ name: 'treasury', address: ann, confirmation: 1 })).wallet_id;
    await followed();
    chain.mine([{ from: other, to: ann, value: 9n }]);
    await c.registerAddress({ wallet_id: walletId, address: ben });
    await followed();
    await eventually(async () => assert.equal((await c.listTransfers({ wallet_id: walletId })).transfers.length, 1));
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'many' });
    await clientOf(service).c.batchRegisterAddresses({ wallet_id, addresses: many });
    const keys = await (await fetch(new URL('/.well-known/audit-keys', service.url))).json();
    publicKey = (keys as { keys: { public_key: string }[] }).keys[0]?.public_key ?? '';
    await until('the witness has a head', () => existsSync(at('heads.ndjson')));
    await until('the sealer has hashed every history', async () => {
      const { code } = await runCommand(home, ['audit', 'verify', '--all']);
      return code === 0;
    });
  });
  after(async () => {
    await service?.stop();
    await node?.close();
  });

  it('read the history', async () => {
    const { position, time } = await lastEvent();
    const moment = { '2026-01-31T12:00:00Z': time };
    const period = { ...moment, '1200': '1' };
    assert.match(await run('chainfold audit replay --organization acme'), /wallet treasury/);
    const bounded = 'chainfold audit replay --organization acme --from 1200 --to 2026-01-31T12:00:00Z';
    assert.match(await run(bounded, period), /wallet treasury/);
    const filtered = await run('chainfold audit replay --organization acme --wallet treasury --actor deploy-bot');
    assert.match(filtered, /key deploy-bot registered wallet treasury on C/);
    await runInShell(
      'chainfold audit replay --organization acme --type AddressRegistered,AddressRemoved --csv > addresses.csv',
    );
    assert.equal(readFileSync(at('addresses.csv'), 'utf8').match(/AddressRegistered/g)?.length, 2);
    const asOf = `chainfold call admin ListEvents '{"page_size":100,"as_of":"2026-01-31T12:00:00Z"}'`;
    assert.equal(JSON.parse(await run(asOf, moment)).events[0].position, position);
    const since = `chainfold call admin ListEvents '{"types":["WalletRegistered"],"from":"2026-01-01T00:00:00Z","order":"asc"}'`;
    assert.equal(JSON.parse(await run(since)).events.length, 1);
  });

  it('read the history with jq', async function () {
    const command = `chainfold audit replay --organization acme --json | jq 'select(.type == "AddressRegistered")'`;
    if (!isThere('jq')) {
      take(command);
      return skip(this, 'a command of docs/audit.md, since jq is not here');
    }
    assert.match(await runInShell(command), /"type": "AddressRegistered"/);
  });

  it('answer as of a moment', async () => {
    const { position, time } = await lastEvent();
    const moment = { 'wal_…': walletId, '1200': String(position), '2026-01-31T12:00:00Z': time };
    const wallet = JSON.parse(await run(`chainfold call c GetWallet '{"wallet_id":"wal_…"}' --as-of 1200`, moment));
    assert.equal(wallet.wallet.name, 'treasury');
    const transfers = `chainfold call c ListTransfers '{"wallet_id":"wal_…"}' --as-of 2026-01-31T12:00:00Z`;
    const listed = JSON.parse(await run(transfers, moment));
    assert.equal(listed.transfers.length, 1);
    const fromStores = `chainfold call c ListTransfers '{"wallet_id":"wal_…"}' --as-of 1200 --organization acme`;
    assert.deepEqual(JSON.parse(await run(fromStores, moment)), listed);
    const diff = 'chainfold audit diff --organization acme --from 1200 --to 2026-01-31T12:00:00Z';
    assert.match(await run(diff, { ...moment, '1200': '1' }), /^\+ addresses +C /m);
  });

  it('export and verify', async () => {
    const file = { 'acme.ndjson': at('exported.ndjson'), 'audpk_…': publicKey };
    await run('chainfold audit export --organization acme --out acme.ndjson', file);
    assert.match(await run('chainfold audit verify acme.ndjson', file), /the store agrees/);
    assert.match(await run('chainfold audit verify acme.ndjson --key audpk_…', file), /the pinned key/);
    assert.match(await run('chainfold audit verify --organization acme'), /^valid: /);
    assert.match(await run('chainfold audit verify --all'), /^valid: /m);
  });

  it('work over HTTP with the credential of an auditor', async () => {
    const as = { env: auditor };
    const { first_position, last_position } = JSON.parse(await run('chainfold call admin GetHistoryBounds', {}, as));
    assert.ok(first_position < last_position);
    await runInShell('chainfold call admin ExportHistory > acme.ndjson', {}, auditor);
    const { code } = await runCommand(service.home, ['audit', 'verify', at('acme.ndjson'), '--key', publicKey]);
    assert.equal(code, 0);
    const { valid } = JSON.parse(await run('chainfold call admin VerifyHistory', {}, as));
    assert.equal(valid, true);
    const diff = `chainfold call admin DiffHistory '{"from":"2026-01-01T00:00:00Z","to":"2026-02-01T00:00:00Z","page_size":100}'`;
    const { differences } = JSON.parse(await run(diff, { '2026-02-01': '2999-02-01' }, as));
    assert.ok(differences.length > 0);
    const accesses = `chainfold call admin ListAccess '{"from":"2026-01-01T00:00:00Z"}'`;
    await eventually(async () => assert.match(await run(accesses, {}, as), /"admin\/ExportHistory"/));
    await run(`chainfold call admin SetGatewayKeys '{"gateway_keys":"tokens"}'`);
    assert.match(await run('chainfold audit replay --organization acme'), /limited the gateway to tokens/);
  });

  it('show what operators did', async () => {
    assert.equal((await runCommand(service.home, ['projections', 'rebuild', 'wallets'], settings())).code, 0);
    assert.match(await run('chainfold audit replay --organization system --actor operator'), /rebuil/);
    const file = { 'system.ndjson': at('system.ndjson') };
    await run('chainfold audit export --organization system --out system.ndjson', file);
    assert.ok(existsSync(at('system.ndjson')));
  });

  it('write evidence for a period, and verify it', async () => {
    const key = { 'audpk_…': publicKey };
    const quarter = 'chainfold audit evidence --organization acme --period 2026-Q1 --out evidence';
    await run(quarter, { '--out evidence': `--out ${at('quarter')}` });
    const drawn = `chainfold audit evidence --organization acme --period 2026-01-01/2026-01-31 --out evidence --seed 'drawn by lot' --sample 40`;
    await run(drawn, { '2026-01-31': '2999-01-31', '--out evidence': `--out ${at('evidence')}` });
    const verified = await run('chainfold audit verify evidence --key audpk_…', {
      ...key,
      'verify evidence': `verify ${at('evidence')}`,
    });
    assert.match(verified, /^valid: /);
  });

  it('verify evidence with Python', async function () {
    const command = 'python3 evidence/verify.py audpk_…';
    if (!isThere('python3')) {
      take(command);
      return skip(this, 'a command of docs/audit.md, since python3 is not here');
    }
    assert.match(await runInShell(command, { 'audpk_…': publicKey }), /^valid/im);
  });

  it('write statements', async () => {
    const inTime = { 'wal_…': walletId, '1767225600': '0', '2026-01-01T': '2023-01-01T' };
    const asked = `chainfold call c GetStatement '{"wallet_id":"wal_…","start_time":1767225600,"end_time":1769904000}'`;
    assert.equal(JSON.parse(await run(asked, inTime)).movements.length, 1);
    for (const format of ['csv', 'xlsx', 'pdf']) {
      const name = `january.${format}`;
      const command = `chainfold audit statement --wallet wal_… --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --${format} --out ${name}`;
      await run(command, { ...inTime, [name]: at(name) });
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('january')),
      ['january.csv', 'january.pdf', 'january.xlsx'],
    );
    assert.match(readFileSync(at('january.csv'), 'utf8'), /^"movement"/m);
  });

  it('import the time before a registration', async () => {
    const imported = await run('chainfold audit import --api c --address 0x… --from 2026-01-01', {
      '0x…': ben,
      '2026-01-01': '2023-01-01',
    });
    assert.match(imported, /^Imported blocks 0 to /m);
    const asked = `chainfold call c ImportHistory '{"address":"0x…","from_time":1767225600}'`;
    const { import_id } = JSON.parse(await run(asked, { '0x…': ann, '1767225600': '0' }));
    const shown = await run(`chainfold call c GetImport '{"import_id":"imp_…"}'`, { 'imp_…': import_id });
    assert.equal(JSON.parse(shown).import.address, ann);
  });

  it('compare balances with the chain', async () => {
    const wallet = { 'wal_…': walletId };
    const answer = await run(`chainfold call c ReconcileWallet '{"wallet_id":"wal_…"}'`, wallet);
    assert.deepEqual(JSON.parse(answer), { differences: [] });
    assert.match(await run('chainfold audit reconcile --organization acme'), /0 differences/);
    assert.match(await run('chainfold audit reconcile --organization acme --wallet wal_…', wallet), /0 differences/);
  });

  it('compare the log with the heads of a witness', async () => {
    const heads = { 'heads.ndjson': at('heads.ndjson') };
    assert.match(await run('chainfold audit verify --witness heads.ndjson', heads), /valid/);
    const matched = await runInShell('chainfold audit verify --organization acme --witness heads*.ndjson');
    assert.match(matched, /^valid: /);
    const anywhere = 'chainfold audit verify --witness heads.ndjson --url https://chainfold.example --key audpk_…';
    await run(anywhere, { ...heads, 'https://chainfold.example': service.url, 'audpk_…': publicKey });
  });

  it('accept a loss in a history and in the log', async () => {
    await until('the sealer has hashed the last event', async () => {
      const { unproven_events = 0 } = await jsonOf(service.home, ['audit', 'verify', '--organization', 'acme']);
      return unproven_events === 0;
    });
    await service.stop();
    const db = new DatabaseSync(join(service.home.directory, 'events.db'));
    db.exec(`DELETE FROM events WHERE position = ${(await lastEvent()).position}`);
    await run('chainfold audit verify --organization acme', {}, { code: 1 });
    const reason = `--reason 'restored from the backup of Sunday'`;
    assert.match(await run(`chainfold audit accept-loss --organization acme ${reason}`), /^Accepted /);
    db.exec(`DELETE FROM events WHERE type = 'SealLogged'`);
    db.close();
    await run('chainfold audit verify --all', {}, { code: 1 });
    assert.match(await run(`chainfold audit accept-loss --log ${reason}`), /volume 1/);
  });

  it('are all run above', () => {
    assert.deepEqual(
      [...page].filter((command) => !ran.has(command) && !named.has(command)),
      [],
    );
  });
});
