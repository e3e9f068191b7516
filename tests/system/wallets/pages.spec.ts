import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { problems, slugOf } from '../../../interfaces/http/problems.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { engines } from '../../support/engines/engines.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

type Document = { paths: Record<string, { post?: { requestBody: object; responses: Record<string, object> } }> };

for (const engine of engines)
  describe(`the HTTP server on ${engine.name}`, () => {
    let service: Service;
    before(async () => {
      service = await startService({ on: engine });
    });
    after(() => service.stop());
    const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, service.url), { headers });

    it('serves a valid OpenAPI 3.1 document with every endpoint of the table', async () => {
      const document = (await (await get('/openapi.json')).json()) as Document;
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors));
      const posted = Object.entries(document.paths).flatMap(([path, { post }]) => (post ? [path] : []));
      assert.deepEqual(new Set(posted), new Set(endpoints.map(({ path }) => path)));
    });

    it('leads from /docs to the page of the API', async () => {
      const response = await get('/docs');
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /text\/html/);
      assert.equal(new URL(response.url).pathname, '/console/api');
    });

    it('explains every problem at the URL that error responses name', async () => {
      for (const code of Object.keys(problems) as (keyof typeof problems)[]) {
        const explained = (await (await get(`/problems/${slugOf(code)}`)).json()) as { code: string; meaning: string };
        assert.equal(explained.code, code);
        assert.ok(explained.meaning);
      }
      const unknown = await get('/problems/nothing');
      assert.equal(unknown.status, 404);
      assert.equal(unknown.headers.get('content-type'), 'application/problem+json');
    });

    it('reports that it is live and ready', async () => {
      assert.equal((await get('/health/live')).status, 200);
      const ready = await get('/health/ready');
      assert.equal(ready.status, 200);
      const { chains, ...rest } = (await ready.json()) as { chains: unknown };
      assert.deepEqual(rest, { status: 'ready', reasons: [] });
      assert.ok(Array.isArray(chains));
    });

    it('serves metrics of operations and projections to its own machine', async () => {
      await clientOf(service).c.registerWallet({ name: 'counted' });
      const text = await (await get('/metrics')).text();
      assert.match(text, /chainfold_operation_seconds_count\{api="c",operation="RegisterWallet",status="200"\} 1\n/);
      assert.match(text, /chainfold_projection_lag_events\{projection="wallets"\} 0\n/);
      assert.match(text, /chainfold_projection_lag_seconds\{projection="addresses"\} 0\n/);
      assert.match(text, /process_resident_memory_bytes/);
    });

    it('hides metrics from requests that a proxy forwards', async () =>
      assert.equal((await get('/metrics', { 'x-forwarded-for': '203.0.113.9' })).status, 403));
  });
