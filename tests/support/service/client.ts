import { type Variant, variants } from '../../../domain/variant.js';
import type * as sessions from '../../../interfaces/operations/access/sessions.js';
import type * as addresses from '../../../interfaces/operations/addresses.js';
import type * as administration from '../../../interfaces/operations/administration.js';
import type * as assets from '../../../interfaces/operations/assets.js';
import type { Fields, Operation, Shape } from '../../../interfaces/operations/define.js';
import type * as gatewayTokens from '../../../interfaces/operations/gateway/tokens.js';
import type * as accessLog from '../../../interfaces/operations/history/access-log.js';
import type * as audit from '../../../interfaces/operations/history/audit.js';
import type * as differences from '../../../interfaces/operations/history/differences.js';
import type * as exports from '../../../interfaces/operations/history/exports.js';
import type * as imports from '../../../interfaces/operations/history/imports.js';
import type * as reconciliation from '../../../interfaces/operations/history/reconciliation.js';
import type * as statements from '../../../interfaces/operations/history/statements.js';
import type * as verification from '../../../interfaces/operations/history/verification.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import type * as queries from '../../../interfaces/operations/queries.js';
import type * as transactions from '../../../interfaces/operations/transactions.js';
import type * as wallets from '../../../interfaces/operations/wallets.js';
import type * as deliveries from '../../../interfaces/operations/webhooks/deliveries.js';
import type * as notifications from '../../../interfaces/operations/webhooks/notifications.js';
import type * as webhooks from '../../../interfaces/operations/webhooks.js';
import { createClient as createSdkClient } from '../../../sdk/typescript/src/client.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';

/** Modules of the operation table, by surface. A new module in interfaces/operations must be added here. */
type Modules = {
  wallet: typeof wallets &
    typeof addresses &
    typeof assets &
    typeof statements &
    typeof reconciliation &
    typeof imports &
    typeof webhooks &
    typeof deliveries &
    Pick<typeof notifications, 'listNotifications'> &
    typeof transactions;
  admin: typeof administration &
    typeof gatewayTokens &
    typeof audit &
    typeof verification &
    typeof exports &
    typeof sessions &
    typeof differences &
    typeof accessLog;
  query: typeof queries;
};
type Operations<S extends Variant['segment']> = Modules[Extract<Variant, { segment: S }>['surface']];
type Send<Q extends Fields, A> = (request: Shape<Q>, headers?: Record<string, string>) => Promise<A>;
/**
 * Function that sends a request. An answer in lines (NDJSON) is returned as a stream of the response's bytes.
 */
type Call<O> = [O] extends [{ readonly answers: 'ndjson'; readonly request: infer Q extends Fields }]
  ? Send<Q, AsyncIterable<Uint8Array>>
  : O extends Operation<infer Q extends Fields, infer R extends Fields>
    ? Send<Q, Shape<R>>
    : never;
type Calls<O> = { readonly [K in keyof O]: Call<O[K]> };
/**
 * Client of the TypeScript SDK for tests that run on all APIs and choose headers freely. Its types are those of the
 * operation table, which are the same in every API, and its methods take headers in place of options.
 */
export type Client = { readonly [S in Variant['segment']]: Calls<Operations<S>> };

type Method = (request: object, options?: object) => unknown;
const camel = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
/** Names of all operations of a surface, because tests also call operations that an API of the surface lacks. */
const namesOf = (surface: Variant['surface']) =>
  new Set(endpoints.filter(({ variant }) => variant.surface === surface).map(({ operation }) => operation.name));

/** Creates a client that never retries, so that tests see the answer to each request. */
export const createClient = (target: Credentials & { readonly url: string }): Client => {
  const client = createSdkClient({ maxRetries: 0, ...target });
  const methodOf = (segment: Variant['segment'], name: string) => {
    const own = (client as unknown as Record<string, Record<string, Method> | undefined>)[segment]?.[camel(name)];
    const method: Method = own ?? ((request, options) => client.call(segment, name, request, options));
    return [camel(name), (request: object, headers = {}) => method(request, { headers })] as const;
  };
  return Object.fromEntries(
    variants.map(({ segment, surface }) => [
      segment,
      Object.fromEntries([...namesOf(surface)].map((name) => methodOf(segment, name))),
    ]),
  ) as unknown as Client;
};
