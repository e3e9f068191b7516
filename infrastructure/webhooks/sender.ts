import type { Dispatcher } from 'undici';
import type { PostResult, Sender, WebhookMessage } from '../../application/ports/sender.js';
import { type Egress, privateNetwork } from '../egress/guard.js';
import { type ClientSpan, inClientSpan } from '../tracing/active-span.js';
import { createExcerpt } from './response-excerpt.js';

type SenderSettings = {
  /** HTTP client for untrusted URLs. Closing the sender also closes this client. */
  readonly egress: Egress;
  readonly now?: () => number;
  /** Milliseconds for the whole exchange: DNS lookup, waiting for a connection, sending, response and body. */
  readonly deadlineMs?: number;
};

type RetryAfter = string | readonly string[] | undefined;
type Outcome = Pick<PostResult, 'status' | 'failure' | 'answer'> & { readonly retryAfter: RetryAfter };

const maxHeaderPartLength = 1000;
/**
 * Maximum number of interim responses (status 1xx) per request. Each response is small, so a size limit would not end
 * an endless series.
 */
const maxInterimResponses = 8;
export const defaultDeadlineMs = 15_000;
export const maxRetryAfterMs = 24 * 3_600_000;

/** Grammar of a header name: RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters outside printable Latin-1. Control characters are rejected, even the tab that HTTP allows. */
const unprintable = /[^\x20-\x7e\xa0-\xff]/;
/** Headers that customers may not set: message framing, routing, and headers with our signature or credentials. */
const reserved =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|keep-alive|(?:proxy|webhook|x-api)-.*)$/i;

const nameFault = (name: string) => {
  if (name.length > maxHeaderPartLength) return `the name must have at most ${maxHeaderPartLength} characters`;
  if (!token.test(name)) return "the name must consist of letters, digits and !#$%&'*+-.^_`|~";
  return reserved.test(name) ? 'the name is reserved for HTTP and for the service itself' : null;
};
const valueFault = (value: string) => {
  if (value.length > maxHeaderPartLength) return `the value must have at most ${maxHeaderPartLength} characters`;
  return unprintable.test(value) ? 'the value must contain only Latin-1 characters and no control characters' : null;
};
const checkHeader: Sender['checkHeader'] = (name, value) => {
  const nameReason = nameFault(name);
  if (nameReason !== null) return { part: 'name', reason: nameReason };
  const valueReason = valueFault(value);
  return valueReason === null ? null : { part: 'value', reason: valueReason };
};

/**
 * Failure texts for customers, by system call and error code (or error name, if there is no code). The texts reveal no
 * addresses, ports or software.
 */
const failures: readonly (readonly [error: RegExp, failure: string])[] = [
  [/ (?:ENOTFOUND|ENODATA)$/, 'host name not found in DNS'],
  [/^(?:query|getaddrinfo)/, 'DNS lookup failed'],
  [/ ECONNREFUSED$/, 'connection refused'],
  [/ (?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|E[A-Z]+UNREACH)$/, 'host unreachable'],
  [/ (?:UND_ERR_SOCKET|ECONNRESET|ECONNABORTED|EPIPE)$/, 'connection closed before a response'],
  [/ CERT_HAS_EXPIRED$/, 'TLS certificate has expired'],
  [/ ERR_TLS_CERT_ALTNAME/, 'TLS certificate is for another host name'],
  [/ (?:[A-Z_]*CERT|UNABLE_TO_|INVALID_|ERR_TLS_CERT)/, 'TLS certificate is not trusted'],
  [/ (?:ERR_SSL_|ERR_TLS_|EPROTO)/, 'TLS handshake failed'],
  [/ UND_ERR_HEADERS_OVERFLOW$/, 'response headers too large'],
  [/ (?:HTTPParserError$|HPE_|UND_ERR_RES_)/, 'response is not valid HTTP'],
  [/ UND_ERR_(?:DESTROYED|CLOSED)$/, 'service is shutting down'],
  [/ EGRESS_REFUSED$/, `the URL ${privateNetwork}`],
];

const failureOf = (error: Error) => {
  const { name, syscall = '', code = name } = error as NodeJS.ErrnoException;
  return failures.find(([pattern]) => pattern.test(`${syscall} ${code}`))?.[1] ?? 'request could not be sent';
};

/** Date formats of RFC 9110, 5.6.7. The oldest of the three (asctime) omits GMT. */
const httpDate = /^[A-Z][a-z]{2,8},? [A-Za-z0-9: -]{15,30}$/;

