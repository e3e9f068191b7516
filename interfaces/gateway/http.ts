import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { Waiter } from '../../application/async/cancellation.js';
import { type MaybePromise, mapMaybe, settle } from '../../application/async/maybe-promise.js';
import type { Quota } from '../../domain/rate-limit.js';
import { addRateHeaders, requestIdOf } from '../http/answer.js';
import { drain, takeBody } from '../http/body.js';
import { HttpFailure } from '../http/problems.js';
import { answerMessage, encode, encodeOne, type Reply } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { createRecent } from './recent.js';
import {
  type Address,
  type Admission,
  addressIn,
  admit,
  type Refusal,
  recognize,
  type Target,
  targetOf,
  unknownChain,
} from './target.js';

export const bodyLimit = 5 * 1_048_576;
const types = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

const plain = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** The body in pieces, which are not put together before they are sent; a text has one character a byte. */
type Answer = {
  readonly status: number;
  readonly body: readonly (string | Uint8Array)[];
  readonly quota: Quota | null;
};

const refusal = ({ status, code, message }: Refusal, quota: Quota | null = null, id?: string): Answer => ({
  status,
  body: [Buffer.from(errorReply(code, message, id))],
  quota,
});

const notPosted: Refusal = { status: 405, code: rpcCodes.invalidRequest, message: 'JSON-RPC is called with POST' };
const otherType: Refusal = { status: 415, code: rpcCodes.invalidRequest, message: 'the body must be application/json' };
const chainOff: Refusal = { status: 200, code: rpcCodes.noNode, message: 'this chain is off' };
const unexpected: Refusal = { status: 500, code: rpcCodes.internal, message: 'an unexpected error' };

const formFault = ({ method, headers }: IncomingMessage): Refusal | null => {
  if (method !== 'POST') return notPosted;
  const type = headers['content-type'] ?? 'application/json';
  return types.includes(type) || types.includes(plain(type)) ? null : otherType;
};

/** A single call that is refused as a whole is refused under its id. */
const idOf = ({ isBatch, calls: [first] }: Message) => (isBatch ? undefined : (first?.id ?? undefined));

/** A client that closes the connection before its answer came has left. */
const waiterFor = (response: ServerResponse): Waiter => ({
  hasLeft: () => response.destroyed,
  onLeave: (listener) => {
    response.once('close', listener);
    return () => response.off('close', listener);
  },
});

/** Bodies up to this size are read before it is known who sends them. */
const modestBody = 65_536;
const isModest = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? bodyLimit) <= modestBody;

const notText = { status: 400, code: rpcCodes.notJson, message: 'parse error: this is not JSON in UTF-8' };

const encodeAll = (replies: readonly Reply[], isBatch: boolean) => {
  const [only] = replies;
  return only && !isBatch ? encodeOne(only) : [encode(replies, true)];
};

/** Where requests to one URL lead, and what was asked there. */
type Place = { readonly app: App; readonly target: Target; readonly recent: ReturnType<typeof createRecent> };

const readBytes = (bytes: Buffer) => (isUtf8(bytes) ? readMessage(bytes.toString()) : notText);

const answerRead = (
  { app, target, recent }: Place,
  bytes: Buffer,
  { quota, refusal: refused }: Admission,
  response: ServerResponse,
  message = readBytes(bytes),
): MaybePromise<Answer> => {
  if (!('calls' in message)) return refusal(refused?.status === 401 ? refused : message, quota);
  if (refused) return refusal(refused, quota, idOf(message));
  const { node } = target;
  if (!node) return refusal(chainOff, quota, idOf(message));
  const replies = answerMessage(message, { node, log: app.system.log, waiter: waiterFor(response) });
  return mapMaybe(replies, (all) => {
    const [only] = all;
    if (only && !message.isBatch) recent.keep(bytes, only.answer);
    return { status: 200, body: encodeAll(all, message.isBatch), quota };
  });
};

/** What is asked for again and again is answered without being read. */
const answerBody = (place: Place, bytes: Buffer, response: ServerResponse): MaybePromise<Answer> => {
  const { app, target, recent } = place;
  const ready = recent.find(bytes);
  const message = ready === null ? readBytes(bytes) : undefined;
  const calls = message && 'calls' in message ? message.calls.length : 1;
  return mapMaybe(admit(app, target, calls), (admission) => {
    const { quota, refusal: refused } = admission;
    if (ready === null || refused) return answerRead(place, bytes, admission, response, message);
    return { status: 200, body: [ready], quota };
  });
};

const lengthOf = (body: Answer['body']) => {
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
};

/** In one go, as far as the connection takes it. */
const write = (response: ServerResponse, body: Answer['body']) => {
  if (body.length === 1) return response.end(body[0], 'latin1');
  response.cork();
  for (const piece of body) response.write(piece, 'latin1');
  response.end();
  return response.uncork();
};

const contentType = 'application/json; charset=utf-8';

const send = (request: IncomingMessage, response: ServerResponse, requestId: string, answer: Answer) => {
  if (response.destroyed) return;
  const { status, body, quota } = answer;
  const length = String(lengthOf(body));
  const list = ['content-type', contentType, 'x-request-id', requestId, 'content-length', length];
  if (quota) addRateHeaders(list, quota);
  if (status === notPosted.status) list.push('allow', 'POST');
  if (!request.complete) list.push('connection', 'close');
  response.writeHead(status, list);
  write(response, body);
};

const idsAtOnce = 64;
/**
 * Ids made before they are needed: one, with numbers behind it. Each is a text of its own, for what is put together from
 * parts takes longer to check and to send.
 */
const createStock = (uuid: () => string) => {
  let stock: string[] = [];
  const fill = (first: string): string[] =>
    JSON.parse(JSON.stringify(Array.from({ length: idsAtOnce }, (_, i) => `${first}-${i}`)));
  return () => {
    if (stock.length === 0) stock = fill(uuid());
    return stock.pop() as string;
  };
};

/** Clients come back with the same URL. */
const mostUrls = 1000;

/** Null for what is no address of the gateway; without a place where there is no such chain. */
const createPlaces = (app: App) => {
  const recents = new Map([...app.nodes.keys()].map((address) => [address, createRecent()]));
  const known = new Map<string, { readonly place: Place | null }>();
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
    if (known.size >= mostUrls) known.clear();
    known.set(url, found);
    return found;
  };
};

/** `POST /<chain>/<network>/v1/<API_KEY>`: JSON-RPC to the chain's nodes. What needs no node is answered without waiting a turn. */
export const createGateway = (app: App) => {
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
    const finish = (reply: Answer) =>
      request.complete
        ? send(request, response, requestId, reply)
        : void drain(request).then(() => send(request, response, requestId, reply));
    const fail = (error: unknown) => finish(faultOf(error, requestId));
    if (!place) return finish(refusal(unknownChain));
    const take = () => {
      const fault = formFault(request);
      if (fault) return finish(refusal(fault));
      const answerTo = (body: Buffer) => settle(() => answerBody(place, body, response), finish, fail);
      return takeBody(request, bodyLimit, answerTo, fail);
    };
    if (isModest(request)) return take();
    const hear = (unknown: Refusal | null) => (unknown ? finish(refusal(unknown)) : take());
    return void recognize(app, place.target).then(hear, fail);
  };
  /** False for what is no address of the gateway. */
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const found = places(request.url ?? '');
    if (found) answer(found.place, request, response);
    return found !== null;
  };
};
