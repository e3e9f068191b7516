import assert from 'node:assert/strict';
import { type Variant, variants } from '../../domain/variant.js';
import { addressCodecs } from '../../infrastructure/chains/address-codecs.js';
import { openApi } from '../../interfaces/contract/openapi.js';
import { createAjv } from '../../interfaces/http/validation.js';
import type { Shape } from '../../interfaces/operations/define.js';
import { answerExampleOf } from '../../interfaces/operations/examples/answers.js';
import { chainExamples } from '../../interfaces/operations/examples/chains.js';
import { endpoints } from '../../interfaces/operations/index.js';
import type { registerWallet } from '../../interfaces/operations/wallets.js';

// The type of a request is derived from the table; the compiler checks that here.
const complete: Shape<typeof registerWallet.request> = { name: 'x', confirmation: 3 };
// @ts-expect-error name is required
const incomplete: Shape<typeof registerWallet.request> = { confirmation: 3 };
void complete;
void incomplete;

const ofWebhooks =
  'ListWebhookHeaders ListWebhookHistories RegisterWebhook RegisterWebhookHeader RemoveWebhook RemoveWebhookHeader';
const addedToWebhooks =
  'GetWebhook ListWebhookAttempts ListWebhooks ResendWebhook ResendWebhooks RotateWebhookSecret SendTestWebhook UpdateWebhook';
const ofWallets =
  'BatchRegisterAddresses BatchRemoveAddresses RegisterAddress RemoveAddress GetWallet ListWallets RegisterWallet ' +
  `ListAssets RefreshAssetBalances ListTransfers ${ofWebhooks}`;
const ofTransactions =
  'CreateTransaction CreateTokenTransaction GetTransaction GetTransactionMessageToSign ListTransactions ' +
  'SendTransaction SubmitTransactionSignature CancelTransaction';

/** Operations of the first version, without later extensions (docs/specification.md#5-operations). */
const specified: Readonly<Record<Variant['segment'], readonly string[]>> = {
  t: [...ofWallets.split(' '), 'ImportAsset', 'GetAddress'],
  s: [...ofWallets.split(' '), 'ImportAsset', 'GetAddress', 'UpdateConfirmation'],
  p: [...ofWallets.split(' '), 'ImportAsset'],
  c: [
    ...ofWallets.split(' '),
    ...ofTransactions.split(' '),
    'UpdateConfirmation',
    'ListContracts',
    'RegisterContract',
    'RemoveContract',
  ],
  q: [
    'GetBlock',
    'GetPendingTransaction',
    'GetTransaction',
    'GetTransactionReceipt',
    'ListInternalTransactions',
    'ListLogs',
    'ListPendingTransactions',
    'ListTransactions',
  ],
  admin: ['DeleteCredential', 'DeleteRateLimit', 'GetOrganizationByDomain', 'GetRateLimit', 'ListRateLimits'],
};

describe('the table of operations', () => {
  it('names each endpoint once', () => {
    const paths = endpoints.map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length);
    const counts = Object.fromEntries(variants.map(({ segment }) => [segment, 0]));
    for (const { variant } of endpoints) counts[variant.segment] = (counts[variant.segment] ?? 0) + 1;
    assert.deepEqual(counts, { t: 36, s: 37, p: 32, c: 45, q: 8, admin: 25 });
  });

  it('has the operations of the first version, and marks all others as extensions', () => {
    for (const { path, variant, operation, isExtension } of endpoints)
      assert.equal(specified[variant.segment].includes(operation.name), !isExtension, path);
  });

  it('has the webhook operations in every wallet API, with marks on the extensions', () => {
    for (const { segment, surface } of variants) {
      const found = endpoints.filter(
        ({ variant, operation }) => variant.segment === segment && operation.name.includes('Webhook'),
      );
      const named = (extension: boolean) =>
        found
          .filter(({ isExtension }) => isExtension === extension)
          .map(({ operation }) => operation.name)
          .toSorted((a, b) => a.localeCompare(b));
      const isWallet = surface === 'wallet';
      assert.deepEqual(named(false), isWallet ? ofWebhooks.split(' ') : [], segment);
      assert.deepEqual(named(true), isWallet ? addedToWebhooks.split(' ') : [], segment);
    }
  });

  for (const { path, request, response, example, operation } of endpoints)
    it(`makes ${path} accept its example and reject an unknown field`, () => {
      const validate = createAjv().compile(request);
      assert.ok(validate(structuredClone(example)), JSON.stringify(validate.errors));
      assert.ok(!validate({ ...example, unknown: 1 }));
      assert.ok(!validate([]));
      createAjv().compile(response);
      const { properties } = request as { properties: Readonly<Record<string, object>> };
      for (const [name, field] of Object.entries(operation.request))
        if (field.required && name in example && !('default' in (properties[name] ?? {})))
          assert.ok(!validate(Object.fromEntries(Object.entries(example).filter(([one]) => one !== name))), name);
    });

  for (const endpoint of endpoints)
    it(`shows an answer of ${endpoint.path} that matches its schema`, () => {
      const validate = createAjv().compile(endpoint.response);
      assert.ok(validate(structuredClone(answerExampleOf(endpoint))), JSON.stringify(validate.errors));
    });

  it('shows the addresses of its examples in their stored form', () => {
    for (const { family, addressExample, tokenExample } of variants) {
      const { address, token } = chainExamples[family];
      const { parse, asset } = addressCodecs[family];
      assert.equal(parse(addressExample), address);
      if (tokenExample !== undefined) assert.deepEqual(asset(tokenExample), { standard: 'token', contract: token });
    }
  });

  it('shows its examples in the OpenAPI document', () => {
    const { paths } = openApi('1.0.0');
    for (const endpoint of endpoints) {
      const { path, example } = endpoint;
      const { requestBody, responses } = paths[path]?.post ?? assert.fail(path);
      assert.deepEqual(requestBody.content['application/json'].example, example, path);
      const [content] = Object.values<{ readonly example: object }>(responses[200].content);
      assert.deepEqual(content?.example, answerExampleOf(endpoint), path);
    }
  });

  it('fills in defaults only where the variant has the field', () => {
    for (const { path, request, variant } of endpoints.filter(({ operation }) => operation.name === 'RegisterWallet')) {
      const body: Record<string, unknown> = { name: 'main' };
      assert.ok(createAjv().compile(request)(body), path);
      assert.equal(body.confirmation, variant.can.includes('confirmation') ? 10 : undefined);
      assert.equal(body.import_asset, variant.can.includes('import-asset') ? false : undefined);
    }
  });
});
