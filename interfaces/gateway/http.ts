import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import type { Node } from '../../application/ports/node.js';
import { Failure } from '../../domain/failure.js';
import { type Variant, variants } from '../../domain/variant.js';
import { requestIdOf } from '../http/answer.js';
import { drain, readBody } from '../http/body.js';
import { HttpFailure } from '../http/problems.js';
import { answerCalls, rpcCodes, rpcError } from './json-rpc.js';

const bodyLimit = 5 * 1_048_576;
const longestBatch = 100;
const addressPattern = /^\/([a-z]+)\/([a-z]+)\/v1\/([^/?]+)$/;

type Target = { readonly variant: Variant; readonly node: Node | undefined; readonly apiKey: string };
type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> };

const errorAnswer = (status: number, code: number, message: string): Answer => ({
  status,
  body: rpcError(code, message),
});

/** Whose gateway address it is; null when it is none. */
const targetOf = (app: App, url: string): Target | null => {
  const [, segment = '', network = '', apiKey = ''] = addressPattern.exec(url.split('?', 1)[0] ?? '') ?? [];
  const variant = variants.find((one) => one.segment === segment);
  return variant ? { variant, node: app.nodes.get(`${segment}/${network}`), apiKey } : null;
};
export const isGatewayAddress = (url: string) => addressPattern.test(url.split('?', 1)[0] ?? '');

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const admit = async (app: App, { apiKey, variant }: Target, cost: number): Promise<Answer | null> => {
  try {
    const { quota } = await app.access.admitKey(apiKey, variant, cost);
    if (!quota || quota.allowed) return null;
    const headers = { 'retry-after': String(Math.ceil(quota.resetMs / 1000)) };
    return { ...errorAnswer(429, rpcCodes.limitExceeded, `no more than ${quota.limit} requests`), headers };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code === 'UNAUTHENTICATED'
      ? errorAnswer(401, rpcCodes.badKey, error.message)
      : errorAnswer(503, rpcCodes.noNode, error.message);
  }
};

const respond = async (app: App, target: Target, request: IncomingMessage): Promise<Answer> => {
  if (request.method !== 'POST') return errorAnswer(405, rpcCodes.invalidRequest, 'JSON-RPC is called with POST');
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    return errorAnswer(415, rpcCodes.invalidRequest, 'the body must be application/json');
  const parsed = parse(await readBody(request, bodyLimit));
  if (parsed === undefined) return errorAnswer(400, rpcCodes.notJson, 'the body is not JSON');
  const requests: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (requests.length === 0 || requests.length > longestBatch)
    return errorAnswer(400, rpcCodes.invalidRequest, `a batch holds 1 to ${longestBatch} requests`);
  const refused = await admit(app, target, requests.length);
  if (refused) return refused;
  const { node } = target;
  if (!node) return errorAnswer(200, rpcCodes.noNode, 'this chain is off');
  const replies = await answerCalls(requests, node);
  // Notifications get no answer, not even an empty one.
  return { status: 200, body: Array.isArray(parsed) && replies.length > 0 ? replies : replies[0] };
};

/** `POST /<chain>/<network>/v1/<API_KEY>`: JSON-RPC to the chain's nodes. */
export const createGateway = (app: App) => async (request: IncomingMessage, response: ServerResponse) => {
  const requestId = requestIdOf(request, app.system);
  const target = targetOf(app, request.url ?? '');
  const answer = target
    ? await respond(app, target, request).catch((error: unknown): Answer => {
        if (error instanceof HttpFailure) return errorAnswer(error.status, rpcCodes.invalidRequest, error.message);
        app.system.log.error({ err: error, requestId }, 'a gateway request failed');
        return errorAnswer(500, rpcCodes.internal, 'an unexpected error');
      })
    : errorAnswer(404, rpcCodes.invalidRequest, 'there is no such chain');
  if (!request.complete) await drain(request);
  const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(body);
};
