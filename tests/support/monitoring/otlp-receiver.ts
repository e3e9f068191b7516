import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the parent span; empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Trace ids of the spans that this span links to. */
  readonly links: readonly string[];
  readonly service: string;
};

/** Values of a protobuf message by field number: bytes, or a varint. Fixed-width fields are left out. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

const fixedWidths: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** Reads the fields of one protobuf message. */
const fieldsOf = (bytes: Buffer): Fields => {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const add = (field: number, value: Buffer | bigint) => fields.set(field, [...(fields.get(field) ?? []), value]);
  while (at < bytes.length) {
    const tag = Number(varint());
    const [field, wire] = [tag >> 3, tag & 7];
    if (wire === 0) add(field, varint());
    else if (wire === 2) {
      const length = Number(varint());
      add(field, bytes.subarray(at, at + length));
      at += length;
    } else at += fixedWidths[wire] ?? bytes.length;
  }
  return fields;
};

const all = (fields: Fields, field: number) => (fields.get(field) ?? []) as readonly Buffer[];
const first = (fields: Fields, field: number) => all(fields, field)[0] ?? Buffer.alloc(0);
const messages = (fields: Fields, field: number) => all(fields, field).map(fieldsOf);

/** Reads attributes as text, from fields 1 (text), 2 (flag) and 3 (integer) of their values. */
const attributesIn = (fields: Fields, field: number): Record<string, string> =>
  Object.fromEntries(
    messages(fields, field).map((pair) => {
      const [value] = [...fieldsOf(first(pair, 2)).values()].flat();
      return [first(pair, 1).toString(), String(value ?? '')];
    }),
  );

/** Reads an ExportTraceServiceRequest of the OpenTelemetry protocol. */
const spansIn = (bytes: Buffer): ReceivedSpan[] =>
  messages(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const resource = attributesIn(fieldsOf(first(resourceSpans, 1)), 1);
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => ({
      traceId: first(span, 1).toString('hex'),
      spanId: first(span, 2).toString('hex'),
      parentId: first(span, 4).toString('hex'),
      name: first(span, 5).toString(),
      attributes: attributesIn(span, 9),
      links: messages(span, 13).map((link) => first(link, 1).toString('hex')),
      service: resource['service.name'] ?? '',
    }));
  });

/** Starts an OTLP receiver that keeps the spans. A silent one accepts requests but keeps no spans and never answers. */
export const startOtlpReceiver = async (behaviour: { status: number } | 'silent' = { status: 200 }) => {
  const spans: ReceivedSpan[] = [];
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ path: request.url ?? '', headers: request.headers });
    if (behaviour === 'silent') return;
    spans.push(...spansIn(Buffer.concat(chunks)));
    response.writeHead(behaviour.status).end();
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly ReceivedSpan[],
    requests: requests as readonly (typeof requests)[number][],
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;
