/** Facts about a span. Values must not contain secrets, such as API keys or the URLs of nodes and webhooks. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** Trace context as in the W3C headers of the same names. A malformed context counts as absent. */
export type TraceContext = { readonly traceparent: string; readonly tracestate?: string | undefined };

type EntryOptions = {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Context of the span that caused this one; a new trace begins without it. */
  readonly parent?: TraceContext | undefined;
  /** Causes besides the parent. */
  readonly links?: readonly TraceContext[];
  /** Discards the span and those inside it unless `keep` is called before the span ends. */
  readonly isTentative?: true;
};

/** Recorder of spans. A span ends when the promise of its work settles. */
export interface Tracer {
  /** False if nothing is recorded, so that callers need not prepare anything. */
  readonly isOn: boolean;
  /** Runs the work in a span of its own cause, such as a request or an event, whatever span is active. */
  entry<T>(name: string, options: EntryOptions, work: () => Promise<T>): Promise<T>;
  /** Runs the work in a child of the active span, or without a span if none is active. */
  child<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Adds attributes to the active span, and renames it if a name is given. */
  annotate(attributes: SpanAttributes, name?: string): void;
  /** Keeps a tentative span around the active one. */
  keep(): void;
  /** Returns a function that runs in the span which is active now, for work that another request may start. */
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
