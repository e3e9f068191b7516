import type { App } from '../../application/app.js';
import type { AnsweredRequest } from '../../application/ports/tracing/requests.js';
import type { Tracer } from '../../application/ports/tracing/tracer.js';
import { shortKey } from '../../application/tracing/key-form.js';
import type { Reply } from './dispatch.js';
import type { Message, Unreadable } from './json-rpc.js';
import type { Target } from './target.js';

type RpcFault = { readonly code: number; readonly message: string };

/** Properties of a gateway message, shown in its log line and its trace span. */
export type MessageFacts = {
  readonly organizationId?: string | undefined;
  readonly method?: string | undefined;
  /** Number of calls in a batch; undefined for a single call. */
  readonly calls?: number | undefined;
  /** Error of the message, or of the first call that failed. */
  readonly fault?: RpcFault | undefined;
};

const methodName = /^[a-zA-Z][a-zA-Z0-9]{1,19}_[a-zA-Z0-9]{1,60}$/;

/** Returns the text if it has the form of a method name; undefined otherwise, because it may be a secret. */
const nameOf = (method: string | undefined) => (method !== undefined && methodName.test(method) ? method : undefined);

export const factsOf = (message: Message | Unreadable): MessageFacts => {
  if (!('calls' in message)) return {};
  if (message.isBatch) return { calls: message.calls.length };
  const [only] = message.calls;
  return { method: nameOf(only && 'method' in only ? only.method : undefined) };
};

/** Size in bytes up to which an error is parsed for the log. */
const maxErrorLength = 65_536;

const parseFault = (error: Uint8Array): RpcFault => {
  const unread = { code: 0, message: '' };
  if (error.length > maxErrorLength) return unread;
  try {
    const { code, message } = JSON.parse(Buffer.from(error).toString()) as { code?: unknown; message?: unknown };
    return { code: typeof code === 'number' ? code : 0, message: typeof message === 'string' ? message : '' };
  } catch {
    return unread;
  }
};

/** Returns the error of the first call that failed; undefined if all succeeded. */
export const faultIn = (replies: readonly Reply[]): RpcFault | undefined => {
  for (const { answer } of replies) if (!('result' in answer)) return parseFault(answer.error);
  return undefined;
};

export type Reported = {
  /** Target of the request; null if its URL names an unknown chain. */
  readonly target: Pick<Target, 'address' | 'apiKey'> | null;
  readonly requestId: string;
  readonly status: number;
  readonly facts: MessageFacts;
  /** Time at which the message arrived, by `performance.now()`. */
  readonly startedAt: number;
  readonly source: string | undefined;
};

/** Adds the properties of a message to its trace span. */
const annotateMessage = (tracer: Tracer, { target, requestId, facts }: Reported) => {
  const { method, calls, organizationId, fault } = facts;
  const attributes = {
    'rpc.system.name': 'jsonrpc',
    'rpc.method': method,
    'rpc.response.status_code': fault && String(fault.code),
    'chainfold.calls': calls,
    'chainfold.chain': target?.address,
    'chainfold.request_id': requestId,
    'chainfold.organization': organizationId,
  };
  tracer.annotate(attributes, method ?? (calls === undefined ? undefined : 'batch'));
};

/** Creates a function that passes each message of the gateway to the request log. */
export const createMessageReport = ({ requests, tracer }: Pick<App, 'requests' | 'tracer'>) => {
  const describe = ({ target, requestId, status, facts, startedAt }: Reported): AnsweredRequest => ({
    requestId,
    organizationId: facts.organizationId,
    key: shortKey(target?.apiKey),
    chain: target?.address,
    operation: facts.method,
    calls: facts.calls,
    status,
    ms: Math.round((performance.now() - startedAt) * 100) / 100,
  });
  return (reported: Reported) => {
    const { fault } = reported.facts;
    if (tracer.isOn) annotateMessage(tracer, reported);
    if (fault) {
      const { code, message: detail } = fault;
      requests.refused({ ...describe(reported), code, detail }, reported.source);
    } else if (requests.logsNext()) requests.succeeded(describe(reported));
  };
};
