import assert from 'node:assert/strict';
import { readConfig } from '../../../infrastructure/config.js';

const endpoint = 'http://127.0.0.1:4318';
const tracingIn = (environment: Record<string, string>) => readConfig(environment).tracing;

describe('the settings of traces', () => {
  it('are off without an endpoint', () => {
    assert.equal(tracingIn({}), undefined);
    assert.equal(tracingIn({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'custody' }), undefined);
  });

  it('have the defaults of OpenTelemetry', () => {
    assert.deepEqual(tracingIn({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }), {
      endpoint: `${endpoint}/v1/traces`,
      headers: {},
      serviceName: 'chainfold',
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
  });

  it('take the endpoint of traces as it is', () => {
    const given = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp/in' };
    assert.equal(tracingIn(given)?.endpoint, 'https://otlp/in');
  });

  it('decode the values of headers', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20abc, x-tenant = a=b';
    const headers = tracingIn({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS })?.headers;
    assert.deepEqual(headers, { authorization: 'Bearer abc', 'x-tenant': 'a=b' });
  });

  for (const [name, value, message] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://host', /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:pass@host', /Send credentials by OTEL_EXPORTER_OTLP_HEADERS/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hush', /OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs(?!.*hush)/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%FF', /OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs/],
    ['OTEL_TRACES_SAMPLER', 'always', /OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio/],
    ['OTEL_TRACES_SAMPLER_ARG', '2', /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
  ] as const)
    it(`reject ${name}=${value}`, () => {
      assert.throws(() => tracingIn({ [name]: value }), message);
    });
});
