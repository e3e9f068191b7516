import { WebhookVerificationError } from './errors.js';
import { readExact } from './exact-json.js';
import { hmac } from './sign.js';

/** Body of a webhook, and item of the notification feed. */
export type WebhookNotification = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly notification_type: string;
  readonly create_time: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Received headers: those of `fetch`, or of Node's `request.headers`. */
type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerificationOptions = {
  /** Secret of the webhook, `whsec_…`, from GetWebhook. Two secrets are accepted during a rotation. */
  readonly secret: string | readonly string[];
  /** Greatest age of a webhook, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Time of the receipt in milliseconds; the current time by default. */
  readonly now?: number;
};

const headerIn = (headers: ReceivedHeaders, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing`);
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
const base64Of = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** Compares in a time that does not depend on the position of the first difference. */
const isEqual = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % (b.length || 1));
  return difference === 0;
};

/**
 * Verifies a webhook by the Standard Webhooks scheme, version `v1`, and returns its notification. `body` is the text as
 * it was received. Throws WebhookVerificationError if the webhook must not be trusted.
 */
export const verifyWebhook = async (
  body: string,
  headers: ReceivedHeaders,
  { secret, toleranceSeconds = 300, now = Date.now() }: VerificationOptions,
): Promise<WebhookNotification> => {
  const id = headerIn(headers, 'webhook-id');
  const timestamp = headerIn(headers, 'webhook-timestamp');
  const signatures = headerIn(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError('The webhook is too old, or its timestamp is in the future');
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const expected = await Promise.all(
    secrets.map(async (one) => {
      const key = bytesOf(one.replace(/^whsec_/, ''));
      return `v1,${base64Of(await hmac(key, `${id}.${timestamp}.${body}`))}`;
    }),
  );
  if (!signatures.some((signature) => expected.some((one) => isEqual(signature, one))))
    throw new WebhookVerificationError('No signature of the webhook matches the secret');
  return readExact(body) as WebhookNotification;
};
