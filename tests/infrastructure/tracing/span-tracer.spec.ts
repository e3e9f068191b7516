import assert from 'node:assert/strict';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createFairTurns } from '../../../application/async/turns/fair-turns.js';
import { inClientSpan } from '../../../infrastructure/tracing/active-span.js';
import { spanTracer } from '../../../infrastructure/tracing/span-tracer.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentId}-01`;

const open = (sampler: Sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() })) => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = spanTracer(provider.getTracer('test'));
  const names = () => exporter.getFinishedSpans().map(({ name }) => name);
  const headersNow = () =>
    inClientSpan(
      () => ({ name: 'sent', attributes: {} }),
      async (span) => span?.headers ?? {},
    );
  return { tracer, names, spans: () => exporter.getFinishedSpans(), headersNow };
};

describe('the tracer of OpenTelemetry', () => {
  it('continues the trace of a caller and passes its state on', async () => {
    const { tracer, spans, headersNow } = open();
    const parent = { traceparent, tracestate: 'vendor=1' };
    const sent = await tracer.entry('request', { kind: 'server', parent }, headersNow);
    const [client, request] = spans();
    assert.equal(request?.parentSpanContext?.spanId, parentId);
    assert.deepEqual(sent, { traceparent: `00-${traceId}-${client?.spanContext().spanId}-01`, tracestate: 'vendor=1' });
  });

  for (const malformed of [
    '',
    'garbage',
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `${traceparent}-more`,
    `${traceparent}, ${traceparent}`,
  ])
    it(`begins a new trace after the context "${malformed}"`, async () => {
      const { tracer, spans } = open();
      await tracer.entry('request', { kind: 'server', parent: { traceparent: malformed } }, async () => undefined);
      assert.equal(spans()[0]?.parentSpanContext, undefined);
      assert.notEqual(spans()[0]?.spanContext().traceId, traceId);
    });

  it('accepts later versions with further fields', async () => {
    const { tracer, spans } = open();
    const parent = { traceparent: `01-${traceId}-${parentId}-01-more` };
    await tracer.entry('request', { kind: 'server', parent }, async () => undefined);
    assert.equal(spans()[0]?.spanContext().traceId, traceId);
  });

  it('links a span to the other traces that caused it, and leaves out malformed contexts', async () => {
    const { tracer, spans } = open();
    const others = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const links = [...others, 'garbage'].map((context) => ({ traceparent: context }));
    await tracer.entry('batch', { kind: 'consumer', parent: { traceparent }, links }, async () => undefined);
    const [batch] = spans();
    assert.equal(batch?.spanContext().traceId, traceId);
    assert.deepEqual(
      batch?.links.map(({ context }) => `00-${context.traceId}-${context.spanId}-01`),
      others,
    );
  });

  it('passes on a context that is not sampled, but stores none with events', async () => {
    const { tracer, names, headersNow } = open(new AlwaysOffSampler());
    await tracer.entry('request', { kind: 'server', parent: { traceparent } }, async () => {
      assert.match((await headersNow()).traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
      assert.equal(tracer.active(), undefined);
    });
    assert.deepEqual(names(), []);
  });

  it('discards a tentative span with its children unless it is kept', async () => {
    const { tracer, names } = open();
    const turn = (work: () => void) =>
      tracer.entry('turn', { kind: 'internal', isTentative: true }, () => tracer.child('part', {}, async () => work()));
    await turn(() => undefined);
    assert.deepEqual(names(), []);
    await turn(tracer.keep);
    assert.deepEqual(names(), ['part', 'turn']);
  });

  it('starts no child, and sends no headers, outside of a span and after its end', async () => {
    const { tracer, names, headersNow } = open();
    await tracer.child('part', {}, async () => undefined);
    assert.deepEqual(await headersNow(), {});
    const late = await tracer.entry('request', { kind: 'server' }, async () => ({ run: tracer.bind(headersNow) }));
    assert.deepEqual(await late.run(), {});
    assert.deepEqual(names(), ['request']);
  });

  it('keeps requests apart that wait for one another', async () => {
    const { tracer } = open();
    const inTurn = createFairTurns({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 10 });
    const request = () =>
      tracer.entry('request', { kind: 'server' }, async () => {
        const before = tracer.active();
        return [before, await inTurn('all', async () => tracer.active())];
      });
    const found = await Promise.all([request(), request(), request()]);
    for (const [before, inside] of found) assert.equal(inside, before);
    assert.equal(new Set(found.flat()).size, found.length);
  });

  it('records the code of an error, but not its message', async () => {
    const { tracer, spans } = open();
    const failing = tracer.entry('request', { kind: 'server' }, async () => {
      throw Object.assign(new Error('https://user:secret@node'), { code: 'ECONNREFUSED' });
    });
    await assert.rejects(failing, /secret/);
    const [{ attributes, events, status }] = spans() as [ReturnType<typeof spans>[number]];
    assert.deepEqual(attributes, { 'error.type': 'ECONNREFUSED' });
    assert.ok(!JSON.stringify([events, status]).includes('secret'));
  });
});
