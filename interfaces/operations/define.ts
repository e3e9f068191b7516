import type { App } from '../../application/app.js';
import type { Context, Done } from '../../application/commands/handle.js';
import type { Records } from '../../application/wallet-apis.js';
import type { Role } from '../../domain/credential.js';
import type { Capability, Variant } from '../../domain/variant.js';
import type { Schema, TypeOf } from './schema.js';

type PerVariant<T> = T | ((variant: Variant) => T);
/** `needs` hides a field (or a whole operation) in variants that lack the capability. */
type Field = {
  readonly schema: PerVariant<Schema<unknown>>;
  readonly required?: true;
  /** Where it is required in some variants only. */
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

/** Who calls, and what they may do. */
export type Caller = Context & { readonly role: Role };

type Surface = Variant['surface'];
type Handle<A, Q, R> = (app: A, request: Q, by: Caller) => Promise<R>;
/**
 * A command changes something: its answer waits until the read models show it. A query only looks; those of the wallet
 * APIs look at records alone, which can be had as of a moment.
 */
type Handler<Q, R> =
  // `surface`, with the variant, fixes path, auth and the rate limit charged
  | { readonly kind: 'command'; readonly surface: Surface; readonly handle: Handle<App, Q, Done<R>> }
  | { readonly kind: 'query'; readonly surface: 'wallet'; readonly handle: Handle<Records, Q, R> }
  | { readonly kind: 'query'; readonly surface: Exclude<Surface, 'wallet'>; readonly handle: Handle<App, Q, R> };

type Definition<Q extends Fields, R extends Fields> = {
  readonly name: string;
  readonly summary: string;
  readonly needs?: Capability;
  /** Only for callers of this role. */
  readonly role?: 'admin';
  /** Beyond the first version; marked wherever operations are described (docs/specification.md#51-calling-an-operation). */
  readonly extension?: true;
  /** The answer holds a secret. */
  readonly confidential?: true;
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
// biome-ignore lint/suspicious/noExplicitAny: for code that handles operations whatever their requests look like
type AnyHandler = Handler<any, object>;
export type AnyOperation = Definition<Fields, Fields> &
  AnyHandler & { readonly example: (variant: Variant) => object; readonly answerExample?: object };

export const operation = <const Q extends Fields, const R extends Fields>(definition: Operation<Q, R>) => definition;

const has = (variant: Variant, { needs }: Field) => !needs || variant.can.includes(needs);

/** The concrete JSON Schema of one variant: what Ajv compiles, OpenAPI prints and the docs show. */
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
