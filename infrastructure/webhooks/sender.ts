import type { Dispatcher } from 'undici';
import type { Reception, Sender, WebhookMessage } from '../../application/ports/sender.js';
import { type Egress, privateNetwork } from '../egress/guard.js';

type SenderSettings = {
  /** Connections to receivers; closing the sender closes them. */
  readonly egress: Egress;
  readonly now?: () => number;
  /** Time for the whole exchange: name lookup, waiting for a connection, sending, and the answer with its body. */
  readonly deadlineMs?: number;
};

type RetryAfter = string | readonly string[] | undefined;
type Outcome = Pick<Reception, 'status' | 'failure' | 'answer'> & { readonly retryAfter: RetryAfter };

const maxHeaderPartLength = 1000;
const maxKeptBytes = 1024;
/** Bytes read before the connection is given up: reusing it is worth reading a short error page to its end. */
const maxReadBytes = 16_384;
/**
 * Interim responses (status 1xx) accepted per request. Each is small, so no size limit would end an endless series of
 * them.
 */
const maxHints = 8;
export const answerWithinMs = 15_000;
export const maxWaitMs = 24 * 3_600_000;

/** Grammar of a header name: RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Latin-1 is sent as it is; control characters are refused, even the tab that HTTP allows. */
const unprintable = /[^\x20-\x7e\xa0-\xff]/;
/** Headers that customers may not set: message framing, routing, and those that carry our signature or credentials. */
const reserved =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|keep-alive|(?:proxy|webhook|x-api)-.*)$/i;

const nameFault = (name: string) => {
  if (name.length > maxHeaderPartLength) return `the name must have at most ${maxHeaderPartLength} characters`;
  if (!token.test(name)) return "the name must consist of letters, digits and !#$%&'*+-.^_`|~";
  return reserved.test(name) ? 'the name is reserved for the headers of HTTP and of the service itself' : null;
};
const valueFault = (value: string) => {
  if (value.length > maxHeaderPartLength) return `the value must have at most ${maxHeaderPartLength} characters`;
  return unprintable.test(value) ? 'the value must hold Latin-1 without control characters' : null;
};
const checkHeader: Sender['checkHeader'] = (name, value) => {
  const ofName = nameFault(name);
  if (ofName !== null) return { part: 'name', reason: ofName };
  const ofValue = valueFault(value);
  return ofValue === null ? null : { part: 'value', reason: ofValue };
};

/**
 * Texts for customers, by system call and error code (or name, if there is no code). They reveal no addresses, ports or
 * software.
 */
const failures: readonly (readonly [error: RegExp, failure: string])[] = [
  [/ (?:ENOTFOUND|ENODATA)$/, 'the host name has no address'],
  [/^(?:query|getaddrinfo)/, 'the host name could not be looked up'],
  [/ ECONNREFUSED$/, 'the connection was refused'],
  [/ (?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|E[A-Z]+UNREACH)$/, 'the host could not be reached'],
  [/ (?:UND_ERR_SOCKET|ECONNRESET|ECONNABORTED|EPIPE)$/, 'the connection broke before an answer'],
  [/ CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/ ERR_TLS_CERT_ALTNAME/, 'the certificate is for another host'],
  [/ (?:[A-Z_]*CERT|UNABLE_TO_|INVALID_|ERR_TLS_CERT)/, 'the certificate is not trusted'],
  [/ (?:ERR_SSL_|ERR_TLS_|EPROTO)/, 'TLS could not be agreed on'],
  [/ UND_ERR_HEADERS_OVERFLOW$/, 'the headers of the answer were too large'],
  [/ (?:HTTPParserError$|HPE_|UND_ERR_RES_)/, 'the answer was not HTTP'],
  [/ UND_ERR_(?:DESTROYED|CLOSED)$/, 'the service is stopping'],
  [/ EGRESS_REFUSED$/, `the URL ${privateNetwork}`],
];

const failureOf = (error: Error) => {
  const { name, syscall = '', code = name } = error as NodeJS.ErrnoException;
  return failures.find(([pattern]) => pattern.test(`${syscall} ${code}`))?.[1] ?? 'the notification could not be sent';
};

/** The three date formats of RFC 9110, 5.6.7; the oldest of them (asctime) omits GMT. */
const httpDate = /^[A-Z][a-z]{2,8},? [A-Za-z0-9: -]{15,30}$/;

