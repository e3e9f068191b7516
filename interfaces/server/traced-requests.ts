import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraceContext, Tracer } from '../../application/ports/tracing/tracer.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

const firstServerError = 500;

/** Returns the trace context that a client sent; undefined without one. */
const traceContextOf = ({ headers }: IncomingMessage): TraceContext | undefined => {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return undefined;
  return { traceparent, tracestate: typeof tracestate === 'string' ? tracestate : undefined };
};

/**
 * Wraps a handler so that requests for which `isTraced` returns true have a trace span that lasts until the response is
 * sent. The span gets no URL, which may contain an API key; the request reports add its name and further attributes.
 */
export const tracedRequests = (
  tracer: Tracer,
  handle: Handler,
  isTraced: (request: IncomingMessage) => boolean,
): Handler => {
  if (!tracer.isOn) return handle;
  return (request, response) => {
    if (!isTraced(request)) return handle(request, response);
    const method = request.method ?? '';
    const attributes = { 'http.request.method': method };
    const work = async () => {
      const closed = new Promise((resolve) => response.once('close', resolve));
      handle(request, response);
      await closed;
      const { statusCode } = response;
      const error = statusCode >= firstServerError ? String(statusCode) : undefined;
      tracer.annotate({ 'http.response.status_code': statusCode, 'error.type': error });
    };
    return tracer.entry(method, { kind: 'server', attributes, parent: traceContextOf(request) }, work);
  };
};
