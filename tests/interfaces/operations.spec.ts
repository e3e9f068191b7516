import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../interfaces/client.js';
import { createAjv } from '../../interfaces/http/validation.js';
import type { Shape } from '../../interfaces/operations/define.js';
import { endpoints } from '../../interfaces/operations/index.js';
import type { registerWallet } from '../../interfaces/operations/wallets.js';

// compile-time: the request type is derived, not written twice
const complete: Shape<typeof registerWallet.request> = { name: 'x', confirmation: 3 };
// @ts-expect-error name is required
const incomplete: Shape<typeof registerWallet.request> = { confirmation: 3 };
void complete;
void incomplete;

describe('operation table', () => {
  it('names each endpoint once', () => {
    const paths = endpoints.map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length);
    assert.equal(endpoints.filter(({ variant }) => variant.segment === 'admin').length, 9);
    assert.equal(endpoints.filter(({ variant }) => variant.segment === 't').length, 8);
    assert.equal(endpoints.filter(({ variant }) => variant.segment === 's').length, 9);
    assert.equal(endpoints.filter(({ variant }) => variant.segment === 'p').length, 7);
    assert.equal(endpoints.filter(({ variant }) => variant.segment === 'c').length, 8);
  });

  for (const { path, request, response, example, operation } of endpoints)
    it(`${path} accepts its example and nothing unknown`, () => {
      const validate = createAjv().compile(request);
      assert.ok(validate(structuredClone(example)), JSON.stringify(validate.errors));
      assert.ok(!validate({ ...example, unknown: 1 }));
      assert.ok(!validate([]));
      createAjv().compile(response);
      for (const [name, field] of Object.entries(operation.request))
        if (field.required && name in example && !('default' in (field.schema as object)))
          assert.ok(!validate(Object.fromEntries(Object.entries(example).filter(([one]) => one !== name))), name);
    });

  it('fills in defaults where the variant has the field', () => {
    for (const { path, request, variant } of endpoints.filter(({ operation }) => operation.name === 'RegisterWallet')) {
      const body: Record<string, unknown> = { name: 'main' };
      assert.ok(createAjv().compile(request)(body), path);
      assert.equal(body.confirmation, variant.can.includes('confirmation') ? 10 : undefined);
      assert.equal(body.import_asset, variant.can.includes('import-asset') ? false : undefined);
    }
  });
});

describe('typed client', () => {
  it('posts to the path of the operation, signed', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
      response.end('{"wallet_id":"w"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createClient({ url, key: 'k', secret: 's' });
    const { wallet_id } = await client.s.registerWallet({ name: 'a' });
    const text: string = wallet_id;
    assert.equal(text, 'w');
    // @ts-expect-error there is no such field
    await client.s.registerWallet({ nam: 'a' });
    assert.deepEqual(seen, Array(2).fill('POST /v1/s/RegisterWallet k'));
    server.closeAllConnections();
    server.close();
  });
});