const retryTime = (given: RetryAfter, now: number) => {
  const text = (typeof given === 'string' ? given : given?.[0])?.trim() ?? '';
  const date = () => (httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN);
  const at = /^\d+$/.test(text) ? now + Number(text) * 1000 : date();
  return at > now ? Math.min(at, now + maxWaitMs) : null;
};

const beginningOf = () => {
  const kept = Buffer.alloc(maxKeptBytes);
  let size = 0;
  return {
    /** Keeps the beginning of the body; returns false once enough of it was read. */
    take: (chunk: Uint8Array) => {
      kept.set(chunk.subarray(0, Math.max(0, maxKeptBytes - size)), Math.min(size, maxKeptBytes));
      size += chunk.length;
      return size <= maxReadBytes;
    },
    // A character cut in two by the limit is omitted; invalid bytes from the receiver become U+FFFD.
    text: () => new TextDecoder().decode(kept.subarray(0, size), { stream: size > maxKeptBytes }).replaceAll('\0', ''),
  };
};

/**
 * Sends one request and resolves with its outcome. After the deadline no answer counts, and a request that is still
 * waiting for a connection is not sent.
 */
const exchange = (dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, deadlineMs: number) =>
  new Promise<Outcome>((resolve) => {
    const beginning = beginningOf();
    let status: number | null = null;
    let retryAfter: RetryAfter;
    let hints = 0;
    let isOver = false;
    let running: Dispatcher.DispatchController | undefined;
    // A receiver that sent a status has answered, even if its body breaks off: sending again would deliver twice.
    const end = (failure: string) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve({ status, failure: status === null ? failure : '', answer: beginning.text(), retryAfter });
      running?.abort(new Error(failure));
    };
    const timer = setTimeout(() => end(`no answer within ${deadlineMs / 1000} s`), deadlineMs);
    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        // Throwing here, unlike aborting, leaves the connection usable for the next request.
        if (isOver) throw new Error('the deadline passed before the request could be sent');
        running = controller;
      },
      onResponseStart: (_, statusCode, headers) => {
        if (statusCode < 200) {
          hints += 1;
          if (hints > maxHints) end('the answer had too many interim responses (status 1xx)');
          return;
        }
        status = statusCode;
        retryAfter = headers['retry-after'];
      },
      onResponseData: (_, chunk) => {
        if (!beginning.take(chunk)) end('');
      },
      onResponseEnd: () => {
        running = undefined;
        end('');
      },
      onResponseError: (_, error) => {
        running = undefined;
        end(failureOf(error));
      },
    });
  });

const headersOf = ({ headers, id, timestamp, signature }: WebhookMessage) => {
  const all = ['content-type', 'application/json', 'accept-encoding', 'identity'];
  all.push('webhook-id', id, 'webhook-timestamp', `${timestamp}`, 'webhook-signature', signature);
  if (!headers.some(([name]) => name.toLowerCase() === 'user-agent')) all.push('user-agent', 'chainfold');
  for (const [name, value] of headers) all.push(name, value);
  return all;
};

const requestOf = (letter: WebhookMessage): Dispatcher.DispatchOptions => {
  const { origin, pathname, search } = new URL(letter.url);
  return {
    origin,
    path: pathname + search,
    method: 'POST',
    headers: headersOf(letter),
    body: letter.body,
    // Undici's timeouts restart with every byte received; the deadline does not.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
};

/**
 * Posts webhooks over kept connections through the egress guard; answers are untrusted and bounded in size and time.
 */
export const webhookSender = ({ egress, now = Date.now, deadlineMs = answerWithinMs }: SenderSettings): Sender => {
  /** Checks the URL and headers before every attempt, because a webhook may have been registered under older rules. */
  const refusalOf = ({ url, headers }: WebhookMessage) => {
    const refused = egress.check(url);
    if (refused) return `the URL ${refused}`;
    const isUnfit = headers.some(([name, value]) => checkHeader(name, value) !== null);
    return isUnfit ? 'one of the headers cannot be sent' : null;
  };
  const outcomeOf = (letter: WebhookMessage): Outcome | Promise<Outcome> => {
    const failure = refusalOf(letter);
    if (failure) return { status: null, failure, answer: '', retryAfter: undefined };
    return exchange(egress.dispatcher, requestOf(letter), deadlineMs);
  };
  return {
    check: egress.check,
    checkHeader,
    post: async (letter) => {
      const began = performance.now();
      const { status, failure, answer, retryAfter } = await outcomeOf(letter);
      const durationMs = Math.round(performance.now() - began);
      return { status, failure, answer, durationMs, retryAt: retryTime(retryAfter, now()) };
    },
    close: () => egress.close(),
  };
};
