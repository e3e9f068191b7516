import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { Waiter } from '../../application/gateway/waiter.js';
import { type Headers, rateHeaders, requestIdOf } from '../http/answer.js';
import { drain, readBody } from '../http/body.js';
import { HttpFailure } from '../http/problems.js';
import { answerMessage, encode, encodeOne } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { admit, recognize, type Target, targetOf } from './target.js';

const bodyLimit = 5 * 1_048_576;
const types = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

/** In pieces, which are not put together before they are sent; a text has one character a byte. */
type Answer = { readonly status: number; readonly body: readonly (string | Uint8Array)[]; readonly headers?: Headers };

const refusal = (status: number, code: number, message: string, headers: Headers = {}, id?: string): Answer => ({
  status,
  body: [Buffer.from(errorReply(code, message, id))],
  headers,
});

const checkForm = ({ method, headers }: IncomingMessage): Answer | null => {
  if (method !== 'POST')
    return refusal(405, rpcCodes.invalidRequest, 'JSON-RPC is called with POST', { allow: 'POST' });
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || types.includes(type)
    ? null
    : refusal(415, rpcCodes.invalidRequest, 'the body must be application/json');
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

const answerBody = async (app: App, target: Target, bytes: Buffer, response: ServerResponse): Promise<Answer> => {
  const message = isUtf8(bytes) ? readMessage(bytes.toString()) : notText;
  const { quota, refusal: refused } = await admit(app, target, 'calls' in message ? message.calls.length : 1);
  const headers = quota ? rateHeaders(quota) : {};
  if (!('calls' in message)) {
    const { status, code, message: why } = refused?.status === 401 ? refused : message;
    return refusal(status, code, why, headers);
  }
  if (refused) return refusal(refused.status, refused.code, refused.message, headers, idOf(message));
  const { node } = target;
  if (!node) return refusal(200, rpcCodes.noNode, 'this chain is off', headers, idOf(message));
  const replies = await answerMessage(message, { node, log: app.system.log, waiter: waiterFor(response) });
  const [only] = replies;
  return { status: 200, body: only && !message.isBatch ? encodeOne(only) : [encode(replies, true)], headers };
};
const notText = { status: 400, code: rpcCodes.notJson, message: 'parse error: this is not JSON in UTF-8' };

const respond = async (app: App, target: Target, request: IncomingMessage, response: ServerResponse) => {
  const unknown = isModest(request) ? null : await recognize(app, target);
  if (unknown) return refusal(unknown.status, unknown.code, unknown.message);
  return checkForm(request) ?? answerBody(app, target, await readBody(request, bodyLimit), response);
};

/** In one go, as far as the connection takes it. */
const send = (response: ServerResponse, [first = '', ...more]: Answer['body']) => {
  if (more.length === 0) return response.end(first, 'latin1');
  response.cork();
  response.write(first, 'latin1');
  for (const piece of more) response.write(piece, 'latin1');
  response.end();
  return response.uncork();
};

/** `POST /<chain>/<network>/v1/<API_KEY>`: JSON-RPC to the chain's nodes. */
export const createGateway = (app: App) => async (request: IncomingMessage, response: ServerResponse) => {
  const requestId = requestIdOf(request, app.system);
  const target = targetOf(app, request.url ?? '', 'http');
  const answer: Answer = target
    ? await respond(app, target, request, response).catch((error: unknown): Answer => {
        if (error instanceof HttpFailure) return refusal(error.status, rpcCodes.invalidRequest, error.message);
        app.system.log.error({ err: error, requestId }, 'a gateway request failed');
        return refusal(500, rpcCodes.internal, 'an unexpected error');
      })
    : refusal(404, rpcCodes.invalidRequest, 'there is no such chain');
  if (!request.complete) await drain(request);
  if (response.destroyed) return;
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'content-length': answer.body.reduce((sum, { length }) => sum + length, 0),
    ...answer.headers,
    ...(!request.complete && { connection: 'close' }),
  });
  send(response, answer.body);
};
