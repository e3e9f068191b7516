import type { Variant } from '../../../domain/variant.js';
import { transferRecord } from '../asset-records.js';
import type { Endpoint } from '../index.js';
import { exampleTime, exampleValues } from './values.js';

/** Part of JSON Schema that response schemas use. */
type Shown = {
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Shown;
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly required?: readonly string[];
};
/** Returns the example value of a field of the object or list `parent`; undefined if there is none. */
type Find = (parent: string, field: string) => unknown;

const recordExample = (record: object, name: string, find: Find): object => {
  const { properties = {}, required = [] } = record as Shown;
  const members = Object.entries(properties).map(([field, schema]) => {
    const known = schema.const ?? find(name, field);
    return [field, known === undefined && required.includes(field) ? derived(schema, field, find) : known] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
};

const derived = (schema: Shown, name: string, find: Find): unknown => {
  if (schema.properties) return recordExample(schema, name, find);
  if (schema.items?.properties) return [recordExample(schema.items, name, find)];
  return schema.format === 'date-time' ? exampleTime : schema.enum?.[0];
};

const finderIn =
  (values: Readonly<Record<string, unknown>>, operation: string): Find =>
  (parent, field) =>
    values[`${operation}.${field}`] ?? values[`${parent}.${field}`] ?? values[field];

/**
 * Returns the example of the `data` of a notification. The example cannot be derived from the schema of `data`, which
 * allows any object.
 */
const notificationData = (variant: Variant, values: Readonly<Record<string, unknown>>) => ({
  wallet_id: values.wallet_id,
  address: values.address,
  confirmations: variant.depth,
  state: values.transfer_state,
  transfer: recordExample(transferRecord(variant), 'transfers', finderIn(values, '')),
});

/**
 * Returns the example answer of an operation: its own, or one derived from its response schema. Leaves out fields
 * without an example value. If such a field is required, the example does not match the schema, and a test fails.
 */
export const answerExampleOf = ({ operation, variant, response }: Endpoint): object => {
  if (operation.answerExample) return operation.answerExample;
  const values = exampleValues(variant);
  const data = notificationData(variant, values);
  return recordExample(
    response,
    '',
    finderIn({ ...values, 'webhook_histories.data': data, 'notifications.data': data }, operation.name),
  );
};

/** Returns the example of a notification with a body of the given schema. */
export const notificationExampleOf = (variant: Variant, schema: object): object => {
  const values = exampleValues(variant);
  const { transfer, confirmations } = notificationData(variant, values);
  const { properties } = (schema as { properties: { data?: Shown } }).properties.data ?? {};
  const state = properties?.transaction ? values.transaction_state : values.transfer_state;
  const count = values['seal.count'];
  return recordExample(schema, '', finderIn({ ...values, transfer, confirmations, state, count }, ''));
};
