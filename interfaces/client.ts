import { type Variant, variants } from '../domain/variant.js';
import { readExact } from './exact-json.js';
import type { Problem } from './http/problems.js';
import * as addresses from './operations/addresses.js';
import * as administration from './operations/administration.js';
import * as assets from './operations/assets.js';
import * as audit from './operations/audit.js';
import type { Fields, Operation, Shape } from './operations/define.js';
import * as queries from './operations/queries.js';
import * as transactions from './operations/transactions.js';
import * as wallets from './operations/wallets.js';
import * as webhooks from './operations/webhooks.js';
import { type Credentials, signatureHeaders } from './signature.js';

const operations = {
  wallet: { ...wallets, ...addresses, ...assets, ...webhooks, ...transactions },
  admin: { ...administration, ...audit },
  query: queries,
};
type Operations<S extends Variant['segment']> = (typeof operations)[Extract<Variant, { segment: S }>['surface']];
type Call<O> =
  O extends Operation<infer Q extends Fields, infer R extends Fields>
    ? (request: Shape<Q>, headers?: Record<string, string>) => Promise<Shape<R>>
    : never;
type Calls<O> = { readonly [K in keyof O]: Call<O[K]> };
export type Client = { readonly [S in Variant['segment']]: Calls<Operations<S>> };

/** What the service refused, as it said it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** One signed call by name; throws ProblemError when it is refused. */
export const callOperation = async (
  { url, ...credentials }: Credentials & { url: string },
  path: string,
  request: object,
  headers: Record<string, string> = {},
): Promise<object> => {
  const body = JSON.stringify(request);
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...signatureHeaders(credentials, 'POST', path, body) },
    body,
  });
  const answer = readExact(await response.text()) as object;
  if (!response.ok) throw new ProblemError(answer as Problem);
  return answer;
};

/** The typed client is the operation table seen from the other side: `client.c.registerWallet({ name })`. */
export const createClient = (target: Credentials & { url: string }): Client =>
  Object.fromEntries(
    variants.map(({ segment, surface }) => [
      segment,
      Object.fromEntries(
        Object.entries<{ name: string }>(operations[surface]).map(([key, { name }]) => [
          key,
          (request: object, headers?: Record<string, string>) =>
            callOperation(target, `/v1/${segment}/${name}`, request, headers),
        ]),
      ),
    ]),
  ) as unknown as Client;
