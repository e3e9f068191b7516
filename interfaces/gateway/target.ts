import type { Duplex } from 'node:stream';
import type { Holder } from '../../application/access/gateway/token-cache.js';
import type { App } from '../../application/app.js';
import { type MaybePromise, mapMaybe } from '../../application/async/maybe-promise.js';
import { configuredCost, offeredMethod } from '../../application/gateway/configured-methods.js';
import { unitsOf } from '../../application/gateway/costs.js';
import { headSeen } from '../../application/gateway/log-range.js';
import type { Node } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { overLimit, type Quota } from '../../domain/rate-limit.js';
import { networks, type Variant, variants } from '../../domain/variant.js';
import { type Message, rpcCodes, type Unreadable } from './json-rpc.js';

/** Chain, network and key of a gateway URL. The key is an api_key or a gateway token. */
export type Target = {
  readonly variant: Variant;
  /** Path segment of the chain and name of the network: `<segment>/<network>` */
  readonly address: string;
  readonly node: Node | undefined;
  readonly apiKey: string;
};

const patterns = {
  http: /^\/([a-z]+)\/([a-z]+)\/v1\/([^/?]+)(?:\?|$)/,
  socket: /^\/([a-z]+)\/([a-z]+)\/v1\/ws\/([^/?]+)(?:\?|$)/,
};
type Transport = keyof typeof patterns;

export type Address = { readonly segment: string; readonly network: string; readonly apiKey: string };

/** Parses a gateway URL; returns null for any other URL. */
export const addressIn = (url: string, transport: Transport): Address | null => {
  const found = patterns[transport].exec(url);
  return found && { segment: found[1] ?? '', network: found[2] ?? '', apiKey: found[3] ?? '' };
};

/** Returns the target of a gateway URL; null if the chain is unknown. */
export const targetOf = (app: App, { segment, network, apiKey }: Address): Target | null => {
  const variant = variants.find((singleCall) => singleCall.segment === segment);
  const address = `${segment}/${network}`;
  return variant ? { variant, address, node: app.nodes.get(address), apiKey } : null;
};

export type Refusal = { readonly status: number; readonly code: number; readonly message: string };

const served = variants.filter(({ can }) => can.includes('gateway')).map(({ segment }) => segment);
export const unknownChain: Refusal = {
  status: 404,
  code: rpcCodes.invalidRequest,
  message: `unknown chain: the gateway serves ${served.join(', ')}`,
};

/** Explains why a gateway URL has no node, and which setting adds one. */
const explainMissingNode = ({ variant: { tag, segment }, address }: Target): string => {
  const network = networks.find((name) => address === `${segment}/${name}`);
  if (!served.includes(segment)) return `the gateway does not serve chain ${segment}; it serves ${served.join(', ')}`;
  if (!network) return `unknown network: the networks are ${networks.join(', ')}`;
  const setting = `GATEWAY_${tag}_${network.toUpperCase()}_URLS`;
  return `no node is configured for this chain. Set CHAIN_${tag}_URL or ${setting} to the URL of a node`;
};
export const missingNode = (target: Target, status: number): Refusal => ({
  status,
  code: rpcCodes.noNode,
  message: explainMissingNode(target),
});

/**
 * Result of authenticating and charging a message: the remaining rate limit, the charged units and the holder of the
 * key, or the refusal.
 */
export type Admission = {
  readonly quota: Quota | null;
  readonly cost: number;
  readonly holder: Holder | null;
  /** Organization of the key, even if the message is refused; absent for an unknown key. */
  readonly organizationId?: string | undefined;
  readonly refusal: Refusal | null;
};

const refusalFor = (error: unknown): Refusal => {
  if (!(error instanceof Failure)) throw error;
  const { code, message } = error;
  if (code === 'QUOTA_EXCEEDED') return { status: 403, code: rpcCodes.limitExceeded, message };
  return { status: 503, code: rpcCodes.noNode, message };
};

const refused = (refusal: Refusal, quota: Quota | null = null, by: Holder | null = null): Admission => ({
  quota,
  organizationId: by?.organizationId,
  cost: 0,
  holder: null,
  refusal,
});
const failed = (error: unknown) => refused(refusalFor(error));

const unknownKey: Refusal = { status: 401, code: rpcCodes.badKey, message: 'invalid API key or gateway token' };
const otherOrigin: Refusal = {
  status: 403,
  code: rpcCodes.badKey,
  message: 'this gateway token does not allow calls from this origin',
};

/**
 * Returns the refusal of an unknown key, or of a key that may not be used by pages of the origin; null if the key is
 * accepted.
 */
const faultOf = (holder: Holder | null, origin: string | undefined): Refusal | null => {
  if (holder === null) return unknownKey;
  const origins = holder.grant?.origins;
  return origins && !origins.has(origin ?? '') ? otherOrigin : null;
};

