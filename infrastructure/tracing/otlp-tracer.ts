import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../../application/ports/system.js';
import type { Tracer } from '../../application/ports/tracing/tracer.js';
import { withDeadline } from '../deadline.js';
import type { TracingSettings } from '../settings/tracing-settings.js';
import { spanTracer } from './span-tracer.js';

/** Milliseconds between two exports. `exportTimeoutMs` limits one export, including its retries. */
const exportIntervalMs = 1000;
const exportTimeoutMs = 5000;
/** Maximum milliseconds that a shutdown waits for the export of the last spans. */
const flushMs = 2000;
const succeeded = 0;

const samplers: Readonly<Record<TracingSettings['sampler'], (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/**
 * Wraps an exporter: logs the first failure of an outage and the end of the outage. The processor drops spans that
 * could not be exported.
 */
const withOutageLog = (exporter: SpanExporter, log: Log, endpoint: string): SpanExporter => {
  let isDown = false;
  const note = (isFailed: boolean, error: Error | undefined) => {
    if (isFailed === isDown) return;
    isDown = isFailed;
    if (isFailed) log.warn({ endpoint, reason: error?.message }, 'Traces cannot be exported; spans are dropped');
    else log.info({ endpoint }, 'Traces are exported again');
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result.code !== succeeded, result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
};

type Instance = { readonly version: string; readonly processId: string };

/** Opens a tracer that exports spans over OTLP in batches. `close` exports the last spans, for a bounded time. */
export const otlpTracer = (
  { endpoint, headers, serviceName, sampler, ratio }: TracingSettings,
  log: Log,
  { version, processId }: Instance,
): { readonly tracer: Tracer; readonly close: () => Promise<void> } => {
  const exporter = new OTLPTraceExporter({ url: endpoint, headers: { ...headers }, timeoutMillis: exportTimeoutMs });
  const processor = new BatchSpanProcessor({
    exporter: withOutageLog(exporter, log, endpoint),
    scheduledDelayMillis: exportIntervalMs,
    exportTimeoutMillis: exportTimeoutMs,
  });
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': processId,
  });
  const provider = new TracerProvider({ resource, sampler: samplers[sampler](ratio), spanProcessors: [processor] });
  return {
    tracer: spanTracer(provider.getTracer('chainfold', version)),
    close: () => withDeadline(provider.shutdown(), flushMs, () => undefined).catch(() => undefined),
  };
};
