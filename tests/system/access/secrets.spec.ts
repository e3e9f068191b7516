import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { type Engine, engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { formsOf } from '../../support/run/secret-forms.js';
import {
  findLeaks,
  keepAnswer,
  keepContents,
  keepCredentials,
  keepLog,
  keepSecret,
  keepSecretsIn,
  readableKeepers,
} from '../../support/run/secrets.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { raw, sign } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const randomSecret = () => randomBytes(32).toString('hex');
const noLeaks = (directories?: string[]) => assert.deepEqual(findLeaks(directories), []);

describe('the search for secrets', () => {
  // Uses a fixed secret, so that the list of tests is the same in every run: two forms of a random secret may be equal.
  const secret = createHash('sha256').update('planted').digest('hex');
  const junk = randomBytes(1000);
  before(() => keepSecret(secret));

  /** Returns the forms of the secret that the search finds in a file with the given contents. */
  const foundIn = (contents: Buffer | string) => {
    const directory = freshDirectory();
    writeFileSync(join(directory, 'events.db-wal'), contents);
    const leaks = findLeaks([directory]).filter(({ where }) => where.startsWith(directory));
    rmSync(directory, { recursive: true });
    return leaks.map(({ form }) => form);
  };

  for (const { form, bytes } of formsOf(secret))
    it(`finds the ${form} in a file`, () => assert.ok(foundIn(Buffer.concat([junk, bytes, junk])).includes(form)));

  it('finds a secret within a longer base64 text at any offset', () => {
    for (const before of ['', 'a', 'ab', 'abc'])
      assert.equal(foundIn(Buffer.from(`${before}${secret}"}`).toString('base64')).length, 1, before);
  });

  it('finds secrets and keys in the log of a service', () => {
    const planted = keepCredentials({ key: `ck_${randomSecret()}`, secret: randomSecret() });
    let text = '';
    keepLog('planted log', () => text);
    const found = () => findLeaks([]).filter(({ where }) => where === 'planted log').length > 0;
    for (const held of [planted.key, planted.secret]) {
      text = `{"level":50,"path":"/v1/c/ListWallets?x=${held}"}`;
      assert.ok(found());
    }
    text = '';
    assert.ok(!found());
  });
});

/** Requests with the secret wherever a confused caller could put it; none of them may be stored, logged or echoed. */
const misplaced = ({ key, secret }: Credentials): readonly (readonly [path: string, RequestInit])[] => {
  const path = '/v1/c/ListWallets';
  const post = (headers: Record<string, string>, body = '{}'): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const signed = (to: string, body = '{}') => post(sign({ key, secret }, to, body), body);
  const good = sign({ key, secret }, path, '{}');
  const remove = JSON.stringify({ api_key: key, api_secret: [secret] });
  return [
    [path, post({ ...good, 'x-api-key': secret })],
    [path, post({ ...good, 'x-api-nonce': secret })],
    [path, post({ ...good, 'x-api-signature': secret })],
    [path, post({ authorization: `Bearer ${secret}`, cookie: `secret=${secret}` })],
    [`${path}?api_secret=${secret}`, signed(`${path}?api_secret=${secret}`)],
    [`${path}?api_secret=${secret}`, post({})],
    [`/v1/c/${secret}`, signed(`/v1/c/${secret}`)],
    [`/${secret}?${secret}`, {}],
    [`/problems/${secret}%ff`, {}],
    ['/metrics', { headers: { authorization: `Bearer ${secret}`, 'x-forwarded-for': secret } }],
    [path, signed(path, JSON.stringify({ api_secret: secret }))],
    [path, signed(path, JSON.stringify({ page_token: secret }))],
    [path, signed(path, `{"page_token":"${secret}`)],
    ['/v1/admin/DeleteCredential', signed('/v1/admin/DeleteCredential', remove)],
  ];
};

const ask = async ({ url }: Service, path: string, init: RequestInit = {}) => {
  const response = await fetch(new URL(path, url), init);
  const headers = JSON.stringify([...response.headers]);
  keepAnswer(`${init.method ?? 'GET'} ${path.split('?', 1)}`, `${headers}\n${await response.text()}`);
  return response.status;
};

const use = async (service: Service, credentials: Credentials) => {
  const { c } = clientOf(service, credentials);
  const { wallet_id } = await c.registerWallet({ name: 'kept' }, { 'idempotency-key': randomSecret() });
  keepAnswer('GetWallet', JSON.stringify(await c.getWallet({ wallet_id })));
  for (const [path, init] of misplaced(credentials)) await ask(service, path, init);
  keepAnswer('no HTTP', await raw(service.url, `GET /${credentials.secret}\r\nx: ${credentials.secret}\r\n\r\n`));
  const { port } = new URL(service.url);
  const own = ['--key', credentials.key, '--secret', credentials.secret];
  for (const operation of ['ListWallets', 'Nothing'])
    await runCommand(service.home, ['call', 'c', operation, ...own], { CHAINFOLD_PORT: port });
};

const issueOverHttp = async (service: Service): Promise<Credentials> => {
  const { admin } = clientOf(service);
  const { organization_id } = await admin.createOrganization({
    name: 'By HTTP',
    domain: `http-${randomSecret().slice(40)}`,
  });
  const retry = { 'idempotency-key': randomSecret() };
  await admin.createCredential({ organization_id }, retry);
  const { api_key, api_secret } = await admin.createCredential({ organization_id }, retry);
  keepAnswer('ListCredentials', JSON.stringify(await admin.listCredentials({ organization_id })));
  return keepCredentials({ key: api_key, secret: api_secret });
};

/**
 * Repeats the requests with misplaced secrets while MongoDB is stopped, because the service then writes to its log.
 */
const useWithoutStores = async (service: Service, credentials: Credentials) => {
  const { doubles } = service.home;
  if (!doubles) return;
  await doubles.mongo.stop();
  const statuses = await Promise.all(misplaced(credentials).map(([path, init]) => ask(service, path, init)));
  await doubles.mongo.start();
  assert.ok(statuses.includes(503));
  await eventually(() => assert.match(service.output(), /MongoDB unavailable/));
};

const settings = () => ({ CHAINFOLD_LOG_LEVEL: 'trace', CHAINFOLD_METRICS_TOKEN: randomSecret() });

const scenario = async (engine: Engine) => {
  const env = settings();
  const first = await startService({ on: engine, env });
  const { home } = first;
  const authorization = `Bearer ${env.CHAINFOLD_METRICS_TOKEN}`;
  const own = await newOrganization(home, 'keeps-secrets');
  const other = await issueOverHttp(first);
  for (const credentials of [demoOf(home), own, other]) await use(first, credentials);
  await useWithoutStores(first, other);
  await first.kill();
  const second = await startService({ on: home, env });
  await use(second, other);
  for (const page of ['/metrics', '/openapi.json', '/health/ready'])
    assert.equal(await ask(second, page, { headers: { authorization } }), 200);
  await jsonOf(home, ['credential', 'list', '--organization', own.organizationId]);
  await jsonOf(home, ['credential', 'delete', own.key]);
  const { key: api_key, secret: api_secret } = other;
  await clientOf(second, other).admin.deleteCredential({ api_key, api_secret });
  const list = () => ({ method: 'POST', headers: sign(other, '/v1/c/ListWallets', '') });
  await eventually(async () => assert.equal(await ask(second, '/v1/c/ListWallets', list()), 401));
  return second;
};

for (const engine of engines)
  describe(`secrets on ${engine.name}`, () => {
    it('appear in no file, store, log, answer or metric', async () => {
      const service = await scenario(engine);
      // The first search comes while the service still runs, because the service deletes some of its files later.
      await keepContents(service.home);
      noLeaks([service.home.directory]);
      await service.kill();
      noLeaks([service.home.directory]);
      const again = await startService({ on: service.home });
      await again.stop();
      noLeaks([service.home.directory]);
      assert.deepEqual(readableKeepers(), []);
    });

    if (engine.isEmbedded)
      it('include the old master key, which is in no file once the key is changed', async () => {
        const { home, stop } = await startService({ on: engine });
        await stop();
        keepSecretsIn(home.directory);
        await jsonOf(home, ['master-key', 'rotate']);
        noLeaks([home.directory]);
      });
  });
