import type { Setting } from './setting.js';
import { bad, oneOf, webUrl } from './values.js';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type TracingSettings = {
  /** URL to which spans are posted as protobuf. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: (typeof samplers)[number];
  /** Share of new traces that are sampled, from 0 to 1, for the samplers whose names end with `traceidratio`. */
  readonly ratio: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const defaults = { serviceName: 'chainfold', sampler: 'parentbased_always_on' } as const;

/** Settings of traces, under the names that OpenTelemetry gives them. */
export const tracingRows: readonly Setting[] = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: 'text',
    description: 'Base URL of an OTLP receiver, such as http://127.0.0.1:4318. Traces are off if absent.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    kind: 'text',
    description: 'Full URL for traces, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: 'text',
    isSecret: true,
    description: 'Headers for the OTLP receiver: name=value, separated by commas, values percent-encoded.',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    kind: 'text',
    byDefault: defaults.serviceName,
    description: 'Name of this service in traces.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    kind: 'choice',
    allowed: samplers,
    byDefault: defaults.sampler,
    description: 'Rule that selects the traces to record.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    kind: 'text',
    description: 'Share of traces that a traceidratio sampler records, from 0 to 1; 1 if absent.',
  },
];

const pairPattern = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/;

/** Parses headers in the format of OpenTelemetry. The error message does not quote the value, which may be a secret. */
const headersIn = (name: string, value = ''): Record<string, string> => {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, header, text] = pairPattern.exec(pair) as unknown as [string, string, string];
        return [header, decodeURIComponent(text)];
      }),
    );
  } catch {
    return bad(name, 'must be name=value pairs separated by commas, with percent-encoded values');
  }
};

const ratioIn = (name: string, value = '1') =>
  /^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(value) ? Number(value) : bad(name, 'must be a number from 0 to 1');

/** Rejects a URL with credentials, because this setting is not marked as secret and its value is shown. */
const endpointIn = (environment: Environment, name: string) => {
  const url = webUrl(name, environment[name]);
  if (url === undefined) return undefined;
  const { username, password, search } = new URL(url);
  if (username || password || search)
    return bad(name, 'must not contain a password or a query. Send credentials by OTEL_EXPORTER_OTLP_HEADERS');
  return url;
};

const samplerIn = (name: string, value: string = defaults.sampler) =>
  oneOf(name, value, samplers) as TracingSettings['sampler'];

/** Reads the settings of traces; undefined without an endpoint. */
export const tracingSettings = (environment: Environment): TracingSettings | undefined => {
  const base = endpointIn(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const own = endpointIn(environment, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const settings = {
    headers: headersIn('OTEL_EXPORTER_OTLP_HEADERS', environment.OTEL_EXPORTER_OTLP_HEADERS),
    serviceName: environment.OTEL_SERVICE_NAME ?? defaults.serviceName,
    sampler: samplerIn('OTEL_TRACES_SAMPLER', environment.OTEL_TRACES_SAMPLER),
    ratio: ratioIn('OTEL_TRACES_SAMPLER_ARG', environment.OTEL_TRACES_SAMPLER_ARG),
  };
  const endpoint = own ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  return endpoint === undefined ? undefined : { endpoint, ...settings };
};
