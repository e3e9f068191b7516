import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Holder, isToken } from '../../application/access/gateway/token-cache.js';
import type { App } from '../../application/app.js';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { Cancellation } from '../../application/async/cancellation.js';
import { type MaybePromise, mapMaybe, settle } from '../../application/async/maybe-promise.js';
import { type Backpressure, createBackpressure, type Reader } from '../../application/gateway/backpressure.js';
import type { Quota } from '../../domain/rate-limit.js';
import { addRateHeaders, requestIdOf } from '../http/answer.js';
import { drain, takeBody } from '../http/body.js';
import { HttpFailure } from '../http/problems.js';
import { createRequestIds } from '../http/request-ids.js';
import { addCors, answerPreflight, isPreflight } from './cors.js';
import { answerMessage, encodeAll } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { createLoad } from './load.js';
import { addProvenance, fromCache, type Provenance, provenanceOf, wantsFresh } from './provenance.js';
import { createRecentAnswers } from './recent.js';
import { createMessageReport, factsOf, faultIn, type MessageFacts } from './request-report.js';
import {
  type Address,
  type Admission,
  addressIn,
  admit,
  authenticate,
  callsIn,
  methodFaults,
  missingNode,
  type Refusal,
  type Target,
  targetOf,
  unknownChain,
} from './target.js';

export const bodyLimit = 5 * 1_048_576;
const types = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

const plain = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Response to a message. The pieces of `body` are sent without joining them; a string has one byte per character. */
type Answer = {
  readonly status: number;
  readonly body: readonly (string | Uint8Array)[];
  readonly quota: Quota | null;
  /** Rate-limit units charged for the message; absent if none. */
  readonly cost?: number;
  readonly provenance?: Provenance | null;
  /** Web origin that may read the response (CORS); absent if none may. */
  readonly readableBy?: string | undefined;
  readonly facts: MessageFacts;
};

const refusal = (
  { status, code, message }: Refusal,
  admission: Admission | null = null,
  id?: string,
  facts: MessageFacts = {},
): Answer => ({
  status,
  facts: { ...facts, organizationId: admission?.organizationId, fault: { code, message } },
  body: [Buffer.from(errorReply(code, message, id))],
  quota: admission?.quota ?? null,
  cost: admission?.cost ?? 0,
});

const notPosted: Refusal = { status: 405, code: rpcCodes.invalidRequest, message: 'method not allowed: use POST' };
const otherType: Refusal = {
  status: 415,
  code: rpcCodes.invalidRequest,
  message: 'content-type must be application/json',
};
const unexpected: Refusal = { status: 500, code: rpcCodes.internal, message: 'internal error' };

const formFault = ({ method, headers }: IncomingMessage): Refusal | null => {
  if (method !== 'POST') return notPosted;
  const type = headers['content-type'] ?? 'application/json';
  return types.includes(type) || types.includes(plain(type)) ? null : otherType;
};

/**
 * Returns the id for the reply to a message that is rejected as a whole: the id of a single call; undefined for a
 * batch.
 */
const idOf = ({ isBatch, calls: [first] }: Message) => (isBatch ? undefined : (first?.id ?? undefined));

/** Creates a cancellation that fires when the client closes the connection before the response. */
const cancellationFor = (response: ServerResponse): Cancellation => ({
  isCancelled: () => response.destroyed,
  onCancel: (listener) => {
    response.once('close', listener);
    return () => response.off('close', listener);
  },
});

/** Size in bytes up to which a body is read before the API key is checked. */
const maxUnauthenticatedBytes = 65_536;
const isSmall = ({ headers }: IncomingMessage) =>
  Number(headers['content-length'] ?? bodyLimit) <= maxUnauthenticatedBytes;

const notText = { status: 400, code: rpcCodes.notJson, message: 'parse error: the body is not JSON in UTF-8' };

/** Time after which a client that reads nothing of its response is disconnected. */
export const defaultStallTimeoutMs = 30_000;

/** Target of the requests to one URL, with the cache of recent answers from which repeated requests are answered. */
type Place = { readonly app: App; readonly target: Target; readonly recent: ReturnType<typeof createRecentAnswers> };

