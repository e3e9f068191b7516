import { type Variant, variants } from '../domain/variant.js';
import { readExact } from './exact-json.js';
import type { Problem } from './http/problems.js';
import * as addresses from './operations/addresses.js';
import * as administration from './operations/administration.js';
import * as assets from './operations/assets.js';
import type { Fields, Operation, Shape } from './operations/define.js';
import * as gatewayTokens from './operations/gateway/tokens.js';
import * as audit from './operations/history/audit.js';
import * as verification from './operations/history/verification.js';
import * as queries from './operations/queries.js';
import * as transactions from './operations/transactions.js';
import * as wallets from './operations/wallets.js';
import * as deliveries from './operations/webhooks/deliveries.js';
import * as webhooks from './operations/webhooks.js';
import { type Credentials, signatureHeaders } from './signature.js';

const operations = {
  wallet: { ...wallets, ...addresses, ...assets, ...webhooks, ...deliveries, ...transactions },
  admin: { ...administration, ...gatewayTokens, ...audit, ...verification },
  query: queries,
};
type Operations<S extends Variant['segment']> = (typeof operations)[Extract<Variant, { segment: S }>['surface']];
type Call<O> =
  O extends Operation<infer Q extends Fields, infer R extends Fields>
    ? (request: Shape<Q>, headers?: Record<string, string>) => Promise<Shape<R>>
    : never;
type Calls<O> = { readonly [K in keyof O]: Call<O[K]> };
export type Client = { readonly [S in Variant['segment']]: Calls<Operations<S>> };

/** Thrown when the service rejects a call; `problem` is the response body. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** Response to a successful call. */
type Answered = { readonly body: object; readonly headers: Headers };

const send = async (
  { url, ...credentials }: Credentials & { url: string },
  path: string,
  request: object,
  headers: Record<string, string>,
): Promise<Answered> => {
  const body = JSON.stringify(request);
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...signatureHeaders(credentials, 'POST', path, body) },
    body,
  });
  const answer = readExact(await response.text()) as object;
  if (!response.ok) throw new ProblemError(answer as Problem);
  return { body: answer, headers: response.headers };
};

/** Signs and sends one call. Throws ProblemError if the service rejects it. */
export const callOperation = async (
  target: Credentials & { url: string },
  path: string,
  request: object,
  headers: Record<string, string> = {},
): Promise<object> => (await send(target, path, request, headers)).body;

/**
 * Remembers the position of the client's last write that the read models did not include yet. Queries send the position
 * as `x-min-position` until a response includes it, so that a client reads its own writes from any process.
 */
const createPendingPosition = () => {
  let owed = 0;
  return {
    header: (given: Record<string, string>) =>
      owed > 0 && !('x-as-of' in given) ? { 'x-min-position': String(owed) } : {},
    answered: (headers: Headers) => {
      const position = Number(headers.get('x-position') ?? 0);
      if (headers.get('x-consistency') === 'pending') owed = Math.max(owed, position);
      else if (position >= owed) owed = 0;
    },
  };
};

/** Creates a client with a typed method for each operation, such as `client.c.registerWallet({ name })`. */
export const createClient = (target: Credentials & { url: string }): Client => {
  const owed = createPendingPosition();
  const call = async (path: string, isQuery: boolean, request: object, given: Record<string, string> = {}) => {
    const { body, headers } = await send(target, path, request, { ...(isQuery && owed.header(given)), ...given });
    if (!('x-as-of' in given)) owed.answered(headers);
    return body;
  };
  return Object.fromEntries(
    variants.map(({ segment, surface }) => [
      segment,
      Object.fromEntries(
        Object.entries<{ name: string; kind: string }>(operations[surface]).map(([key, { name, kind }]) => [
          key,
          (request: object, headers?: Record<string, string>) =>
            call(`/v1/${segment}/${name}`, kind === 'query', request, headers),
        ]),
      ),
    ]),
  ) as unknown as Client;
};
