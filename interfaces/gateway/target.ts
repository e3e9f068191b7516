import type { App } from '../../application/app.js';
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
export type Transport = keyof typeof patterns;

export const isGatewayAddress = (url: string, transport: Transport): boolean => patterns[transport].test(url);

/** Null when it is no gateway address. */
export const targetOf = (app: App, url: string, transport: Transport): Target | null => {
  const found = patterns[transport].exec(url);
  if (!found) return null;
  const [, segment = '', network = '', apiKey = ''] = found;
  const variant = variants.find((one) => one.segment === segment);
  const address = `${segment}/${network}`;
  return variant ? { variant, address, node: app.nodes.get(address), apiKey } : null;
};

/** Why a request is not let in. */
export type Refusal = { readonly status: number; readonly code: number; readonly message: string };
export type Admission = { readonly quota: Quota | null; readonly refusal: Refusal | null };

const refusalFor = (error: unknown): Refusal => {
  if (!(error instanceof Failure)) throw error;
  return error.code === 'UNAUTHENTICATED'
    ? { status: 401, code: rpcCodes.badKey, message: error.message }
    : { status: 503, code: rpcCodes.noNode, message: error.message };
};

/** Charges so many calls to the organization's limits on that chain. */
export const admit = async (app: App, { apiKey, variant }: Target, calls: number): Promise<Admission> => {
  try {
    const { quota } = await app.access.admitKey(apiKey, variant, calls);
    if (!quota || quota.allowed) return { quota, refusal: null };
    const message = `limit exceeded: no more than ${quota.limit} requests`;
    return { quota, refusal: { status: 429, code: rpcCodes.limitExceeded, message } };
  } catch (error) {
    return { quota: null, refusal: refusalFor(error) };
  }
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
