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
import { addCors, answerPreflight, isPreflight } from './cors.js';
import { answerMessage, encodeAll } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { createLoad } from './load.js';
import { addProvenance, type Provenance, provenanceOf, remembered, wantsFresh } from './provenance.js';
import { createRecent } from './recent.js';
import {
  type Address,
  type Admission,
  addressIn,
  admit,
  chainOff,
  methodFaults,
  type Refusal,
  recognize,
  type Target,
  targetOf,
  unknownChain,
} from './target.js';

export const bodyLimit = 5 * 1_048_576;
const types = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

const plain = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Answer whose body is sent in pieces, without joining them; strings are Latin-1, one character per byte. */
type Answer = {
  readonly status: number;
  readonly body: readonly (string | Uint8Array)[];
  readonly quota: Quota | null;
  /** Units that the message was charged; absent where nothing was. */
  readonly cost?: number;
  readonly provenance?: Provenance | null;
  /** Origin whose pages may read the answer. */
  readonly readableBy?: string | undefined;
};

const refusal = ({ status, code, message }: Refusal, admission: Admission | null = null, id?: string): Answer => ({
  status,
  body: [Buffer.from(errorReply(code, message, id))],
  quota: admission?.quota ?? null,
  cost: admission?.cost ?? 0,
});

const notPosted: Refusal = { status: 405, code: rpcCodes.invalidRequest, message: 'JSON-RPC is called with POST' };
const otherType: Refusal = {
  status: 415,
  code: rpcCodes.invalidRequest,
  message: 'content-type must be application/json',
};
const unexpected: Refusal = { status: 500, code: rpcCodes.internal, message: 'an unexpected error' };

const formFault = ({ method, headers }: IncomingMessage): Refusal | null => {
  if (method !== 'POST') return notPosted;
  const type = headers['content-type'] ?? 'application/json';
  return types.includes(type) || types.includes(plain(type)) ? null : otherType;
};

/** Returns the id for a refusal of the whole message: that of a single call, none for a batch. */
const idOf = ({ isBatch, calls: [first] }: Message) => (isBatch ? undefined : (first?.id ?? undefined));

/** Treats a client that closes the connection before its answer as having left. */
const cancellationFor = (response: ServerResponse): Cancellation => ({
  isCancelled: () => response.destroyed,
  onCancel: (listener) => {
    response.once('close', listener);
    return () => response.off('close', listener);
  },
});

/** Size up to which a body is read before the API key is checked. */
const modestBody = 65_536;
const isModest = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? bodyLimit) <= modestBody;

const notText = { status: 400, code: rpcCodes.notJson, message: 'parse error: this is not JSON in UTF-8' };

/** Time for which a client may take nothing of an answer that waits for it. */
export const stalledMs = 30_000;

/** Target of requests to one URL, and the recent answers there. */
type Place = { readonly app: App; readonly target: Target; readonly recent: ReturnType<typeof createRecent> };

/** Counts the answers to a message until they are sent; a client that takes too much gets a refusal or is disconnected. */
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
  /** Origin of the page that asks. */
  readonly origin: string | undefined;
  readonly pressure: Backpressure;
  /** True when it wants no remembered answer. */
  readonly isFresh: boolean;
  /** Time for which it may take nothing of its answer. */
  readonly patienceMs: number;
};

const readBytes = (bytes: Buffer) => (isUtf8(bytes) ? readMessage(bytes.toString()) : notText);

const answerRead = (
  { app, target, recent }: Place,
  bytes: Buffer,
  admission: Admission,
  { response, pressure, isFresh }: Client,
  message = readBytes(bytes),
): MaybePromise<Answer> => {
  const { quota, cost, holder, refusal: refused } = admission;
  if (!('calls' in message)) return refusal(refused?.code === rpcCodes.badKey ? refused : message, admission);
  if (refused) return refusal(refused, admission, idOf(message));
  const { node } = target;
  if (!node) return refusal(chainOff(target, 200), admission, idOf(message));
  const load = loadFor(response, message.calls.length, pressure);
  const faultOf = holder ? methodFaults(holder, target.variant) : undefined;
  const replies = answerMessage(message, { node, log: app.system.log, load, isFresh, faultOf });
  return mapMaybe(replies, (all) => {
    const only = message.isBatch ? undefined : all[0];
    if (only) recent.keep(bytes, only.answer, cost);
    const provenance = only ? provenanceOf(only.answer, isFresh) : null;
    return { status: 200, body: encodeAll(all, message.isBatch), quota, cost, provenance };
  });
};

/** Answers a repeated request from the recent answers without parsing it. */
const answerBody = (place: Place, bytes: Buffer, client: Client): MaybePromise<Answer> => {
  const { app, target, recent } = place;
  const ready = client.isFresh ? null : recent.find(bytes);
  const message = ready === null ? readBytes(bytes) : undefined;
  const calls = message && 'calls' in message ? message.calls : undefined;
  return mapMaybe(admit(app, target, client.origin, calls, ready?.cost), (admission) => {
    const { quota, cost, holder } = admission;
    // The method of a call is known once the call is parsed.
    if (ready === null || !holder || methodFaults(holder, target.variant))
      return answerRead(place, bytes, admission, client, message);
    return { status: 200, body: [ready.answer], quota, cost, provenance: remembered };
  });
};

