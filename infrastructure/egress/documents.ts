import type { Dispatcher } from 'undici';
import type { Documents } from '../../application/ports/documents.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import type { Egress } from './guard.js';

type DocumentSettings = {
  readonly egress: Egress;
  /** URL to which a CID is appended, such as https://ipfs.io/ipfs/. Undefined disables IPFS. */
  readonly ipfsGateway: string | undefined;
  readonly log: Log;
  /** Time limit in milliseconds for DNS lookup, connection, redirects and body together. Default 5000. */
  readonly deadlineMs?: number;
};

type Reader = (url: string, signal: AbortSignal) => string | Promise<string>;

const maxBytes = 262_144;
const maxRedirects = 3;
const maxInterimResponses = 8;
/** Maximum length of a data URL: three characters for each percent-encoded byte, and 1,024 for the media type. */
const maxDataUrlLength = 3 * maxBytes + 1024;
const maxLoggedLength = 200;

const headers = { accept: 'application/json, */*;q=0.5', 'accept-encoding': 'identity', 'user-agent': 'chainfold' };
const redirects = new Set([301, 302, 303, 307, 308]);

const fail = (reason: string): never => {
  throw new Error(reason);
};
const tooLarge = () => fail(`is larger than ${maxBytes} bytes`);
const unknownScheme = 'has an unknown scheme, expected data:, http:, https: or ipfs:';

const utf8 = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/**
 * Decodes percent-encoding. Malformed escapes stay as they are, as in browsers: some contracts write a plain `100%`.
 */
const percentDecoded = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => utf8(Buffer.from(run.replaceAll('%', ''), 'hex')));

const base64Decoded = (text: string) => {
  const digits = text.replace(/[\t\n\f\r ]+/g, '');
  if (digits.length > Math.ceil(maxBytes / 3) * 4) tooLarge();
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(digits) ? utf8(Buffer.from(digits, 'base64')) : fail('is not base64');
};

const readData: Reader = (url) => {
  if (url.length > maxDataUrlLength) tooLarge();
  const comma = url.indexOf(',');
  if (comma < 0) fail('has no comma before the data');
  const text = percentDecoded(url.slice(comma + 1));
  const isBase64 = url.slice(0, comma).trimEnd().toLowerCase().endsWith(';base64');
  return isBase64 ? base64Decoded(text) : text;
};

/** Collects a body in one buffer, so that a body sent in many tiny chunks costs no extra memory. */
const bytesOf = async (body: Dispatcher.ResponseData['body']) => {
  const bytes = new Uint8Array(maxBytes);
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (size + chunk.length > maxBytes) tooLarge();
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return bytes.subarray(0, size);
};

const textOf = async ({
  statusCode,
  headers: { 'content-encoding': encoding, ...rest },
  body,
}: Dispatcher.ResponseData) => {
  if (statusCode < 200 || statusCode > 299) fail(`was answered with status ${statusCode}, expected 2xx`);
  // Compressed bodies are rejected: the request does not accept them, and a decompressed body would need its own size
  // limit.
  if (encoding !== undefined && encoding !== 'identity') fail(`has content-encoding ${encoding}, expected identity`);
  if (Number(rest['content-length']) > maxBytes) tooLarge();
  return utf8(await bytesOf(body));
};

const redirectOf = ({ statusCode, headers: { location } }: Dispatcher.ResponseData, from: string) => {
  if (!redirects.has(statusCode)) return null;
  return typeof location === 'string' && URL.canParse(location, from)
    ? new URL(location, from).href
    : fail('is redirected without a valid location header');
};

/**
 * Creates a handler that limits the number of interim responses (status 1xx), because the size limit would not end an
 * endless series of them.
 */
const limitInterimResponses = () => {
  let left = maxInterimResponses;
  return () => {
    if (left === 0) fail(`sent more than ${maxInterimResponses} interim responses (status 1xx)`);
    left -= 1;
  };
};

const readWeb =
  ({ check, dispatcher }: Egress): Reader =>
  async (given, signal) => {
    let url = given;
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const refused = check(url);
      if (refused) fail(refused);
      const { origin, pathname, search } = new URL(url);
      const target = { origin, path: pathname + search, method: 'GET' } as const;
      const answer = await dispatcher.request({ ...target, headers, signal, onInfo: limitInterimResponses() });
      const next = redirectOf(answer, url);
      if (next === null) return textOf(answer);
      url = next;
    }
    return fail(`is redirected more than ${maxRedirects} times`);
  };

/** Builds the gateway URL of `ipfs://CID/path`. Many contracts write a redundant `ipfs/` before the CID. */
const gatewayUrl = (url: string, gateway: string) => {
  const [, cid, path = ''] =
    /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{32,128})([/?].*)?$/i.exec(url) ?? fail('has no valid CID after ipfs://');
  const root = new URL(`${gateway.replace(/(?<!\/)\/*$/, '/')}${cid}`).href;
  // File names often contain `#`, and IPFS URLs have no fragment, so `#` is encoded as part of the path.
  const whole = new URL(root + path.replaceAll('#', '%23')).href;
  return whole.startsWith(root) ? whole : fail('has a path that leads out of the folder of its CID');
};

/**
 * Reads documents from URLs in token contracts. Neither the URL nor the response is trusted; `read` resolves to null on
 * failure.
 */
export const guardedDocuments = ({ egress, ipfsGateway, log, deadlineMs = 5000 }: DocumentSettings): Documents => {
  const web = readWeb(egress);
  const readers: Readonly<Record<string, Reader>> = {
    'data:': readData,
    'http:': web,
    'https:': web,
    'ipfs:': (url, signal) =>
      web(gatewayUrl(url, ipfsGateway ?? fail('needs an IPFS gateway: set CHAINFOLD_IPFS_GATEWAY')), signal),
  };
  const readText = async (url: string, signal: AbortSignal) => {
    const read = readers[url.slice(0, url.indexOf(':') + 1).toLowerCase()] ?? (() => fail(unknownScheme));
    const text = await read(url, signal);
    if (Buffer.byteLength(text) > maxBytes) tooLarge();
    return text.isWellFormed() && !text.includes('\0') ? text : fail('is not valid text');
  };
  return {
    read: async (url) => {
      const abandon = new AbortController();
      try {
        return await withDeadline(readText(url.trim(), abandon.signal), deadlineMs);
      } catch (error) {
        const reason = error instanceof Error ? error.message || error.name : String(error);
        log.info({ url: url.slice(0, maxLoggedLength), reason }, 'Token document could not be read');
        return null;
      } finally {
        // Aborting also releases the responses that were redirects: their bodies are never read.
        abandon.abort();
      }
    },
  };
};
