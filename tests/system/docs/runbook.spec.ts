import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { shellCommandsIn } from '../../support/docs/shell-commands.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { rulesFile, ruleTestsFile } from '../../support/monitoring/expressions.js';
import { freshDirectory } from '../../support/run/directories.js';
import { environmentOf, jsonOf, launcher, runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

/** Values of the test, by the example values of the page that they replace. */
type Values = Readonly<Record<string, string>>;
type Options = { readonly on: Home; readonly env?: Record<string, string>; readonly code?: number };

const startChain = (name: string) => {
  const chain = createEvmChain(name);
  for (let n = 0; n < 4; n++) chain.mine();
  return startEvmNode({ chain });
};

describe('the commands of docs/operations.md', () => {
  const text = readFileSync('docs/operations.md', 'utf8');
  const page = shellCommandsIn(text);
  const [move = assert.fail('the page has no such section')] = /^## Moving to the services.*?^## /ms.exec(text) ?? [];
  /** Commands that need servers. tests/system/docs/operations.spec.ts runs them in the full tier. */
  const onServers = new Set([...shellCommandsIn(move), 'mongodump --collection=processes']);
  const ran = new Set<string>();
  /** Returns a command of the page with the values of the test, and notes the command as run. */
  const take = (command: string, values: Values = {}) => {
    assert.ok(page.has(command), `the page does not give "${command}"`);
    ran.add(command);
    return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), command);
  };
  const run = async (command: string, values: Values, { on, env = {}, code = 0 }: Options) => {
    const [, ...args] = take(command, values).split(' ');
    const result = await runCommand(on, args, env);
    assert.equal(result.code, code, `${command}: ${result.stdout}${result.stderr}`);
    return result.stdout + result.stderr;
  };

  let [chain, otherChain]: EvmNode[] = [];
  let service: Service;
  let home: Home;
  /** Settings with a test chain, whose blocks are old because their times are the same in every run. */
  const envOf = (node: EvmNode | undefined) => ({
    CHAIN_C_URL: node?.url ?? 'off',
    CHAIN_C_HEAD_AGE_SECONDS: '0',
  });
  const here = (code = 0): Options => ({ on: home, env: envOf(chain), code });
  const backups = freshDirectory();
  const exported = join(freshDirectory(), 'export.ndjson');
  before(async () => {
    [chain, otherChain] = await Promise.all([startChain('followed'), startChain('other')]);
    service = await startService({ on: embedded, env: envOf(chain) });
    ({ home } = service);
    await eventually(async () => {
      const { followers } = await jsonOf(home, ['projections', 'status']);
      assert.equal(followers[0]?.height, 4);
    });
  });
  after(async () => {
    await service?.stop();
    await Promise.all([chain?.close(), otherChain?.close()]);
  });

  it('show the state of the service', async () => {
    assert.match(await run('chainfold status', {}, here()), /^projector +running/m);
    const { roles } = JSON.parse(await run('chainfold status --json', {}, here()));
    assert.ok(roles.every(({ state }: { state: string }) => state === 'running'));
    assert.match(await run('chainfold doctor', {}, here()), /vault/);
    const { ok, checks } = JSON.parse(await run('chainfold doctor --json', {}, here()));
    assert.deepEqual([ok, checks.length > 10], [true, true]);
    assert.match(await run('chainfold projections status', {}, here()), /wallets/);
    await run('chainfold projections rebuild --all', {}, here());
    assert.match(await run('chainfold transactions stuck', {}, here()), /./);
    const retried = await run('chainfold chain retry <x> <block>', { '<x>': 'c', '<block>': '2' }, here(1));
    assert.match(retried, /Block 2 is not among the unreadable blocks of chain C/);
  });

  it('find out why a request was refused, also from the log', async () => {
    const { problem } = await clientOf(service)
      .c.getWallet({ wallet_id: 'wal_none' })
      .then(
        () => assert.fail('the wallet exists'),
        (error: unknown) => error as { problem: { request_id: string } },
      );
    const id = problem.request_id;
    const named = { '01a1ed24-9d28-7522-abb2-630d50195716': id };
    const refused = /GetWallet → 404 NOT_FOUND/;
    take('chainfold trace <x-request-id>');
    await eventually(async () => {
      assert.match(await run('chainfold trace 01a1ed24-9d28-7522-abb2-630d50195716', named, here()), refused);
    });
    const directory = freshDirectory();
    const log = join(directory, 'chainfold.log');
    writeFileSync(log, service.output());
    const fromLog = 'chainfold trace 01a1ed24-9d28-7522-abb2-630d50195716 --log chainfold.log';
    assert.match(await run(fromLog, { ...named, 'chainfold.log': log }, here()), refused);
    // Stand-ins for Docker, which shows the log, and for an installed chainfold.
    const programs = { docker: `cat ${log}`, chainfold: `exec ${process.execPath} ${resolve(launcher)} "$@"` };
    for (const [name, line] of Object.entries(programs))
      writeFileSync(join(directory, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const piped = take('docker compose logs api | chainfold trace 01a1ed24-9d28-7522-abb2-630d50195716 --log -', named);
    const environment = environmentOf(home, envOf(chain));
    const env = { ...environment, PATH: `${directory}${delimiter}${process.env.PATH}` };
    assert.match((await promisify(execFile)('bash', ['-c', piped], { env })).stdout, refused);
  });

  it('raise a limit, and replace a leaked credential and a leaked master key', async () => {
    const { domain } = demoOf(home);
    take('chainfold ratelimit set');
    await jsonOf(home, ['ratelimit', 'set', '--organization', domain, '--per-second', '500']);
    const { api_key } = await jsonOf(home, ['credential', 'issue', '--organization', domain]);
    const issued = await run('chainfold credential issue --organization X --rotate', { X: domain }, here());
    assert.match(issued, /secret/);
    await run('chainfold credential delete <old key>', { '<old key>': api_key }, here());
    const before = readFileSync(join(home.directory, 'master.key'), 'utf8');
    await run('chainfold master-key rotate', {}, here());
    assert.notEqual(readFileSync(join(home.directory, 'master.key'), 'utf8'), before);
  });

  it('back up the running service, and restore the backup on another machine', async () => {
    await jsonOf(home, ['audit', 'export', '--organization', demoOf(home).organizationId, '--out', exported]);
    const stored = { '/backups': backups };
    assert.match(await run('chainfold backup /backups --keep 14', stored, here()), /agree with their seals/);
    take('chainfold backup');
    await run('chainfold backup verify /backups', stored, here());
    const { folder } = await jsonOf(home, ['backup', 'verify', backups]);
    const example = '/backups/2026-11-18T05-25-12.472Z-81234';
    await run(`chainfold backup verify ${example}`, { [example]: folder }, here());
    await service.stop();

    const other = await embedded.home();
    cpSync(join(home.directory, 'master.key'), join(other.directory, 'master.key'));
    const restore = take('CHAINFOLD_DATA_DIR=/data/new chainfold restore /backups', stored);
    const [, , ...args] = restore.split(' ');
    const restored = await runCommand(other, args);
    assert.equal(restored.code, 0, restored.stderr);
    await run('chainfold audit verify --all', {}, { on: other });
    const verified = await run('chainfold audit verify FILE', { FILE: exported }, { on: other });
    assert.match(verified, /the store agrees/);
    const [, role = ''] = /--role (\S+)/.exec(take('CHAINFOLD_PORT=8090 chainfold serve --role api,projector')) ?? [];
    const again = await startService({ on: other, role, env: { CHAINFOLD_DEMO: 'false' } });
    await again.stop();
  });

  it('start one role, and accept another chain only after they showed both', async () => {
    const changed = { on: home, env: envOf(otherChain), code: 1 };
    const shown = await run('chainfold chain accept <x> 0', { '<x>': 'c' }, changed);
    for (const node of [chain, otherChain]) assert.ok(shown.includes(node?.chain.at(0)?.hash ?? 'no block'), shown);
    const block = { '<x>': 'c', '<that block>': '2' };
    assert.match(await run('chainfold chain accept <x> <that block>', block, changed), /block/);
    const [, , , role = ''] = take('chainfold serve --role …', { '…': 'follower' }).split(' ');
    const follower = await startService({ on: home, role, env: envOf(chain) });
    await follower.stop();
  });

  it('of other programs name services, units and files of this repository', async () => {
    const { services: containers } = parse(readFileSync('docker-compose.yml', 'utf8'));
    const words = take('docker compose exec api node bin/chainfold.js doctor').split(' ');
    assert.ok(words[3] && words[3] in containers);
    assert.ok(existsSync(words[5] ?? ''));
    take('docker compose up --detach');
    const [, unit, role = ''] = /(chainfold@)(\w+)/.exec(take('systemctl restart chainfold@follower')) ?? [];
    assert.ok(existsSync(`deploy/systemd/${unit}.service`));
    assert.ok(role in containers);
  });

  it('of promtool are those that tests/repository/monitoring.spec.ts runs', () => {
    take(`promtool check rules ${rulesFile}`);
    take(`promtool test rules ${ruleTestsFile}`);
  });

  it('are all run above, or need servers', () => {
    assert.deepEqual(
      [...page].filter((command) => !ran.has(command) && !onServers.has(command)),
      [],
    );
  });
});
