import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { NotificationBody } from '../../../application/webhooks/notification-body.js';
import { variants } from '../../../domain/variant.js';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { ProblemError } from '../../../sdk/typescript/src/errors.js';
import { writeExact } from '../../exact-json.js';
import { UsageError } from '../../usage-error.js';
import { oneOf } from '../command/arguments.js';
import type { Command, Invocation } from '../command/command.js';
import { callOrExplain, credentialsFor, urlFor, urlOption } from './call.js';

const waitSeconds = 30;
const retryMs = 1000;
/** Timeout of a request to the receiver: the same as for webhooks. */
const receiverTimeoutMs = 15_000;

const apis = variants.filter(({ surface }) => surface === 'wallet').map(({ segment }) => segment);

type Page = { readonly notifications: readonly NotificationBody[]; readonly next_after: string };
/** Outcome of forwarding a notification: the HTTP status of the receiver, or the reason why there is none. */
type Outcome = { readonly status: number | null; readonly failure: string };

const forwardUrl = (given = ''): string => {
  if (URL.canParse(given) && /^https?:/i.test(given)) return given;
  throw new UsageError('--forward-to must be an http or https URL, such as http://localhost:3000/hooks');
};

const secretFrom = (given = `whsec_${randomBytes(32).toString('base64')}`): string => {
  if (/^whsec_[A-Za-z0-9+/]{8,}={0,2}$/.test(given)) return given;
  throw new UsageError('--signing-secret must be whsec_ followed by base64, as GetWebhook returns it.');
};

/** Creates a function that posts a notification as the service posts it to a webhook, with a v1 signature. */
const createForwarding = (url: string, secret: string) => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const sign = (content: string) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return async (notification: NotificationBody): Promise<Outcome> => {
    const body = writeExact(notification);
    const { webhook_history_id: id } = notification;
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'chainfold',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(`${id}.${timestamp}.${body}`),
    };
    const signal = AbortSignal.timeout(receiverTimeoutMs);
    try {
      const { status } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return { status, failure: '' };
    } catch (error) {
      const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
      return { status: null, failure: cause?.code ?? message };
    }
  };
};

/** Waits for the time between two attempts; returns early if the signal aborts. */
const rest = (signal: AbortSignal) => pause(retryMs, undefined, { signal }).catch(() => undefined);

/**
 * Repeats a call until it succeeds. Throws an error that is not retryable. Returns null if the signal aborts first.
 */
const untilAnswered = async (
  { printError }: Invocation,
  signal: AbortSignal,
  ask: () => Promise<Page>,
): Promise<Page | null> => {
  for (let isReported = false; !signal.aborted; isReported = true) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ProblemError && !error.problem.retryable) throw error;
      if (!isReported && !signal.aborted)
        printError(`The service does not answer (${(error as Error).message}). Retrying every second.`);
    }
    await rest(signal);
  }
  return null;
};

/** Forwards a notification. Retries until the receiver responds, because receivers restart during development. */
const forwardOne = async (
  { print, printError }: Invocation,
  forward: ReturnType<typeof createForwarding>,
  notification: NotificationBody,
  signal: AbortSignal,
) => {
  const { webhook_history_id, notification_type, data } = notification;
  for (let attempts = 0; !signal.aborted; attempts++) {
    const { status, failure } = await forward(notification);
    if (status !== null) {
      const { state = '' } = data as { state?: string };
      return print(
        { webhook_history_id, notification_type, status },
        `${status}  ${notification_type}  ${state || '-'}  ${webhook_history_id}`,
      );
    }
    if (attempts === 0) printError(`${webhook_history_id} was not received (${failure}). Retrying every second.`);
    await rest(signal);
  }
};

/** Forwards the notifications of one API, one after the other, until the signal aborts. */
const follow = async (
  invocation: Invocation,
  list: (after: string) => Promise<Page>,
  forward: ReturnType<typeof createForwarding>,
  [from, signal]: readonly [string, AbortSignal],
) => {
  let after = from;
  while (!signal.aborted) {
    const page = await untilAnswered(invocation, signal, () => list(after));
    for (const notification of page?.notifications ?? [])
      if (!signal.aborted) await forwardOne(invocation, forward, notification, signal);
    after = page?.next_after ?? after;
  }
};

const filtersIn = ({ options: { wallet, types } }: Invocation) => ({
  ...(wallet !== undefined && { wallet_id: wallet }),
  ...(types !== undefined && { notification_types: types.split(',') }),
});

export const listen: Command = {
  words: 'listen',
  summary: 'Forward notifications to a URL, such as a receiver on this machine, until it is stopped.',
  options: {
    'forward-to': { type: 'string', value: 'URL', summary: 'URL that notifications are posted to.', required: true },
    api: { type: 'string', value: apis.join('|'), summary: 'API to listen to; all wallet APIs by default.' },
    wallet: { type: 'string', value: 'ID', summary: 'Only notifications about this wallet.' },
    types: { type: 'string', value: 'TYPE,…', summary: 'Only notifications of these types.' },
    after: { type: 'string', value: 'ID', summary: 'Start after this notification; with new ones by default.' },
    'signing-secret': {
      type: 'string',
      value: 'WHSEC',
      summary: 'Secret that signs the notifications; a new one, which is printed, by default.',
    },
    url: urlOption,
    key: { type: 'string', value: 'KEY', summary: 'The api_key; CHAINFOLD_API_KEY or the demo key by default.' },
    secret: { type: 'string', value: 'SECRET', summary: 'The api_secret.' },
  },
  details: () =>
    [
      'Notifications arrive as webhooks do, with a v1 signature under the signing secret. The receiver needs no public',
      'address, and the organization needs no webhook. Notifications that no webhook receives have an empty webhook_id.',
    ].join('\n'),
  run: async (invocation) => {
    const { options, print, stopped } = invocation;
    const forwardTo = forwardUrl(options['forward-to']);
    const secret = secretFrom(options['signing-secret']);
    const listened = options.api === undefined ? apis : [oneOf('--api', options.api, apis)];
    if (options.after !== undefined && options.api === undefined)
      throw new UsageError('--after requires --api, because an id belongs to one API.');
    const url = urlFor(invocation);
    const client = createClient({ url, ...credentialsFor(invocation), maxRetries: 0 });
    const stop = new AbortController();
    void stopped().then(() => stop.abort());
    const listOf = (api: string, wait_seconds: number) => (after: string) =>
      client.call(
        api,
        'ListNotifications',
        { ...filtersIn(invocation), after, wait_seconds },
        { signal: stop.signal },
      ) as Promise<Page>;
    const start = (api: string) => callOrExplain(url, () => listOf(api, 0)('latest'));
    // Makes the first calls without retries, so that a wrong key or URL ends the command.
    const starts = await Promise.all(listened.map(async (api) => options.after ?? (await start(api)).next_after));
    const forward = createForwarding(forwardTo, secret);
    print(
      { ready: true, forward_to: forwardTo, signing_secret: secret },
      `Forwarding notifications to ${forwardTo}. Signing secret: ${secret}\nPress Ctrl-C to stop.`,
    );
    await Promise.all(
      listened.map((api, i) =>
        follow(invocation, listOf(api, waitSeconds), forward, [starts[i] ?? 'latest', stop.signal]),
      ),
    );
  },
};
