import type { App } from '../../application/app.js';
import type { Context, Done } from '../../application/commands/handle.js';
import type { WalletApis } from '../../application/composition/wallet-apis.js';
import type { Listed } from '../../application/read-models/paging.js';
import type { Role } from '../../domain/aggregates/credential.js';
import type { Capability, Variant } from '../../domain/variant.js';
import type { Schema, TypeOf } from './schema.js';

type PerVariant<T> = T | ((variant: Variant) => T);
/** Field of a request or a response. A field with `needs` exists only in variants that have this capability. */
type Field = {
  readonly schema: PerVariant<Schema<unknown>>;
  readonly required?: true;
  /** Returns true for variants that require the field. Used for fields that only some variants require. */
  readonly requiredIn?: (variant: Variant) => boolean;
  readonly needs?: Capability;
};
export type Fields = Readonly<Record<string, Field>>;
type ValueOf<F extends Field> = TypeOf<F['schema'] extends (variant: Variant) => infer S ? S : F['schema']>;

type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends { needs: Capability } ? never : F[K] extends { required: true } ? K : never;
}[keyof F];
export type Shape<F extends Fields> = { [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> | undefined;
};

/** Cookie that holds the session of a browser. */
export type SessionCookie = {
  /** Session token in the request; undefined if there is none. */
  readonly sent: string | undefined;
  /** Returns the reason why the connection is not safe for a cookie; null if the connection is safe. */
  readonly refusal: () => string | null;
  /** Sets the session cookie with the response, or removes the cookie if `token` is null. */
  set(token: string | null): void;
};

/** Caller of an operation. `cookie` is present only for HTTP requests of operations that open or end a session. */
export type Caller = Context & { readonly role: Role; readonly cookie?: SessionCookie };

/** Answer in which any list may be an async iterable that reads its items from the stores when it is iterated. */
type Unread<T> = T extends readonly (infer Item)[]
  ? Listed<Unread<Item>>
  : T extends object
    ? { readonly [K in keyof T]: Unread<T[K]> }
    : T;

type Surface = Variant['surface'];
type Handle<A, Q, R> = (app: A, request: Q, by: Caller) => Promise<R>;
/**
 * Handler of an operation. A command changes state, and its response waits until the read models include the change. A
 * query only reads. Queries of the wallet APIs read nothing but read models, which are also available as of a moment.
 */
type Handler<Q, R> =
  // `surface` and the variant together determine path, authentication and the charged rate limit.
  | { readonly kind: 'command'; readonly surface: Surface; readonly handle: Handle<App, Q, Done<R>> }
  | {
      readonly kind: 'query';
      readonly surface: 'wallet';
      readonly isLarge?: never;
      readonly handle: Handle<WalletApis, Q, R>;
    }
  // `isLarge`: the handler may return lists that are read from the store only while the response is written.
  | {
      readonly kind: 'query';
      readonly surface: 'wallet';
      readonly isLarge: true;
      readonly handle: Handle<WalletApis, Q, Unread<R>>;
    }
  | {
      readonly kind: 'query';
      readonly surface: Exclude<Surface, 'wallet'>;
      readonly answers?: never;
      readonly handle: Handle<App, Q, R>;
    }
  // `answers`: the response is a stream of lines instead of one JSON object; `response` describes its first line.
  | {
      readonly kind: 'query';
      readonly surface: 'admin';
      readonly answers: 'ndjson';
      readonly handle: Handle<App, Q, AsyncIterable<string>>;
    };

type Definition<Q extends Fields, R extends Fields> = {
  readonly name: string;
  readonly summary: string;
  readonly needs?: Capability;
  /** Required role of the caller; absent if any role may call. */
  readonly role?: 'admin';
  /**
   * Marks an operation added after the first version, or returns true for the variants in which it was added. Shown as
   * `x-extension` (docs/specification.md#51-calling-an-operation).
   */
  readonly extension?: true | ((variant: Variant) => boolean);
  /**
   * Marks an answer that contains a secret. The answer is never stored for retries, and auditors may not call the
   * operation.
   */
  readonly confidential?: true;
  /**
   * Marks the commands that open and end a session of a browser. Auditors may call these commands, because the commands
   * change nothing but the session. The command that ends a session needs no signature: the cookie of the session is
   * enough.
   */
  readonly session?: 'opens' | 'ends';
  /**
   * Marks a query that may wait for new data. The throttle of large work does not count it, because a query that waits
   * does no work.
   */
  readonly waits?: true;
  /**
   * Kind of the items that the use case counts while it runs. These items are charged in addition to the list items in
   * the request and the answer.
   */
  readonly touches?: 'addresses' | 'balances' | 'blocks' | 'transfers' | 'notifications' | 'events';
  readonly request: Q;
  readonly atLeastOne?: readonly (keyof Q & string)[];
  readonly response: R;
};

export type Operation<Q extends Fields, R extends Fields> = Definition<Q, R> &
  Handler<Shape<Q>, Shape<R>> & {
    /** Example request for the documentation. Fields that the variant does not have are removed. */
    readonly example: (variant: Variant) => Partial<Shape<Q>>;
    /** Example answer for the documentation, if it is not derived from the response schema. */
    readonly answerExample?: Shape<R>;
  };
// biome-ignore lint/suspicious/noExplicitAny: stands for every request type where operations are handled alike
type AnyHandler = Handler<any, object>;
export type AnyOperation = Definition<Fields, Fields> &
  AnyHandler & { readonly example: (variant: Variant) => object; readonly answerExample?: object };

export const operation = <const Q extends Fields, const R extends Fields>(definition: Operation<Q, R>) => definition;

/** Defines an operation whose response is a stream of lines. */
export const lineOperation = <const Q extends Fields, const R extends Fields>(
  definition: Operation<Q, R> & { readonly answers: 'ndjson' },
) => definition;

const has = (variant: Variant, { needs }: Field) => !needs || variant.can.includes(needs);

/** Builds the JSON Schema of the fields that a variant has. Validation, OpenAPI and the docs page use it. */
export const schemaFor = (fields: Fields, variant: Variant, atLeastOne: readonly string[] = []) => {
  const kept = Object.entries(fields).filter(([, field]) => has(variant, field));
  const anyOf = kept.filter(([name]) => atLeastOne.includes(name)).map(([name]) => ({ required: [name] }));
  return {
    type: 'object',
    properties: Object.fromEntries(
      kept.map(([name, { schema }]) => [name, typeof schema === 'function' ? schema(variant) : schema]),
    ),
    required: kept.filter(([, field]) => field.required || field.requiredIn?.(variant)).map(([name]) => name),
    additionalProperties: false,
    ...(anyOf.length > 0 && { anyOf }),
  };
};

export const exampleFor = (fields: Fields, variant: Variant, example: object) =>
  Object.fromEntries(
    Object.entries(example).filter(([name]) => {
      const field = fields[name];
      return field && has(variant, field);
    }),
  );
