import type { App } from '../../application/app.js';
import type { Context, Done } from '../../application/commands/handle.js';
import type { Listed } from '../../application/read-models/paging.js';
import type { WalletApis } from '../../application/wallet-apis.js';
import type { Role } from '../../domain/aggregates/credential.js';
import type { Capability, Variant } from '../../domain/variant.js';
import type { Schema, TypeOf } from './schema.js';

type PerVariant<T> = T | ((variant: Variant) => T);
/** `needs` hides a field (or a whole operation) in variants that lack the capability. */
type Field = {
  readonly schema: PerVariant<Schema<unknown>>;
  readonly required?: true;
  /** Tells the variants that require the field, when not all do. */
  readonly requiredIn?: (variant: Variant) => boolean;
  readonly needs?: Capability;
};
export type Fields = Readonly<Record<string, Field>>;
type ValueOf<F extends Field> = TypeOf<F['schema'] extends (variant: Variant) => infer S ? S : F['schema']>;

type Sure<F extends Fields> = {
  [K in keyof F]: F[K] extends { needs: Capability } ? never : F[K] extends { required: true } ? K : never;
}[keyof F];
export type Shape<F extends Fields> = { [K in Sure<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, Sure<F>>]?: ValueOf<F[K]> | undefined;
};

export type Caller = Context & { readonly role: Role };

/** Answer of which every list may still have to be read. */
type Unread<T> = T extends readonly (infer Item)[]
  ? Listed<Unread<Item>>
  : T extends object
    ? { readonly [K in keyof T]: Unread<T[K]> }
    : T;

type Surface = Variant['surface'];
type Handle<A, Q, R> = (app: A, request: Q, by: Caller) => Promise<R>;
/**
 * A command changes something: its answer waits until the read models show it. A query only looks; those of the wallet
 * APIs look at records alone, which can be had as of a moment.
 */
type Handler<Q, R> =
  // `surface` and the variant together decide path, authentication and the rate limit that is charged.
  | { readonly kind: 'command'; readonly surface: Surface; readonly handle: Handle<App, Q, Done<R>> }
  | {
      readonly kind: 'query';
      readonly surface: 'wallet';
      readonly isLarge?: never;
      readonly handle: Handle<WalletApis, Q, R>;
    }
  // `isLarge`: lists of the answer may be read while it is written
  | {
      readonly kind: 'query';
      readonly surface: 'wallet';
      readonly isLarge: true;
      readonly handle: Handle<WalletApis, Q, Unread<R>>;
    }
  | { readonly kind: 'query'; readonly surface: Exclude<Surface, 'wallet'>; readonly handle: Handle<App, Q, R> };

type Definition<Q extends Fields, R extends Fields> = {
  readonly name: string;
  readonly summary: string;
  readonly needs?: Capability;
  /** Role that a caller needs; any role will do when absent. */
  readonly role?: 'admin';
  /**
   * Marks an addition to the first version, or tells the variants where it is one; shown as `x-extension`
   * (docs/specification.md#51-calling-an-operation).
   */
  readonly extension?: true | ((variant: Variant) => boolean);
  /** Marks an answer that holds a secret, so that it is never stored for retries. */
  readonly confidential?: true;
  /** Things that the use case reports and a call is charged for, besides the items of lists in request and answer. */
  readonly touches?: 'addresses';
  readonly request: Q;
  readonly atLeastOne?: readonly (keyof Q & string)[];
  readonly response: R;
};

export type Operation<Q extends Fields, R extends Fields> = Definition<Q, R> &
  Handler<Shape<Q>, Shape<R>> & {
    /** A request as a reader of the documentation would send it; fields that the variant lacks are left out. */
    readonly example: (variant: Variant) => Partial<Shape<Q>>;
    readonly answerExample?: Shape<R>;
  };
// biome-ignore lint/suspicious/noExplicitAny: stands for every request type where operations are handled alike
type AnyHandler = Handler<any, object>;
export type AnyOperation = Definition<Fields, Fields> &
  AnyHandler & { readonly example: (variant: Variant) => object; readonly answerExample?: object };

export const operation = <const Q extends Fields, const R extends Fields>(definition: Operation<Q, R>) => definition;

const has = (variant: Variant, { needs }: Field) => !needs || variant.can.includes(needs);

/** Builds the JSON Schema of the fields that one variant has; Ajv, OpenAPI and the docs page use it. */
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
