import { createHmac, hash, hkdfSync, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Log, System } from '../application/ports/system.js';

/** The time in front, so that ids sort by when they were made (UUID version 7); the rest stays random. */
const uuid = () => {
  const now = Date.now();
  if (now !== lastTime) {
    const time = now.toString(16).padStart(12, '0');
    timePart = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    lastTime = now;
  }
  return timePart + randomUUID().slice(15);
};
let lastTime = 0;
let timePart = '';

export const sha256 = (bytes: Uint8Array | string) => hash('sha256', bytes, 'hex');
const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text).digest('hex');

const signer = (secret: Uint8Array): System['sign'] => {
  const keys = new Map<string, Uint8Array>();
  const keyFor = (purpose: string) => {
    const key = keys.get(purpose) ?? new Uint8Array(hkdfSync('sha256', secret, '', `chainfold ${purpose}`, 32));
    keys.set(purpose, key);
    return key;
  };
  return (purpose, text) => hmac(keyFor(purpose), text);
};

export const nodeSystem = (keys: { service: Uint8Array; stores: Uint8Array }, log: Log): System => ({
  now: Date.now,
  sleep: (ms, signal) => setTimeout(ms, undefined, signal && { signal }).catch(() => undefined),
  breathe: () => setImmediate(),
  uuid,
  secret: () => randomBytes(32).toString('hex'),
  sha256,
  hmac,
  sign: signer(keys.service),
  signHere: signer(keys.stores),
  same: (a, b) => {
    const [one, other] = [Buffer.from(a), Buffer.from(b)];
    return one.length === other.length && timingSafeEqual(one, other);
  },
  log,
});
