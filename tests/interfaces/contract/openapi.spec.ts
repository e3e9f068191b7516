import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApi } from '../../../interfaces/contract/openapi.js';
import { notifications } from '../../../interfaces/contract/webhooks.js';
import { createAjv } from '../../../interfaces/http/validation.js';
import { notificationExampleOf } from '../../../interfaces/operations/examples/answers.js';
import { endpoints } from '../../../interfaces/operations/index.js';

type Schema = {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly 'x-extensible-enum'?: readonly string[];
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
};
const document = JSON.parse(JSON.stringify(openApi('1.2.3'))) as {
  info: { version: string };
  paths: Record<string, { post: { description?: string; responses: Record<string, object>; requestBody: object } }>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema; example: object }> } } }>;
  components: Record<string, Record<string, Schema>> & { schemas: Record<string, Schema> };
};
const { schemas } = document.components;
const named = (name: string) => schemas[name] ?? assert.fail(`no component ${name}`);

/** Lists each part of a document that is an object. */
const partsOf = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(partsOf)] : [];
const references = new Set(
  partsOf(document).flatMap((part) => ('$ref' in part && typeof part.$ref === 'string' ? [part.$ref] : [])),
);

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
  });

  it('has the version that it is given', () => assert.equal(document.info.version, '1.2.3'));

  it('refers only to components that exist, and to every component', () => {
    const components = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`));
    assert.deepEqual(references, new Set(components));
  });

  it('names the request and the answer of every operation', () => {
    for (const { path, operation } of endpoints) {
      const { post } = document.paths[path] ?? assert.fail(path);
      const [request, answer] = [post.requestBody, post.responses[200]].map(
        (part) => Object.values((part as { content: Record<string, { schema: Schema }> }).content)[0]?.schema.$ref,
      );
      assert.match(request ?? '', new RegExp(`^#/components/schemas/(T|S|P|C|Q)?${operation.name}Request$`), path);
      assert.match(answer ?? '', new RegExp(`^#/components/schemas/(T|S|P|C|Q)?${operation.name}Answer$`), path);
    }
  });

  it('names every record', () => {
    const unnamed = Object.entries(schemas).flatMap(([name, schema]) =>
      (schema.anyOf ?? [schema]).flatMap(({ properties = {} }) =>
        Object.entries(properties).flatMap(([field, one]) =>
          (one.items ?? one).properties ? [`${name}.${field}`] : [],
        ),
      ),
    );
    assert.deepEqual(
      unnamed,
      [],
      "use named('Name', {…}) instead of record({…}) where interfaces/operations define these",
    );
  });

  it('describes every operation', () => {
    const undescribed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).every(({ description }) => description) ? [] : [path],
    );
    assert.deepEqual(undescribed, [], 'add these to interfaces/operations/texts/operations.ts');
  });

  it('describes every field', () => {
    const undescribed = Object.entries(schemas).flatMap(([name, schema]) =>
      (schema.anyOf ?? [schema]).flatMap(({ properties = {} }) =>
        Object.entries(properties).flatMap(([field, { description }]) => (description ? [] : [`${name}.${field}`])),
      ),
    );
    assert.deepEqual(
      [...new Set(undescribed)],
      [],
      'add fields of requests to interfaces/operations/field-texts.ts, of answers to texts/answers.ts beside it, and of records to the other tables in texts/',
    );
  });

  it('prefixes the name of a record with the API only where APIs differ', () => {
    assert.ok('Webhook' in schemas && !('CWebhook' in schemas));
    assert.ok('confirmation' in (named('CWallet').properties ?? {}));
    assert.ok('address_mapping' in (named('TWallet').properties ?? {}));
    assert.ok(!('Wallet' in schemas));
  });

  it('repeats the fields in each alternative of "at least one of"', () => {
    const { anyOf = [], ...others } = named('GetWalletRequest');
    assert.deepEqual(others, {});
    assert.deepEqual(
      anyOf.map(({ properties = {}, required }) => [Object.keys(properties), required]),
      [
        [['wallet_id', 'address'], ['wallet_id']],
        [['wallet_id', 'address'], ['address']],
      ],
    );
  });

  it('lists the values of enumerations, closed in requests and open in answers', () => {
    assert.deepEqual(named('SetGatewayKeysRequest').properties?.gateway_keys?.enum, ['api_key', 'tokens']);
    const open = (record: string, field: string) => named(record).properties?.[field]?.['x-extensible-enum'] ?? [];
    assert.ok(open('CTransfer', 'transfer_state').includes('TRANSFER_STATE_REMOVED'));
    assert.ok(open('ManagedTransaction', 'transaction_state').includes('TRANSACTION_STATE_CANCELING'));
    assert.ok(open('TTransfer', 'transfer_type').includes('TRANSFER_TYPE_OUTGOING'));
    assert.ok(open('WebhookHistory', 'webhook_status').includes('WEBHOOK_STATUS_RETRYING'));
    assert.ok(open('CAsset', 'asset_type').includes('ASSET_TYPE_ERC721'));
    assert.ok(open('Problem', 'code').includes('QUOTA_EXCEEDED'));
  });

  it('has the responses that any operation may have, and 403 where a credential may be refused', () => {
    const always = ['200', '400', '401', '404', '405', '409', '413', '415', '429', '500', '503'];
    for (const { path, operation, variant } of endpoints) {
      const statuses = Object.keys(document.paths[path]?.post.responses ?? {});
      assert.deepEqual(
        always.filter((status) => !statuses.includes(status)),
        [],
        path,
      );
      const { kind, role, confidential } = operation;
      assert.equal(statuses.includes('403'), kind === 'command' || role === 'admin' || confidential === true, path);
      assert.ok(variant.surface !== 'query' || statuses.includes('502'), path);
    }
  });
});

describe('the webhooks of the OpenAPI document', () => {
  it('are those of every wallet API', () => {
    const types = ['BalanceDrifted', 'Challenge', 'HistorySealed', 'Test', 'TransferUpdated'];
    const wanted = [
      'c.TransactionUpdated',
      ...['t', 's', 'p', 'c'].flatMap((api) => types.map((type) => `${api}.${type}`)),
    ];
    const found = Object.keys(document.webhooks);
    assert.deepEqual(
      wanted.filter((name) => !found.includes(name)),
      [],
    );
  });

  for (const { variant, notification } of notifications)
    it(`show a body of ${variant.segment}.${notification.name} that matches its schema`, () => {
      const validate = createAjv().compile(notification.schema);
      const example = notificationExampleOf(variant, notification.schema);
      assert.ok(validate(structuredClone(example)), JSON.stringify(validate.errors));
    });
});
