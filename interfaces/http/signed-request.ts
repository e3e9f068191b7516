import type { IncomingMessage } from 'node:http';
import { checkLength, readBody } from './body.js';
import { HttpFailure } from './problems.js';

export const bodyLimit = 1_048_576;

export const headerOf = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Bytes up to which a body is read before the key is checked, so that timing does not reveal whether a key exists. */
const shortBody = 16_384;
const hasShortBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= shortBody;

export const signedBy = (request: IncomingMessage, body: () => Promise<Buffer>) => ({
  key: headerOf(request, 'x-api-key'),
  nonce: headerOf(request, 'x-api-nonce'),
  signature: headerOf(request, 'x-api-signature'),
  method: request.method ?? '',
  path: request.url ?? '',
  body,
  hasShortBody: hasShortBody(request),
});

export const isJson = ({ headers }: IncomingMessage) =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/json';

const checkContentType = (request: IncomingMessage, hasBody: boolean) => {
  if (hasBody && !isJson(request)) throw new HttpFailure(415, 'content-type must be application/json');
};

/** Rejects a body by its headers, before any of it is read. */
export const checkAnnounced = (request: IncomingMessage) => {
  checkLength(request, bodyLimit);
  const { 'content-length': length = '0', 'content-type': type, 'transfer-encoding': encoding } = request.headers;
  checkContentType(request, Number(length) > 0 || (encoding !== undefined && type !== undefined));
};

/** Returns a function that reads the body on the first call and returns the same promise afterwards. */
export const bodyOf = (request: IncomingMessage) => {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readBody(request, bodyLimit).then((body) => {
      checkContentType(request, body.length > 0);
      return body;
    });
    return reading;
  };
};
