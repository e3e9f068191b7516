import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { endpoints } from '../../../interfaces/operations/index.js';
import { engines } from '../../support/engines/engines.js';
import type { Client } from '../../support/service/client.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

type Schema = { properties: Record<string, { type?: string }> };
const hasList = (schema: object) => Object.values((schema as Schema).properties).some(({ type }) => type === 'array');

describe('the table of costs in docs/api.md', () => {
  const page = readFileSync('docs/api.md', 'utf8');
  const table = page.slice(page.indexOf('### Costs'), page.indexOf('## Quotas'));

  it('names every operation that reports what it touches, or has a list in its request', () => {
    const counted = endpoints.filter(({ operation, request }) => operation.touches || hasList(request));
    assert.ok(counted.length > 10);
    for (const { operation, path } of counted) assert.match(table, new RegExp(`\\b${operation.name}\\b`), path);
  });
});

for (const engine of engines)
  describe(`costs on ${engine.name}`, () => {
    let service: Service;
    let client: Client;
    let credentials: { key: string; secret: string };
    let wallet_id: string;
    // Chooses fewer addresses on the engines' doubles, which store one event after the other and may run on a busy
    // machine.
    const hundreds = engine.isEmbedded ? 10 : 3;
    /**
     * Cost of a response with the whole wallet: one unit per started hundred of its `100 * hundreds + 101` addresses.
     */
    const wholeWallet = hundreds + 2;
    const ask = async (path: string, request: object, headers: Record<string, string> = {}) => {
      const answer = await call(service.url, credentials, path, request, headers);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const [cost, remaining] = ['ratelimit-cost', 'ratelimit-remaining'].map((name) =>
        Number(answer.headers.get(name)),
      );
      return { cost, remaining };
    };
    const addresses = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => `0x${(from + n).toString(16).padStart(40, '0')}`);
    before(async () => {
      service = await startService({ on: engine });
      const { organizationId, ...issued } = await newOrganization(service.home, 'costs');
      credentials = issued;
      client = clientOf(service, credentials);
      // The month is the window closest to its limit, so that the remaining limit in the headers shows every charge.
      await clientOf(service).admin.setRateLimit({
        organization_id: organizationId,
        per_second_limit: 1e9,
        per_hour_limit: 1e9,
        per_day_limit: 1e9,
        per_month_limit: 200,
      });
      wallet_id = (await client.c.registerWallet({ name: 'many' })).wallet_id;
    });
    after(() => service.stop());

    it('are one for a call, and one more for each further hundred addresses of a batch', async () => {
      const first = await ask('/v1/c/RegisterAddress', { wallet_id, address: addresses(1, 1)[0] });
      assert.equal(first.cost, 1);
      const hundred = await ask('/v1/c/BatchRegisterAddresses', { wallet_id, addresses: addresses(2, 100) });
      assert.deepEqual(hundred, { cost: 1, remaining: Number(first.remaining) - 1 });
      const many = await ask('/v1/c/BatchRegisterAddresses', { wallet_id, addresses: addresses(102, 100 * hundreds) });
      assert.deepEqual(many, { cost: hundreds, remaining: Number(first.remaining) - 1 - hundreds });
    });

    it('are charged for the actual number of addresses in a wallet, and for folded events', async () => {
      const before = await ask('/v1/c/ListWebhooks', {});
      await ask('/v1/c/GetWallet', { wallet_id });
      const after = await ask('/v1/c/ListWebhooks', {});
      assert.equal(Number(before.remaining) - Number(after.remaining), wholeWallet + 1);
      const { headers } = await call(service.url, credentials, '/v1/c/ListWebhooks', {});
      const then = { 'x-as-of': headers.get('x-position') ?? '' };
      const past = await ask('/v1/c/ListWebhooks', {}, then);
      assert.ok(Number(past.cost) > hundreds, `${past.cost}`);
      const again = await ask('/v1/c/ListWebhooks', {}, then);
      assert.equal(again.cost, 1);
    });

    it('may exceed a limit by one call, after which the next is rejected', async () => {
      let [admitted, answer] = [0, await call(service.url, credentials, '/v1/c/GetWallet', { wallet_id })];
      for (; answer.status === 200; admitted++)
        answer = await call(service.url, credentials, '/v1/c/GetWallet', { wallet_id });
      assert.equal(answer.status, 429);
      assert.equal(answer.headers.get('ratelimit-cost'), null);
      assert.ok(admitted <= 200 / wholeWallet, `${admitted}`);
    });

    it('are charged to separate limits on the admin API: those of a chain for clients, higher ones for admins', async () => {
      const limitAndCost = async (by: { key: string; secret: string }) => {
        const { headers } = await call(service.url, by, '/v1/admin/ListEvents', {});
        return [headers.get('ratelimit-limit'), headers.get('ratelimit-cost')];
      };
      assert.deepEqual(await limitAndCost(credentials), ['100', '1']);
      assert.deepEqual(await limitAndCost(demoOf(service.home)), ['1000', '1']);
    });
  });
