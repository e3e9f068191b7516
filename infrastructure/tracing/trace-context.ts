import { createTraceState, type SpanContext } from '@opentelemetry/api';
import type { TraceContext } from '../../application/ports/tracing/tracer.js';

/** Format of `traceparent` in version 00. Later versions may append further fields. */
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Length in characters up to which the W3C standard requires services to pass `tracestate` on. */
const maxStateLength = 512;

/** Parses the context of a caller; undefined if it is malformed. */
export const parseContext = ({ traceparent, tracestate }: TraceContext): SpanContext | undefined => {
  const [, version, traceId, spanId, flags, rest] = pattern.exec(traceparent) ?? [];
  if (!traceId || !spanId || flags === undefined || (version === '00' && rest !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  const hasState = tracestate !== undefined && tracestate !== '' && tracestate.length <= maxStateLength;
  return hasState ? { ...context, traceState: createTraceState(tracestate) } : context;
};

export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;

/** Returns the headers that pass a context on to another service. */
export const headersOf = (context: SpanContext): Record<string, string> => {
  const tracestate = context.traceState?.serialize() ?? '';
  return { traceparent: traceparentOf(context), ...(tracestate !== '' && { tracestate }) };
};
