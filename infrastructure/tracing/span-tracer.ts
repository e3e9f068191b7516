import {
  type Context,
  type Tracer as OpenTelemetryTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { SpanAttributes, TraceContext, Tracer } from '../../application/ports/tracing/tracer.js';
import { type ActiveSpan, activeSpans, type ClientSpan } from './active-span.js';
import { headersOf, parseContext, traceparentOf } from './trace-context.js';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * State of a tentative span, whose export is decided at its end: the span and the spans inside it are then exported if
 * `isKept` is true, and discarded if not.
 */
type Tentative = { isKept: boolean; isOver: boolean; readonly ended: (() => void)[] };

type OpenSpan = ActiveSpan & {
  readonly span: Span;
  readonly context: Context;
  readonly tentative: Tentative | null;
  run<T>(work: () => Promise<T>): Promise<T>;
};

/** Returns the code, kind or name of an error. Messages are left out, because they may contain secrets. */
const errorType = (error: unknown) => {
  const { code, kind, name } = error as { code?: unknown; kind?: unknown; name?: unknown };
  return String(code ?? kind ?? name ?? 'unknown');
};

const annotateSpan = (span: Span, attributes: SpanAttributes) => {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(name, value);
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
};

const epochMs = () => performance.timeOrigin + performance.now();

/**
 * Ends a span at once, or, inside a tentative span that is still open, when the tentative span ends and is kept. A span
 * that never ends is never exported.
 */
const endSpan = (span: Span, tentative: Tentative | null) => {
  if (!tentative || (tentative.isOver && tentative.isKept)) return span.end();
  if (tentative.isOver) return undefined;
  const at = epochMs();
  return void tentative.ended.push(() => span.end(at));
};

const endTentative = (tentative: Tentative) => {
  tentative.isOver = true;
  if (tentative.isKept) for (const end of tentative.ended) end();
};

type Begun = { readonly name: string; readonly kind: SpanKind; readonly attributes: SpanAttributes };
type Origin = {
  readonly from: Context;
  readonly tentative: Tentative | null;
  readonly links?: readonly TraceContext[] | undefined;
};

/** Creates a function that starts spans, which end with the work that they run. */
const createStart = (tracer: OpenTelemetryTracer) => {
  const start = ({ name, kind, attributes }: Begun, { from, tentative, links = [] }: Origin): OpenSpan => {
    const linked = links.flatMap((link) => parseContext(link) ?? []).map((context) => ({ context }));
    const span = tracer.startSpan(name, { kind, links: linked }, from);
    annotateSpan(span, attributes);
    const context = trace.setSpan(ROOT_CONTEXT, span);
    let isEnded = false;
    const settle = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        annotateSpan(span, { 'error.type': errorType(error) });
        throw error;
      } finally {
        isEnded = true;
        endSpan(span, tentative);
      }
    };
    const opened: OpenSpan = {
      span,
      context,
      tentative,
      isEnded: () => isEnded,
      run: (work) => settle(activeSpans.run(opened, work)),
      client: (childName, childAttributes, send) => {
        const child = start(
          { name: childName, kind: SpanKind.CLIENT, attributes: childAttributes },
          { from: context, tentative },
        );
        const sent: ClientSpan = {
          headers: headersOf(child.span.spanContext()),
          note: (given) => annotateSpan(child.span, given),
        };
        return child.run(() => send(sent));
      },
    };
    return opened;
  };
  return start;
};

const active = (): OpenSpan | undefined => {
  const found = activeSpans.getStore() as OpenSpan | undefined;
  return found?.isEnded() ? undefined : found;
};

/** Adapts a tracer of OpenTelemetry. Spans are active in all asynchronous work that was started in them. */
export const spanTracer = (tracer: OpenTelemetryTracer): Tracer => {
  const start = createStart(tracer);

  return {
    isOn: true,
    entry: async (name, { kind, attributes = {}, parent, links, isTentative }, work) => {
      const cause = parent && parseContext(parent);
      const from = cause ? trace.setSpanContext(ROOT_CONTEXT, cause) : ROOT_CONTEXT;
      const tentative = isTentative ? { isKept: false, isOver: false, ended: [] } : null;
      try {
        return await start({ name, kind: kinds[kind], attributes }, { from, tentative, links }).run(work);
      } finally {
        if (tentative) endTentative(tentative);
      }
    },
    child: (name, attributes, work) => {
      const parent = active();
      if (!parent) return work();
      const { context: from, tentative } = parent;
      return start({ name, kind: SpanKind.INTERNAL, attributes }, { from, tentative }).run(work);
    },
    annotate: (attributes, name) => {
      const span = active()?.span;
      if (!span) return;
      annotateSpan(span, attributes);
      if (name !== undefined) span.updateName(name);
    },
    keep: () => {
      const tentative = active()?.tentative;
      if (tentative) tentative.isKept = true;
    },
    bind: (work) => {
      const bound = activeSpans.getStore();
      return (...given) => activeSpans.run(bound, work, ...given);
    },
    active: () => {
      const context = active()?.span.spanContext();
      return context && (context.traceFlags & TraceFlags.SAMPLED) !== 0 ? traceparentOf(context) : undefined;
    },
  };
};
