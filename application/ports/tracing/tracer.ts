/**
 * Attributes of a span. Values must not contain secrets, such as API keys or the URLs of nodes and webhooks.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** Trace context as in the W3C headers of the same names. A malformed context counts as absent. */
export type TraceContext = { readonly traceparent: string; readonly tracestate?: string | undefined };

type EntryOptions = {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Context of the span that caused this span; if absent, a new trace begins. */
  readonly parent?: TraceContext | undefined;
  /** Contexts of further spans that caused this span. */
  readonly links?: readonly TraceContext[];
  /** Discards the span and the spans inside it unless `keep` is called before the span ends. */
  readonly isTentative?: true;
};

/** Recorder of spans. A span ends when the promise of its work settles. */
export interface Tracer {
  /** False if nothing is recorded, so that callers need not prepare anything. */
  readonly isOn: boolean;
  /**
   * Runs the work in a child of `options.parent`, or in a new trace without a parent; never in a child of the active
   * span.
   */
  entry<T>(name: string, options: EntryOptions, work: () => Promise<T>): Promise<T>;
  /** Runs the work in a child of the active span, or without a span if none is active. */
  child<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Adds attributes to the active span, and renames it if a name is given. */
  annotate(attributes: SpanAttributes, name?: string): void;
  /** Keeps the tentative span that contains the active span. */
  keep(): void;
  /**
   * Binds work to the span that is active now, so that the work belongs to that span even if another request starts it.
   */
  bind<A extends readonly unknown[], R>(work: (...given: A) => R): (...given: A) => R;
  /** Returns the `traceparent` of the active span; undefined if there is none or its trace is not sampled. */
  active(): string | undefined;
}

/** Tracer of a service without an OTLP endpoint. */
export const noTracer: Tracer = {
  isOn: false,
  entry: (_name, _options, work) => work(),
  child: (_name, _attributes, work) => work(),
  annotate: () => undefined,
  keep: () => undefined,
  bind: (work) => work,
  active: () => undefined,
};

/** Returns the context that an event was stored with; undefined for an event that was stored without tracing. */
export const contextIn = (traceparent: string | undefined): TraceContext | undefined =>
  traceparent === undefined ? undefined : { traceparent };
