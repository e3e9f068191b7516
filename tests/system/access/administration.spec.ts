import assert from 'node:assert/strict';
import { chains } from '../../../domain/variant.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/service/client.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const figures = { per_second_limit: 7, per_hour_limit: 70, per_day_limit: 700, per_month_limit: 7000 };
const defaults = {
  chain: '',
  per_second_limit: 100,
  per_hour_limit: 100_000,
  per_day_limit: 1_000_000,
  per_month_limit: 20_000_000,
};

for (const engine of engines)
  describe(`administration on ${engine.name}`, () => {
    let service: Service;
    let admin: Client['admin'];
    let made = 0;
    before(async () => {
      service = await startService({ on: engine });
      admin = clientOf(service).admin;
    });
    after(() => service.stop());

    const newOrganization = async () => {
      const domain = `tenant-${++made}`;
      const { organization_id } = await admin.createOrganization({ name: `Tenant ${made}`, domain });
      return { organization_id, domain };
    };
    const newClient = async (organization_id: string): Promise<Credentials> => {
      const { api_key, api_secret } = await admin.createCredential({ organization_id });
      return { key: api_key, secret: api_secret };
    };
    const refuses = async (work: Promise<unknown>, code: string) =>
      assert.rejects(work, (error: { problem: { code: string } }) => error.problem.code === code);

    it('creates organizations and finds them by domain', async () => {
      const { organization_id, domain } = await newOrganization();
      const { organization } = await admin.getOrganizationByDomain({ domain });
      assert.equal(organization.organization_id, organization_id);
      assert.equal(organization.domain, domain);
      assert.equal(organization.update_time, organization.create_time);
      await refuses(admin.getOrganizationByDomain({ domain: 'nobody' }), 'NOT_FOUND');
      await refuses(admin.getOrganizationByDomain({ domain: 'Not-A-Domain' }), 'INVALID_ARGUMENT');
    });

    it('gives a domain to exactly one of many concurrent callers', async () => {
      const asked = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => admin.createOrganization({ name: `racer ${n}`, domain: 'contested' })),
      );
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const one of asked) if (one.status === 'rejected') assert.equal(one.reason.problem.code, 'ALREADY_EXISTS');
    });

    it('issues credentials that work at once and lists them without their secrets', async () => {
      const { organization_id } = await newOrganization();
      const keys = [await newClient(organization_id), await newClient(organization_id)];
      for (const one of keys) await clientOf(service, one).c.listWallets({});
      const { credentials, pagination } = await admin.listCredentials({ organization_id });
      assert.deepEqual(
        credentials.map(({ api_key, role }) => [api_key, role]),
        keys.toReversed().map(({ key }) => [key, 'client']),
      );
      assert.equal(pagination.next_page_token, '');
      await refuses(admin.createCredential({ organization_id: `${organization_id.slice(0, -4)}0000` }), 'NOT_FOUND');
    });

    it('answers a retried CreateCredential with the same secret, without storing the answer', async () => {
      const { organization_id } = await newOrganization();
      const retry = { 'idempotency-key': `retry-${organization_id}` };
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => admin.createCredential({ organization_id }, retry)),
      );
      for (const one of others) assert.deepEqual(one, first);
      assert.deepEqual(await admin.createCredential({ organization_id }, retry), first);
      assert.equal((await admin.listCredentials({ organization_id })).credentials.length, 1);
    });

    it('lets a client read its own organization and no other', async () => {
      const [own, other] = [await newOrganization(), await newOrganization()];
      const client = clientOf(service, await newClient(own.organization_id)).admin;
      const { organization } = await client.getOrganizationByDomain({ domain: own.domain });
      assert.equal(organization.organization_id, own.organization_id);
      assert.deepEqual((await client.getRateLimit({ organization_id: own.organization_id })).ratelimit_info, defaults);
      assert.deepEqual(await client.listRateLimits({ organization_id: own.organization_id }), { data: [] });
      await refuses(client.getOrganizationByDomain({ domain: other.domain }), 'NOT_FOUND');
      await refuses(client.getRateLimit({ organization_id: other.organization_id }), 'NOT_FOUND');
      await refuses(client.listRateLimits({ organization_id: other.organization_id }), 'NOT_FOUND');
      await refuses(client.setRateLimit({ organization_id: own.organization_id, ...figures }), 'PERMISSION_DENIED');
    });

    it('deletes a credential for a caller who has its key and its secret, on every node within a second', async () => {
      const { organization_id } = await newOrganization();
      const { key, secret } = await newClient(organization_id);
      const neighbour = await startService({ on: service.home, role: 'api' });
      try {
        const ask = (url: string) => call(url, { key, secret }, '/v1/c/ListWallets', {});
        for (const { url } of [service, neighbour]) assert.equal((await ask(url)).status, 200);
        const own = clientOf(service, { key, secret }).admin;
        await refuses(own.deleteCredential({ api_key: key, api_secret: 'wrong' }), 'NOT_FOUND');
        await refuses(own.deleteCredential({ api_key: 'unknown', api_secret: secret }), 'NOT_FOUND');
        assert.deepEqual(await own.deleteCredential({ api_key: key, api_secret: secret }), {});
        for (const { url } of [service, neighbour])
          await eventually(async () => assert.equal((await ask(url)).status, 401, 'it is still accepted'));
        await refuses(admin.deleteCredential({ api_key: key, api_secret: secret }), 'NOT_FOUND');
      } finally {
        await neighbour.stop();
      }
    });

    it('returns the rate limit that applies to a chain, and lists the stored ones', async () => {
      const { organization_id } = await newOrganization();
      const [chain, other] = chains.map(({ tag }) => tag) as [string, string];
      const infoOf = async (of?: string) =>
        (await admin.getRateLimit({ organization_id, ...(of !== undefined && { chain: of }) })).ratelimit_info;
      assert.deepEqual(await infoOf(chain), defaults);
      await admin.setRateLimit({ organization_id, chain, ...figures });
      assert.deepEqual(await infoOf(chain), { chain, ...figures });
      assert.deepEqual(await infoOf(other), defaults);
      assert.deepEqual(await infoOf(), defaults);
      await admin.setRateLimit({ organization_id, ...figures, per_second_limit: 8 });
      assert.deepEqual(await infoOf(other), { chain: '', ...figures, per_second_limit: 8 });
      assert.deepEqual(await infoOf(chain), { chain, ...figures });
      const { data } = await admin.listRateLimits({ organization_id });
      assert.deepEqual(
        data.map(({ ratelimit_info }) => ratelimit_info.chain),
        ['', chain],
      );
      assert.equal((await admin.listRateLimits({ organization_id, chain })).data.length, 1);
      await admin.setRateLimit({ organization_id, chain, ...figures, per_day_limit: 701 });
      const again = (await admin.listRateLimits({ organization_id, chain })).data[0];
      assert.equal(again?.create_time, data[1]?.create_time);
      assert.ok((again?.update_time ?? '') > (data[1]?.update_time ?? ''));
      await admin.deleteRateLimit({ organization_id, chain });
      assert.deepEqual(await infoOf(chain), { chain: '', ...figures, per_second_limit: 8 });
      await admin.setRateLimit({ organization_id, chain, ...figures });
      await admin.deleteRateLimit({ organization_id });
      assert.deepEqual((await admin.listRateLimits({ organization_id })).data, []);
      await refuses(admin.deleteRateLimit({ organization_id: 'org_unknown' }), 'NOT_FOUND');
      await refuses(admin.setRateLimit({ organization_id, chain: 'X', ...figures }), 'INVALID_ARGUMENT');
      await refuses(admin.setRateLimit({ organization_id, ...figures, per_day_limit: -1 }), 'INVALID_ARGUMENT');
    });

    it('rejects requests over the limit, says when to retry, and applies a changed limit within a second', async () => {
      const { organization_id } = await newOrganization();
      const client = await newClient(organization_id);
      const [limited, free] = ['c', 'p'].map((api) => () => call(service.url, client, `/v1/${api}/ListWallets`, {}));
      assert.ok(limited && free);
      const plenty = { per_second_limit: 1e6, per_hour_limit: 1e6, per_day_limit: 1e6, per_month_limit: 1e6 };
      const chain = chains.find(({ segment }) => segment === 'c')?.tag as string;
      await admin.setRateLimit({ organization_id, chain, ...plenty, per_month_limit: 5 });
      const answers = [];
      for (let n = 0; n < 7; n++) answers.push(await limited());
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200, 429, 429],
      );
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('ratelimit-remaining')),
        ['4', '3', '2', '1', '0', '0', '0'],
      );
      const last = answers[6];
      assert.ok(last);
      assert.equal(problemIn(last).code, 'RATE_LIMITED');
      assert.equal(problemIn(last).retryable, true);
      assert.equal(last.headers.get('ratelimit-limit'), '5');
      const wait = Number(last.headers.get('retry-after'));
      assert.ok(wait > 0 && wait <= 31 * 86_400);
      assert.equal(last.headers.get('ratelimit-reset'), String(wait));
      assert.equal((await free()).status, 200);
      assert.equal((await call(service.url, client, '/v1/admin/ListRateLimits', { organization_id })).status, 200);
      const bad = await call(service.url, client, '/v1/p/ListWallets', { page_size: 0 });
      assert.deepEqual([bad.status, bad.headers.get('ratelimit-limit')], [400, '100']);
      await admin.setRateLimit({ organization_id, chain, ...plenty, per_month_limit: 1000 });
      await eventually(async () => assert.equal((await limited()).status, 200, 'the old limit still holds'));
    });

    it('sets rate limits and issues credentials from the command line too', async () => {
      const { organization_id, domain } = await newOrganization();
      const set = ['ratelimit', 'set', '--organization', domain, '--chain', 'C', '--per-second', '7'];
      assert.deepEqual(await jsonOf(service.home, set), {});
      const { data } = await jsonOf(service.home, ['ratelimit', 'list', '--organization', organization_id]);
      assert.deepEqual(data[0].ratelimit_info, { ...defaults, chain: 'C', per_second_limit: 7 });
      const first = await jsonOf(service.home, ['credential', 'issue', '--organization', domain, '--role', 'admin']);
      const next = await jsonOf(service.home, ['credential', 'issue', '--organization', domain, '--rotate']);
      assert.deepEqual(next.still_valid, [first.api_key]);
      const { credentials } = await jsonOf(service.home, ['credential', 'list', '--organization', domain]);
      assert.deepEqual(
        credentials.map(({ role }: { role: string }) => role),
        ['admin', 'admin'],
      );
      for (const { api_key, api_secret } of [first, next])
        await clientOf(service, { key: api_key, secret: api_secret }).c.listWallets({});
      assert.deepEqual(await jsonOf(service.home, ['ratelimit', 'delete', '--organization', domain]), {});
      for (const invalidOption of [
        ['--per-second', 'x'],
        ['--chain', 'X'],
      ])
        assert.equal(
          (await runCommand(service.home, ['ratelimit', 'set', '--organization', domain, ...invalidOption])).code,
          2,
        );
      const none = await runCommand(service.home, ['ratelimit', 'list', '--organization', 'nobody', '--json']);
      assert.deepEqual([none.code, JSON.parse(none.stdout).code], [1, 'NOT_FOUND']);
    });

    it('keeps rate limits through a restart', async () => {
      const { organization_id } = await newOrganization();
      await admin.setRateLimit({ organization_id, ...figures });
      await service.kill();
      service = await startService({ on: service.home });
      admin = clientOf(service).admin;
      const { ratelimit_info } = await admin.getRateLimit({ organization_id });
      assert.deepEqual(ratelimit_info, { chain: '', ...figures });
      assert.ok(demoOf(service.home).key);
    });
  });
