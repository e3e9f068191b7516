import { type Variant, variants } from '../../domain/variant.js';
import * as addresses from './addresses.js';
import * as administration from './administration.js';
import * as assets from './assets.js';
import * as audit from './audit.js';
import { type AnyOperation, exampleFor, schemaFor } from './define.js';
import * as queries from './queries.js';
import * as transactions from './transactions.js';
import * as wallets from './wallets.js';
import * as webhooks from './webhooks.js';

const catalogue: readonly AnyOperation[] = [
  ...Object.values(administration),
  ...Object.values(audit),
  ...Object.values(wallets),
  ...Object.values(addresses),
  ...Object.values(assets),
  ...Object.values(webhooks),
  ...Object.values(queries),
  ...Object.values(transactions),
];

export type Endpoint = {
  readonly operation: AnyOperation;
  readonly variant: Variant;
  readonly path: string;
  readonly request: object;
  readonly response: object;
  readonly example: object;
};

/** Operations × variants, flattened. Router, Ajv, OpenAPI, client and docs read this and nothing else. */
export const endpoints: readonly Endpoint[] = catalogue.flatMap((operation) =>
  variants
    .filter((v) => v.surface === operation.surface && (!operation.needs || v.can.includes(operation.needs)))
    .map((variant) => ({
      operation,
      variant,
      path: `/v1/${variant.segment}/${operation.name}`,
      request: schemaFor(operation.request, variant, operation.atLeastOne),
      response: schemaFor(operation.response, variant),
      example: exampleFor(operation.request, variant, operation.example(variant)),
    })),
);