const retryTime = (given: RetryAfter, now: number) => {
  const text = (typeof given === 'string' ? given : given?.[0])?.trim() ?? '';
  const date = () => (httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN);
  const at = /^\d+$/.test(text) ? now + Number(text) * 1000 : date();
  return at > now ? Math.min(at, now + maxRetryAfterMs) : null;
};

/**
 * Lists the headers as undici accepts them: name and value alternate. A trace context that the customer configured
 * takes precedence over ours.
 */
const headersOf = ({ headers, id, timestamp, signature }: WebhookMessage, span: ClientSpan | undefined) => {
  const all = ['content-type', 'application/json', 'accept-encoding', 'identity'];
  all.push('webhook-id', id, 'webhook-timestamp', `${timestamp}`, 'webhook-signature', signature);
  if (!headers.some(([name]) => name.toLowerCase() === 'user-agent')) all.push('user-agent', 'chainfold');
  for (const [name, value] of headers) all.push(name, value);
  if (span && !headers.some(([name]) => /^trace(?:parent|state)$/i.test(name)))
    all.push(...Object.entries(span.headers).flat());
  return all;
};

const requestOf = (message: WebhookMessage, span: ClientSpan | undefined): Dispatcher.DispatchOptions => {
  const { origin, pathname, search } = new URL(message.url);
  return {
    origin,
    path: pathname + search,
    method: 'POST',
    headers: headersOf(message, span),
    body: message.body,
    // The deadline replaces undici's timeouts, which restart with every received byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
};

/**
 * Sends one request and resolves with its outcome. A response after the deadline is ignored, and a request that still
 * waits for a connection at the deadline is never sent.
 */
const exchange = (dispatcher: Dispatcher, message: WebhookMessage, deadlineMs: number, span: ClientSpan | undefined) =>
  new Promise<Outcome>((resolve) => {
    const excerpt = createExcerpt();
    let status: number | null = null;
    let retryAfter: RetryAfter;
    let interimResponses = 0;
    let isOver = false;
    let running: Dispatcher.DispatchController | undefined;
    // A response with a status counts even if its body is cut off: a retry would deliver twice.
    const end = (failure: string) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve({ status, failure: status === null ? failure : '', answer: excerpt.text(message), retryAfter });
      running?.abort(new Error(failure));
    };
    const timer = setTimeout(() => end(`no response within ${deadlineMs / 1000} s`), deadlineMs);
    dispatcher.dispatch(requestOf(message, span), {
      onRequestStart: (controller) => {
        // Throwing here, unlike aborting, keeps the connection usable for the next request.
        if (isOver) throw new Error('the deadline passed before the request could be sent');
        running = controller;
      },
      onResponseStart: (_, statusCode, headers) => {
        if (statusCode < 200) {
          interimResponses += 1;
          if (interimResponses > maxInterimResponses)
            end(`more than ${maxInterimResponses} interim responses (status 1xx)`);
          return;
        }
        status = statusCode;
        span?.note({ 'http.response.status_code': status });
        retryAfter = headers['retry-after'];
      },
      onResponseData: (_, chunk) => {
        if (!excerpt.take(chunk)) end('');
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

/**
 * Creates a sender that posts webhooks over keep-alive connections through the egress guard. Responses are untrusted
 * and bounded in size and time.
 */
export const webhookSender = ({ egress, now = Date.now, deadlineMs = defaultDeadlineMs }: SenderSettings): Sender => {
  /** Checks the URL and headers before each attempt, because a webhook may have been registered under older rules. */
  const failureBeforeSending = ({ url, headers }: WebhookMessage) => {
    const refused = egress.check(url);
    if (refused) return `the URL ${refused}`;
    const invalid = headers.find(([name, value]) => checkHeader(name, value) !== null);
    return invalid ? `header ${JSON.stringify(invalid[0])}: ${checkHeader(...invalid)?.reason}` : null;
  };
  const outcomeOf = (message: WebhookMessage): Outcome | Promise<Outcome> => {
    const failure = failureBeforeSending(message);
    if (failure) return { status: null, failure, answer: '', retryAfter: undefined };
    return inClientSpan(
      () => ({ name: 'POST', attributes: { 'server.address': new URL(message.url).hostname } }),
      (span) => exchange(egress.dispatcher, message, deadlineMs, span),
    );
  };
  return {
    check: egress.check,
    checkHeader,
    post: async (message) => {
      const began = performance.now();
      const { status, failure, answer, retryAfter } = await outcomeOf(message);
      const durationMs = Math.round(performance.now() - began);
      return { status, failure, answer, durationMs, retryAt: retryTime(retryAfter, now()) };
    },
    close: () => egress.close(),
  };
};
