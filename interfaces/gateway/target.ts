import type { App } from '../../application/app.js';
import type { MaybePromise } from '../../application/async/maybe-promise.js';
import type { Node } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import type { Quota } from '../../domain/rate-limit.js';
import { type Variant, variants } from '../../domain/variant.js';
import { rpcCodes } from './json-rpc.js';

/** What a gateway address leads to. */
export type Target = {
  readonly variant: Variant;
  /** `<segment>/<network>` */
  readonly address: string;
  readonly node: Node | undefined;
  readonly apiKey: string;
};

const patterns = {
  http: /^\/([a-z]+)\/([a-z]+)\/v1\/([^/?]+)(?:\?|$)/,
  socket: /^\/([a-z]+)\/([a-z]+)\/v1\/ws\/([^/?]+)(?:\?|$)/,
};
type Transport = keyof typeof patterns;

/** What a gateway address says. */
export type Address = { readonly segment: string; readonly network: string; readonly apiKey: string };

/** Null when it is no gateway address. */
export const addressIn = (url: string, transport: Transport): Address | null => {
  const found = patterns[transport].exec(url);
  return found && { segment: found[1] ?? '', network: found[2] ?? '', apiKey: found[3] ?? '' };
};

/** Null when there is no such chain. */
export const targetOf = (app: App, { segment, network, apiKey }: Address): Target | null => {
  const variant = variants.find((one) => one.segment === segment);
  const address = `${segment}/${network}`;
  return variant ? { variant, address, node: app.nodes.get(address), apiKey } : null;
};

/** Why a request is not let in. */
export type Refusal = { readonly status: number; readonly code: number; readonly message: string };
export const unknownChain: Refusal = { status: 404, code: rpcCodes.invalidRequest, message: 'there is no such chain' };
export type Admission = { readonly quota: Quota | null; readonly refusal: Refusal | null };

const refusalFor = (error: unknown): Refusal => {
  if (!(error instanceof Failure)) throw error;
  return error.code === 'UNAUTHENTICATED'
    ? { status: 401, code: rpcCodes.badKey, message: error.message }
    : { status: 503, code: rpcCodes.noNode, message: error.message };
};

const refused = (error: unknown): Admission => ({ quota: null, refusal: refusalFor(error) });

const admissionOf = (quota: Quota): Admission => {
  if (quota.allowed) return { quota, refusal: null };
  const message = `limit exceeded: no more than ${quota.limit} requests`;
  return { quota, refusal: { status: 429, code: rpcCodes.limitExceeded, message } };
};

/** Charges so many calls to the organization's limits on that chain. */
export const admit = (app: App, { apiKey, variant }: Target, calls: number): MaybePromise<Admission> => {
  const admitted = app.access.admitKey(apiKey, variant, calls);
  return admitted instanceof Promise ? admitted.then(admissionOf, refused) : admissionOf(admitted);
};

/** Before anything else of a request is looked at; charges nothing. */
export const recognize = async (app: App, { apiKey }: Target): Promise<Refusal | null> => {
  try {
    const known = await app.knownCredentials.find(apiKey);
    return known ? null : { status: 401, code: rpcCodes.badKey, message: 'the API key is not valid' };
  } catch (error) {
    return refusalFor(error);
  }
};