/** Creates a load, which counts a message's unsent answers and discards them under memory pressure. */
const loadFor = (response: ServerResponse, calls: number, pressure: Backpressure) => {
  const begun = () => {
    const reader: Reader = {
      buffered: () => 0,
      unread: () => load.bytes(),
      cut: () => {
        if (!response.headersSent) return load.refuseAll();
        response.destroy();
        return load.release();
      },
    };
    pressure.readers.add(reader);
    response.once('close', () => {
      pressure.readers.delete(reader);
      load.release();
    });
  };
  const load = createLoad({ client: cancellationFor(response), pressure, calls, begun });
  return load;
};

type Client = {
  readonly response: ServerResponse;
  /** Origin of the calling page; undefined outside of browsers. */
  readonly origin: string | undefined;
  readonly pressure: Backpressure;
  /** True if a node must be asked even if the answer is in the cache. */
  readonly bypassCache: boolean;
  /** Time after which a client that reads nothing of its response is disconnected. */
  readonly stallTimeoutMs: number;
};

const readBytes = (bytes: Buffer) => (isUtf8(bytes) ? readMessage(bytes.toString()) : notText);

const answerRead = (
  { app, target, recent }: Place,
  bytes: Buffer,
  admission: Admission,
  { response, pressure, bypassCache }: Client,
  message: ReturnType<typeof readBytes>,
): MaybePromise<Answer> => {
  const { quota, cost, holder, refusal: refused } = admission;
  if (!('calls' in message)) return refusal(refused?.code === rpcCodes.badKey ? refused : message, admission);
  const facts = factsOf(message);
  if (refused) return refusal(refused, admission, idOf(message), facts);
  const { node } = target;
  if (!node) return refusal(missingNode(target, 200), admission, idOf(message), facts);
  const load = loadFor(response, message.calls.length, pressure);
  const faultOf = holder ? methodFaults(holder, target.variant) : undefined;
  const replies = answerMessage(message, { node, log: app.system.log, load, bypassCache, faultOf });
  return mapMaybe(replies, (all) => {
    const only = message.isBatch ? undefined : all[0];
    if (only) recent.keep(bytes, only.answer, cost, facts.method);
    const provenance = only ? provenanceOf(only.answer, bypassCache) : null;
    const requestFacts = { ...facts, organizationId: admission.organizationId, fault: faultIn(all) };
    return { status: 200, body: encodeAll(all, message.isBatch), quota, cost, provenance, facts: requestFacts };
  });
};

/** Answers a request. Looks for the answer in the recent answers first, which requires no parsing of the request. */
const answerBody = (place: Place, bytes: Buffer, client: Client): MaybePromise<Answer> => {
  const { app, target, recent } = place;
  const ready = client.bypassCache ? null : recent.find(bytes);
  const parsed = ready === null ? readBytes(bytes) : undefined;
  const message = () => parsed ?? readBytes(bytes);
  const calls = () => callsIn(message());
  return mapMaybe(admit(app, target, client.origin, calls, ready?.cost), (admission) => {
    const { quota, cost, holder } = admission;
    // Parses the request in spite of a cached answer if the token restricts methods, to check the method.
    if (ready === null || !holder || methodFaults(holder, target.variant))
      return answerRead(place, bytes, admission, client, message());
    const facts = { organizationId: holder.organizationId, method: ready.method };
    return { status: 200, body: [ready.answer], quota, cost, provenance: fromCache, facts };
  });
};

const lengthOf = (body: Answer['body']) => {
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
};

/** Writes all pieces of the body at once. */
const write = (response: ServerResponse, body: Answer['body']) => {
  if (body.length === 1) return response.end(body[0], 'latin1');
  response.cork();
  for (const piece of body) response.write(piece, 'latin1');
  response.end();
  return response.uncork();
};

const typeHeaders = ['content-type', 'application/json; charset=utf-8', 'x-content-type-options', 'nosniff'];

