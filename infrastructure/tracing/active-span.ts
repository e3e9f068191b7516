import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes } from '../../application/ports/tracing/tracer.js';

/** Client span of a request to another service. */
export type ClientSpan = {
  /** Headers that pass the trace context on. */
  readonly headers: Readonly<Record<string, string>>;
  readonly note: (attributes: SpanAttributes) => void;
};

export type ActiveSpan = {
  /** True once the span has ended. Work that continues after the end, such as a timer, is not part of the span. */
  isEnded(): boolean;
  /** Runs a request to another service in a child span. */
  client<T>(name: string, attributes: SpanAttributes, send: (span: ClientSpan) => Promise<T>): Promise<T>;
};

/**
 * Span in which the current asynchronous work runs. Each span knows its tracer, so that adapters need no tracer of
 * their own. The storage costs nothing as long as no span has been started.
 */
export const activeSpans = new AsyncLocalStorage<ActiveSpan | undefined>();

/** Runs a request to another service in a client span; without a span if none is active. */
export const inClientSpan = <T>(
  describe: () => { readonly name: string; readonly attributes: SpanAttributes },
  send: (span?: ClientSpan) => Promise<T>,
): Promise<T> => {
  const span = activeSpans.getStore();
  if (!span || span.isEnded()) return send();
  const { name, attributes } = describe();
  return span.client(name, attributes, send);
};