const lengthOf = (body: Answer['body']) => {
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
};

/** Writes all pieces of the body together. */
const write = (response: ServerResponse, body: Answer['body']) => {
  if (body.length === 1) return response.end(body[0], 'latin1');
  response.cork();
  for (const piece of body) response.write(piece, 'latin1');
  response.end();
  return response.uncork();
};

const contentType = 'application/json; charset=utf-8';

const send = (request: IncomingMessage, { response, patienceMs }: Client, requestId: string, answer: Answer) => {
  if (response.destroyed) return;
  const { status, body, quota, cost = 0, provenance, readableBy } = answer;
  const length = String(lengthOf(body));
  const list = ['content-type', contentType, 'x-request-id', requestId, 'content-length', length];
  if (quota) addRateHeaders(list, quota);
  if (cost > 0) list.push('ratelimit-cost', String(cost));
  if (provenance) addProvenance(list, provenance);
  if (readableBy !== undefined) addCors(list, readableBy);
  if (status === notPosted.status) list.push('allow', 'POST');
  if (!request.complete) list.push('connection', 'close');
  response.writeHead(status, list);
  write(response, body);
  // The timer starts anew whenever some bytes could be sent.
  if (response.socket && response.socket.writableLength > 0) response.setTimeout(patienceMs, () => response.destroy());
};

const idsAtOnce = 100;
const zero = 0x30;
/**
 * Makes request ids of one UUID with two digits appended. The detour through bytes makes them flat strings, since
 * concatenated ones take longer to check and to send.
 */
const createStock = (uuid: () => string) => {
  let bytes = Buffer.alloc(0);
  let left = 0;
  return () => {
    if (left === 0) {
      bytes = Buffer.from(`${uuid()}-00`, 'latin1');
      left = idsAtOnce;
    }
    left--;
    bytes[bytes.length - 2] = zero + Math.floor(left / 10);
    bytes[bytes.length - 1] = zero + (left % 10);
    return bytes.toString('latin1');
  };
};

/** URLs whose targets are cached, since clients repeat theirs. */
const maxUrls = 1000;

/** Finds the target of a URL: null when it is no gateway address, `place: null` when there is no such chain. */
const createPlaces = (app: App) => {
  const recents = new Map([...app.nodes.keys()].map((address) => [address, createRecent()]));
  const known = createBoundedCache<string, { readonly place: Place | null }>(maxUrls);
  const find = (address: Address) => {
    const target = targetOf(app, address);
    return { place: target && { app, target, recent: recents.get(target.address) ?? createRecent() } };
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

/** Serves `POST /<chain>/<network>/v1/<API_KEY or token>`; answers that need no node are sent synchronously. */
export const createGateway = (app: App, pressure = createBackpressure(), patienceMs = stalledMs) => {
  const places = createPlaces(app);
  const ids = { uuid: createStock(app.system.uuid) };
  const faultOf = (error: unknown, requestId: string): Answer => {
    if (error instanceof HttpFailure)
      return refusal({ status: error.status, code: rpcCodes.invalidRequest, message: error.message });
    app.system.log.error({ err: error, requestId }, 'a gateway request failed');
    return refusal(unexpected);
  };
  const answer = (place: Place | null, request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request, ids);
    const { origin } = request.headers;
    const client = { response, origin, pressure, isFresh: wantsFresh(request), patienceMs };
    let readableBy: string | undefined;
    const tell = (reply: Answer) =>
      send(request, client, requestId, readableBy === undefined ? reply : { ...reply, readableBy });
    const finish = (reply: Answer) => (request.complete ? tell(reply) : void drain(request).then(() => tell(reply)));
    const fail = (error: unknown) => finish(faultOf(error, requestId));
    if (!place) return finish(refusal(unknownChain));
    const take = () => {
      const fault = formFault(request);
      if (fault) return finish(refusal(fault));
      const answerTo = (body: Buffer) => settle(() => answerBody(place, body, client), finish, fail);
      return takeBody(request, bodyLimit, answerTo, fail);
    };
    const isPage = origin !== undefined && isToken(place.target.apiKey);
    if (isModest(request) && !isPage) return take();
    const hear = (found: Holder | Refusal) => {
      if ('code' in found) return finish(refusal(found));
      if (isPage && found.grant?.origins) readableBy = origin;
      return readableBy !== undefined && isPreflight(request)
        ? answerPreflight(response, requestId, readableBy)
        : take();
    };
    return void recognize(app, place.target, origin).then(hear, fail);
  };
  /** Returns false when the URL is no gateway address. */
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const found = places(request.url ?? '');
    if (found) answer(found.place, request, response);
    return found !== null;
  };
};
