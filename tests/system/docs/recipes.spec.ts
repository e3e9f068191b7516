import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { sqliteReadModels } from '../../../infrastructure/sqlite/read-models/read-models.js';
import { scopeOf } from '../../../projections/define.js';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { startCoralNode } from '../../support/chains/coral-node.js';
import { type Change, changesIn, copyRepository, filesListedIn } from '../../support/docs/recipes.js';
import { createTypeCheck } from '../../support/docs/type-check.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { describeInFull } from '../../support/run/tier.js';
import { runProcess } from '../../support/service/command.js';
import { demoOf, type Service, startService } from '../../support/service/service.js';

const family = 'chain-family.md';
const pages = readdirSync('docs/recipes').filter((page) => page !== 'README.md');
const [familyName, ...familyRest] = changesIn(family) as [Change, ...Change[]];
const others = pages.filter((page) => page !== family).flatMap(changesIn);
const touched = [...new Set([familyName, ...familyRest, ...others].map(({ path }) => path))];

/**
 * Returns whether to type-check a file: every file outside tests/ and bench/, the tests that recipes change, and the
 * tests that list families.
 */
const isChecked = (path: string) =>
  !/^(tests|bench)\//.test(path) ||
  touched.includes(path) ||
  (path.startsWith('tests/') && /\bFamily\b/.test(readFileSync(path, 'utf8')));

const payer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const own = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';

describe('the recipes', () => {
  it('are all listed in docs/recipes/README.md', () => {
    const list = readFileSync('docs/recipes/README.md', 'utf8');
    assert.deepEqual(new Set([...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, page]) => page)), new Set(pages));
  });

  it('apply to the current code', () => {
    const { apply, remove } = copyRepository();
    try {
      for (const change of [familyName, ...familyRest, ...others]) apply(change);
    } finally {
      remove();
    }
  });
});

describeInFull('the recipes applied to a copy of the repository', function () {
  this.timeout(900_000);
  const { root, apply, remove } = copyRepository();
  after(remove);
  const typesOf = createTypeCheck(root, isChecked);
  /** Runs a program of the copy's packages in the copy. */
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join('node_modules', program), ...args], { cwd: root }).catch(
      ({ stdout, stderr }) => assert.fail(`${stdout}${stderr}`),
    );

  it('name exactly the files that fail to compile while a new family has only its name', () => {
    apply(familyName);
    assert.deepEqual(new Set(typesOf().keys()), new Set(filesListedIn(family)));
  });

  it('pass the type check when all are applied', () => {
    for (const change of [...familyRest, ...others]) apply(change);
    assert.deepEqual([...typesOf().values()].join(''), '');
  });

  it('pass the linter', () => run('@biomejs/biome/bin/biome', 'check', ...touched));

  it('pass the tests that they add', async () => {
    const specs = touched.filter((path) => path.endsWith('.spec.ts'));
    assert.ok(specs.length >= pages.length, specs.join());
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'interfaces/sdk/write.ts'], { cwd: root });
    await promisify(execFile)(process.execPath, ['build.js'], { cwd: root });
    await run('mocha/bin/mocha.js', '--no-config', '--import=tsx', '--exit', '--timeout=180000', ...specs);
  });

  describe('on a running service', () => {
    let node: Awaited<ReturnType<typeof startCoralNode>>;
    let service: Service;
    let oldWallet: string;
    const launcher = join(root, 'bin/chainfold.js');
    const call = async (path: string, request: object) => {
      const [api = '', name = ''] = path.split('/');
      const client = createClient({ url: service.url, ...demoOf(service.home), maxRetries: 0 });
      // biome-ignore lint/suspicious/noExplicitAny: answers of operations that this repository's types do not know
      return (await client.call(api, name, request)) as any;
    };

    before(async () => {
      service = await startService({ on: embedded });
      oldWallet = (await call('c/RegisterWallet', { name: 'from before' })).wallet_id;
      await service.stop();
      node = await startCoralNode();
      const env = { CHAIN_X_URL: node.url, CHAINFOLD_LOG_LEVEL: 'info' };
      service = await startService({ on: service.home, env, launcher });
    });
    after(async () => {
      node.close();
      await service.stop();
    });

    let walletId: string;

    it('add an operation that answers and is listed in OpenAPI', async () => {
      const wanted = { name: 'hot', address: own, reference: 'account 7' };
      walletId = (await call('x/RegisterWallet', wanted)).wallet_id;
      await call('x/RenameWallet', { wallet_id: walletId, name: 'cold' });
      assert.equal((await call('x/GetWallet', { wallet_id: walletId })).wallet.name, 'cold');
      await assert.rejects(call('x/RenameWallet', { wallet_id: 'wal_none', name: 'cold' }), /NOT_FOUND/);
      const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
      for (const api of ['t', 's', 'p', 'c', 'x']) assert.ok(Object.hasOwn(paths, `/v1/${api}/RenameWallet`), api);
    });

    it('read a new field from events that have it and from events that lack it', async () => {
      assert.equal((await call('x/GetWallet', { wallet_id: walletId })).wallet.reference, 'account 7');
      await eventually(async () =>
        assert.equal((await call('c/GetWallet', { wallet_id: oldWallet })).wallet.reference, ''),
      );
    });

    it('run a new process, also over earlier events', () =>
      eventually(async () => {
        const lines = service
          .output()
          .split('\n')
          .filter((line) => line.includes('Wallet registered'));
        for (const id of [oldWallet, walletId]) assert.equal(lines.filter((line) => line.includes(id)).length, 1, id);
      }));

    it('follow a deposit on a family whose addresses are base58', async () => {
      node.mine([{ id: 'deposit', from: payer, to: own, value: 70 }]);
      node.mine([{ id: 'elsewhere', from: payer, to: own.toLowerCase(), value: 5 }]);
      await eventually(async () => {
        const { transfers } = await call('x/ListTransfers', { wallet_id: walletId });
        assert.equal(transfers.length, 1);
        const { transaction_hash, from, to, value, block_height } = transfers[0];
        assert.deepEqual([transaction_hash, from, to, value, block_height], ['deposit', payer, own, '70', 1]);
      });
      await eventually(async () => {
        const { assets } = await call('x/ListAssets', { wallet_id: walletId, asset_type: 'ASSET_TYPE_X' });
        assert.deepEqual(
          assets.map(({ address, balance }: { address: string; balance: string }) => [address, balance]),
          [[own, '70']],
        );
      });
    });

    it('build a new projection, and rebuild it', async () => {
      const { projections } = await import(pathToFileURL(join(root, 'projections/index.ts')).href);
      const { latestTransfers } = await import(pathToFileURL(join(root, 'projections/latest-transfers.ts')).href);
      const { organizationId } = demoOf(service.home);
      const built = async () => {
        const readModels = await sqliteReadModels(join(service.home.directory, 'read-models.db'), projections);
        const place = { scope: scopeOf(organizationId, 'X'), id: walletId };
        const found = await readModels.get(latestTransfers, place);
        await readModels.close();
        return found;
      };
      const expected = { wallet_id: walletId, transaction: 'deposit', block_number: 1 };
      await eventually(async () => assert.deepEqual(await built(), expected));
      const args = ['projections', 'rebuild', 'latest_transfers', '--compare', '--json'];
      const { code, stdout, stderr } = await runProcess(service.home, args, {}, launcher);
      assert.equal(code, 0, `${stdout}${stderr}`);
      assert.deepEqual(await built(), expected);
    });
  });
});
