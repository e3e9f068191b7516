import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endpoints } from '../../interfaces/operations/index.js';
import { embedded } from '../support/engines/engines.js';
import { missingOutside, outsideFile, outsideProgram } from '../support/outside/programs.js';
import { freshDirectory } from '../support/run/directories.js';
import { skip } from '../support/run/skip.js';
import { describeInFull } from '../support/run/tier.js';
import { demoOf, type Service, startService } from '../support/service/service.js';

const run = promisify(execFile);

type Result = {
  readonly path: string;
  readonly error: string | null;
  readonly response: { readonly status: number; readonly data: Readonly<Record<string, unknown>> };
};

type Read = {
  readonly http: { readonly url: string; readonly body: string };
  readonly body: { readonly json: string };
};
/** Bruno's readers of its text format. */
type Format = {
  bruToJsonV2(text: string): Read;
  collectionBruToJson(text: string): { vars: { req: readonly { name: string; value: string }[] } };
};
const textOf = (file: string) => readFileSync(join('sdk/bruno', file), 'utf8');

describeInFull('the collection for Bruno', () => {
  let service: Service;
  before(async function () {
    const missing = missingOutside('bru');
    if (missing) return skip(this, missing);
    service = await startService({ on: embedded });
  });
  after(() => service?.stop());

  /** Runs requests of the collection in order, as sdk/bruno/README.md shows, and returns their results. */
  const send = async (requests: readonly string[]): Promise<readonly Result[]> => {
    const report = join(freshDirectory(), 'report.json');
    const { key, secret } = demoOf(service.home);
    const options = ['--env', 'local', '--env-var', `url=${service.url}`, '--reporter-json', report];
    const files = requests.map((request) => `${request}.bru`);
    await run(process.execPath, [outsideProgram('bru'), 'run', ...files, ...options], {
      cwd: 'sdk/bruno',
      env: { ...process.env, CHAINFOLD_API_KEY: key, CHAINFOLD_API_SECRET: secret },
    });
    const [{ results }] = JSON.parse(readFileSync(report, 'utf8')) as [{ results: readonly Result[] }];
    return results;
  };

  it('is read by Bruno with the path and the example of each operation', () => {
    const format = createRequire(outsideFile('@usebruno/cli/package.json'))('@usebruno/lang') as Format;
    const { vars } = format.collectionBruToJson(textOf('collection.bru'));
    const values = new Map(vars.req.map(({ name, value }) => [name, value]));
    for (const { path, example, variant, operation } of endpoints) {
      const { http, body } = format.bruToJsonV2(textOf(`${variant.segment}/${operation.name}.bru`));
      assert.deepEqual([http.url, http.body], [`{{url}}${path}`, 'json']);
      const text = body.json.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values.get(name) ?? assert.fail(name));
      assert.deepEqual(JSON.parse(text), example, path);
    }
  });

  it('signs its requests, which the service answers, and takes ids from the answers', async () => {
    const requests = ['c/RegisterWallet', 'c/RegisterAddress', 'c/GetWallet', 'c/ListWallets', 'c/GetImport'];
    const results = await send(requests);
    assert.deepEqual(
      results.map(({ path, error, response }) => [path, error, response.status]),
      requests.map((path) => [path, null, path === 'c/GetImport' ? 404 : 200]),
    );
    const [registered, , wallet, wallets, refused] = results.map(({ response }) => response.data);
    const { wallet_id } = registered as { wallet_id: string };
    assert.equal((wallet as { wallet: { wallet_id: string } }).wallet.wallet_id, wallet_id);
    assert.deepEqual(
      (wallets as { wallets: { wallet_id: string }[] }).wallets.map((one) => one.wallet_id),
      [wallet_id],
    );
    assert.equal(refused?.code, 'NOT_FOUND');
  });
});
