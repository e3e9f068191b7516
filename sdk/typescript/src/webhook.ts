import { WebhookVerificationError } from './errors.js';
import { readExact } from './exact-json.js';
import { hmac, importPublicKey, isSigned } from './sign.js';

/** Body of a webhook, and item of the notification feed. */
export type WebhookNotification = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly notification_type: string;
  readonly create_time: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Received headers: a `Headers` object, as in `fetch`, or the `headers` of a Node request. */
type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerificationOptions = {
  /**
   * Secret of the webhook (`whsec_…`), as GetWebhook returns it. During a rotation, pass both the old and the new
   * secret.
   */
  readonly secret?: string | readonly string[];
  /**
   * Public key of the webhook (`whpk_…`), as GetWebhook or ListWebhooks returns it. During a rotation, pass both the
   * old and the new key.
   */
  readonly publicKey?: string | readonly string[];
  /**
   * Maximum difference between the timestamp of the webhook and `now` in seconds, in either direction; 300 by default.
   */
  readonly toleranceSeconds?: number;
  /** Time of the receipt in Unix milliseconds; the current time by default. */
  readonly now?: number;
};

const headerIn = (headers: ReceivedHeaders, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing`);
};

const listOf = (oneOrMore: string | readonly string[]): readonly string[] =>
  typeof oneOrMore === 'string' ? [oneOrMore] : oneOrMore;
/** Decodes base64; null if it is malformed. */
const decode = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return null;
  }
};
/** Number of bytes of an ed25519 public key. */
const publicKeyBytes = 32;

/**
 * Maximum number of signatures that are checked, so that a request of an attacker with many signatures costs little.
 */
const maxSignatures = 16;

/** Decodes the signatures of one version (`v1` or `v1a`) in the header. Leaves out malformed signatures. */
const signaturesIn = (header: string, version: string) =>
  header
    .split(' ')
    .flatMap((one) => {
      const [name, signature = ''] = one.split(',');
      return (name === version ? decode(signature) : null) ?? [];
    })
    .slice(0, maxSignatures);

/** Compares two byte arrays in constant time: the time does not depend on the position of the first difference. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ (b[i] ?? 0)), 0) === 0;

/** Decodes a secret or a public key. `size` is its number of bytes; if undefined, any number but 0. */
const decodeKey = (text: string, prefix: string, size?: number): Uint8Array<ArrayBuffer> => {
  const key = text.startsWith(prefix) ? decode(text.slice(prefix.length)) : decode(text);
  if (key && key.length > 0 && key.length === (size ?? key.length)) return key;
  throw new WebhookVerificationError('A given secret or public key is malformed');
};

const matchesSecret = async (secret: Uint8Array<ArrayBuffer>, content: string, header: string): Promise<boolean> => {
  const expected = new Uint8Array(await hmac(secret, content));
  return signaturesIn(header, 'v1').some((one) => isEqual(one, expected));
};

const matchesKey = async (publicKey: Uint8Array<ArrayBuffer>, content: string, header: string): Promise<boolean> => {
  const key = await importPublicKey(publicKey);
  const matches = signaturesIn(header, 'v1a').map((one) => isSigned(key, one, content));
  return (await Promise.all(matches)).includes(true);
};

/**
 * Verifies a webhook by the Standard Webhooks scheme under its secret (`v1`) or its public key (`v1a`), and returns its
 * notification. `body` is the text as it was received. Throws WebhookVerificationError if the webhook must not be
 * trusted.
 */
export const verifyWebhook = async (
  body: string,
  headers: ReceivedHeaders,
  { secret = [], publicKey = [], toleranceSeconds = 300, now = Date.now() }: VerificationOptions,
): Promise<WebhookNotification> => {
  const id = headerIn(headers, 'webhook-id');
  const timestamp = headerIn(headers, 'webhook-timestamp');
  const signatures = headerIn(headers, 'webhook-signature');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError('The webhook is too old, or its timestamp is in the future');
  const content = `${id}.${timestamp}.${body}`;
  const secrets = listOf(secret).map((one) => decodeKey(one, 'whsec_'));
  const publicKeys = listOf(publicKey).map((one) => decodeKey(one, 'whpk_', publicKeyBytes));
  const matches = [
    ...secrets.map((one) => matchesSecret(one, content, signatures)),
    ...publicKeys.map((one) => matchesKey(one, content, signatures)),
  ];
  if (!(await Promise.all(matches)).includes(true))
    throw new WebhookVerificationError('No signature of the webhook matches any of the given secrets or public keys');
  return readExact(body) as WebhookNotification;
};
