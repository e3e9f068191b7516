import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import { type Headers, rateHeaders, requestIdOf } from '../http/answer.js';
import { drain, readBody } from '../http/body.js';
import { HttpFailure } from '../http/problems.js';
import { answerMessage, encode } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { admit, recognize, type Target, targetOf } from './target.js';

const bodyLimit = 5 * 1_048_576;
const types = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

type Answer = { readonly status: number; readonly body: string | Buffer; readonly headers?: Headers };

const refusal = (status: number, code: number, message: string, headers: Headers = {}, id?: string): Answer => ({
  status,
  body: errorReply(code, message, id),
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

/** Set off when the client leaves before its answer, which nobody needs to fetch any more then. */
const leaving = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
};

const respond = async (app: App, target: Target, request: IncomingMessage, response: ServerResponse) => {
  const unknown = await recognize(app, target);
  if (unknown) return refusal(unknown.status, unknown.code, unknown.message);
  const malformed = checkForm(request);
  if (malformed) return malformed;
  const bytes = await readBody(request, bodyLimit);
  if (!isUtf8(bytes)) return refusal(400, rpcCodes.notJson, 'parse error: this is not JSON in UTF-8');
  const message = readMessage(bytes.toString());
  const { quota, refusal: refused } = await admit(app, target, 'calls' in message ? message.calls.length : 1);
  const headers = quota ? rateHeaders(quota) : {};
  if (!('calls' in message)) return refusal(message.status, message.code, message.message, headers);
  if (refused) return refusal(refused.status, refused.code, refused.message, headers, idOf(message));
  const { node } = target;
  if (!node) return refusal(200, rpcCodes.noNode, 'this chain is off', headers, idOf(message));
  const replies = await answerMessage(message, { node, log: app.system.log, signal: leaving(response) });
  return { status: 200, body: encode(replies, message.isBatch), headers };
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
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(answer.body);
};