const admissionOf = (quota: Quota, holder: Holder, { tag }: Variant, cost: number): Admission => {
  if (quota.allowed) return { quota, cost, holder, organizationId: holder.organizationId, refusal: null };
  const message = `limit exceeded: ${overLimit(quota, tag)}`;
  return refused({ status: 429, code: rpcCodes.limitExceeded, message }, quota, holder);
};

type Calls = Message['calls'];
/**
 * Call that is charged for a connection attempt or an unreadable message, each of which costs as much as one invalid
 * call.
 */
const singleCall: Calls = [{ id: 'null', code: rpcCodes.invalidRequest, message: '' }];

/** Returns the calls that a message is charged for. */
export const callsIn = (message: Message | Unreadable): Calls => ('calls' in message ? message.calls : singleCall);

/** Returns the total cost of the calls in rate-limit units. An invalid call costs 1. */
const costOfCalls = (calls: Calls, node: Node | undefined) => {
  let cost = 0;
  for (const call of calls) {
    const otherCost = 'method' in call && node?.extraMethods?.has(call.method) ? configuredCost : 1;
    cost += node && 'params' in call ? unitsOf(call.method, call.params, () => headSeen(node), otherCost) : 1;
  }
  return cost;
};

/** Returns the refusal if the token allows no call on the chain; null if it allows some calls. */
export const chainFault = ({ grant }: Holder, { tag }: Variant): Refusal | null =>
  !grant?.chains || grant.chains.has(tag)
    ? null
    : { status: 403, code: rpcCodes.noMethod, message: `this gateway token does not allow chain ${tag}` };

/**
 * Returns the calls that the key allows. A call of a method that the token does not allow gets its error reply later.
 */
const allowedOf = (calls: Calls, holder: Holder, { variant, node }: Target): Calls => {
  if (chainFault(holder, variant)) return [];
  const methods = holder.grant?.methods;
  if (!methods) return calls;
  return calls.filter((call) => !('method' in call) || methods.has(offeredMethod(call.method, node)?.name ?? ''));
};

/**
 * Authenticates a message and charges its calls to the rate limits of the key. Calls that a token does not allow are
 * charged to the token alone. `knownCost` is the cost of a single call with a cached answer. `read` returns the calls
 * of the message; with a `knownCost`, it is called only if the key is restricted.
 */
export const admit = (
  { gatewayAccess }: App,
  target: Target,
  origin: string | undefined,
  read: () => Calls = () => singleCall,
  knownCost?: number,
): MaybePromise<Admission> => {
  const { apiKey, variant, node } = target;
  const charge = (holder: Holder | null): MaybePromise<Admission> => {
    const fault = faultOf(holder, origin);
    if (fault || holder === null) return refused(fault ?? unknownKey, null, holder);
    const calls = knownCost === undefined || methodFaults(holder, variant) ? read() : singleCall;
    const allowed = allowedOf(calls, holder, target);
    const rejected = calls.length - allowed.length;
    const cost = rejected === 0 && knownCost !== undefined ? knownCost : costOfCalls(allowed, node);
    const chargeAllowed = () =>
      mapMaybe(gatewayAccess.charge(holder, variant, allowed.length, cost - allowed.length), (quota) =>
        admissionOf(quota, holder, variant, cost + rejected),
      );
    if (rejected === 0) return chargeAllowed();
    return mapMaybe(gatewayAccess.chargeRejected(holder, variant, rejected), (quota) =>
      quota.allowed && allowed.length > 0 ? chargeAllowed() : admissionOf(quota, holder, variant, rejected),
    );
  };
  const admitted = mapMaybe(gatewayAccess.find(apiKey), charge);
  return admitted instanceof Promise ? admitted.catch(failed) : admitted;
};

/** Checks the key before the body of a request is read. Charges nothing. */
export const authenticate = async (
  { gatewayAccess }: App,
  { apiKey }: Target,
  origin: string | undefined,
): Promise<Holder | Refusal> => {
  try {
    const holder = await gatewayAccess.find(apiKey);
    return faultOf(holder, origin) ?? holder ?? unknownKey;
  } catch (error) {
    return refusalFor(error);
  }
};

/** Counts a connection against the quota until its socket closes. Returns the refusal if the quota is used up. */
export const countConnection = async (
  app: App,
  { organizationId, grant }: Holder,
  socket: Duplex,
): Promise<Refusal | null> => {
  try {
    const disconnect = await app.quotas.connect(organizationId, grant?.gatewayTokenId);
    if (socket.destroyed) disconnect();
    else socket.once('close', disconnect);
    return null;
  } catch (error) {
    return refusalFor(error);
  }
};

/** Returns a function that explains why the token does not allow a method; undefined if the token allows all. */
export const methodFaults = (holder: Holder, variant: Variant): ((method: string) => string | null) | undefined => {
  const fault = chainFault(holder, variant);
  if (fault) return () => fault.message;
  const methods = holder.grant?.methods;
  return methods
    ? (method) => (methods.has(method) ? null : `this gateway token does not allow the method ${method}`)
    : undefined;
};
