import { didYouMean } from '../../domain/nearest-name.js';
import { type Variant, variants } from '../../domain/variant.js';
import * as sessions from './access/sessions.js';
import * as addresses from './addresses.js';
import * as administration from './administration.js';
import * as assets from './assets.js';
import { type AnyOperation, exampleFor, schemaFor } from './define.js';
import * as gatewayTokens from './gateway/tokens.js';
import * as accessLog from './history/access-log.js';
import * as audit from './history/audit.js';
import * as differences from './history/differences.js';
import * as exports from './history/exports.js';
import * as imports from './history/imports.js';
import * as reconciliation from './history/reconciliation.js';
import * as statements from './history/statements.js';
import * as verification from './history/verification.js';
import * as queries from './queries.js';
import * as transactions from './transactions.js';
import * as wallets from './wallets.js';
import * as deliveries from './webhooks/deliveries.js';
import { listNotifications } from './webhooks/notifications.js';
import * as webhooks from './webhooks.js';

const catalogue: readonly AnyOperation[] = [
  ...Object.values(administration),
  ...Object.values(gatewayTokens),
  ...Object.values(sessions),
  ...Object.values(audit),
  ...Object.values(verification),
  ...Object.values(exports),
  ...Object.values(differences),
  ...Object.values(accessLog),
  ...Object.values(wallets),
  ...Object.values(addresses),
  ...Object.values(assets),
  ...Object.values(statements),
  ...Object.values(reconciliation),
  ...Object.values(imports),
  ...Object.values(webhooks),
  ...Object.values(deliveries),
  listNotifications,
  ...Object.values(queries),
  ...Object.values(transactions),
];

export type Endpoint = {
  readonly operation: AnyOperation;
  readonly variant: Variant;
  readonly path: string;
  readonly isExtension: boolean;
  readonly request: object;
  readonly response: object;
  readonly example: object;
};

const isExtension = ({ extension }: AnyOperation, variant: Variant) =>
  typeof extension === 'function' ? extension(variant) : extension === true;

/** Every operation of every API. Router, validation, OpenAPI, docs page and command line use this list. */
export const endpoints: readonly Endpoint[] = catalogue.flatMap((operation) =>
  variants
    .filter((v) => v.surface === operation.surface && (!operation.needs || v.can.includes(operation.needs)))
    .map((variant) => ({
      operation,
      variant,
      path: `/v1/${variant.segment}/${operation.name}`,
      isExtension: isExtension(operation, variant),
      request: schemaFor(operation.request, variant, operation.atLeastOne),
      response: schemaFor(operation.response, variant),
      example: exampleFor(operation.request, variant, operation.example(variant)),
    })),
);

/** Explains why a path names no operation, without repeating the path, which may contain a secret by mistake. */
export const explainUnknown = (path: string, listed: string): string => {
  const [, , segment = '', ...rest] = path.split('/');
  const name = rest.join('/');
  const apis = variants.map((variant) => variant.segment);
  if (!apis.some((api) => api === segment)) return `Unknown API. APIs: ${apis.join(', ')}`;
  const elsewhere = endpoints.filter(({ operation }) => operation.name === name).map(({ variant }) => variant.segment);
  if (elsewhere.length > 0) return `API ${segment} has no operation ${name}. It exists in: ${elsewhere.join(', ')}`;
  const names = endpoints.filter(({ variant }) => variant.segment === segment).map(({ operation }) => operation.name);
  return `Unknown operation for API ${segment}${didYouMean(name, names) || `. ${listed}.`}`;
};