const send = (request: IncomingMessage, { response, stallTimeoutMs }: Client, requestId: string, answer: Answer) => {
  if (response.destroyed) return;
  const { status, body, quota, cost = 0, provenance, readableBy } = answer;
  const length = String(lengthOf(body));
  const list = [...typeHeaders, 'x-request-id', requestId, 'content-length', length];
  if (quota) addRateHeaders(list, quota);
  if (cost > 0) list.push('ratelimit-cost', String(cost));
  if (provenance) addProvenance(list, provenance);
  if (readableBy !== undefined) addCors(list, readableBy);
  if (status === notPosted.status) list.push('allow', 'POST');
  if (!request.complete) list.push('connection', 'close');
  response.writeHead(status, list);
  write(response, body);
  // Disconnects a client that reads nothing for the timeout, which restarts whenever bytes are sent.
  if (response.socket && response.socket.writableLength > 0)
    response.setTimeout(stallTimeoutMs, () => response.destroy());
};

/** Maximum number of URLs with a cached target. */
const maxUrls = 1000;

/**
 * Creates a function that finds the target of a URL. It returns null if the URL is not a gateway address. If the chain
 * is unknown, `place` is null.
 */
const createPlaces = (app: App) => {
  const recents = new Map([...app.nodes.keys()].map((address) => [address, createRecentAnswers()]));
  const known = createBoundedCache<string, { readonly place: Place | null }>(maxUrls);
  const find = (address: Address) => {
    const target = targetOf(app, address);
    return { place: target && { app, target, recent: recents.get(target.address) ?? createRecentAnswers() } };
  };
  return (url: string) => {
    const seen = known.get(url);
    if (seen) return seen;
    const address = addressIn(url, 'http');
    if (!address) return null;
    const found = find(address);
    known.set(url, found);
    return found;
  };
};

/**
 * Creates the handler of `POST /<chain>/<network>/v1/<API_KEY or token>`. Answers that need no node are sent
 * synchronously.
 */
export const createGateway = (app: App, pressure = createBackpressure(), stallTimeoutMs = defaultStallTimeoutMs) => {
  const places = createPlaces(app);
  const report = createMessageReport(app);
  const ids = { uuid: createRequestIds(app.system.uuid) };
  const faultOf = (error: unknown, requestId: string): Answer => {
    if (error instanceof HttpFailure)
      return refusal({ status: error.status, code: rpcCodes.invalidRequest, message: error.message });
    app.system.log.error({ err: error, requestId }, 'Gateway request failed');
    return refusal(unexpected);
  };
  const answer = (place: Place | null, request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request, ids);
    const { origin } = request.headers;
    const client = { response, origin, pressure, bypassCache: wantsFresh(request), stallTimeoutMs };
    let readableBy: string | undefined;
    const startedAt = performance.now();
    const respond = app.tracer.bind((reply: Answer) => {
      send(request, client, requestId, readableBy === undefined ? reply : { ...reply, readableBy });
      const { status, facts } = reply;
      const source = request.socket.remoteAddress;
      report({ target: place?.target ?? null, requestId, status, facts, startedAt, source });
    });
    const finish = (reply: Answer) =>
      request.complete ? respond(reply) : void drain(request).then(() => respond(reply));
    const fail = (error: unknown) => finish(faultOf(error, requestId));
    if (!place) return finish(refusal(unknownChain));
    const take = () => {
      const fault = formFault(request);
      if (fault) return finish(refusal(fault));
      const answerTo = app.tracer.bind((body: Buffer) => settle(() => answerBody(place, body, client), finish, fail));
      return takeBody(request, bodyLimit, answerTo, fail);
    };
    const isPage = origin !== undefined && isToken(place.target.apiKey);
    if (isSmall(request) && !isPage) return take();
    const proceed = (found: Holder | Refusal) => {
      if ('code' in found) return finish(refusal(found));
      if (isPage && found.grant?.origins) readableBy = origin;
      return readableBy !== undefined && isPreflight(request)
        ? answerPreflight(response, requestId, readableBy)
        : take();
    };
    return void authenticate(app, place.target, origin).then(proceed, fail);
  };
  /** Returns false, without sending a response, if the URL is not a gateway address. */
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const found = places(request.url ?? '');
    if (found) answer(found.place, request, response);
    return found !== null;
  };
};
