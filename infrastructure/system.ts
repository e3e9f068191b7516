import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log, System } from '../application/ports/system.js';
import { loopTurn } from './loop-turn.js';
import { hasEnded, processId } from './process-id.js';

/**
 * Number of ids for which random digits are formatted at once, because formatting is the most expensive step of
 * creating an id.
 */
const idsPerBatch = 256;
const randomBytesPerId = 9;
const randomLength = 'rrr-arrr-rrrrrrrrrrrr'.length;
const randomParts = () =>
  randomBytes(idsPerBatch * randomBytesPerId)
    .toString('hex')
    .replace(/(.{3})(.{3})(.{12})/g, '$1-a$2-$3');

/** Creates a generator of UUIDs version 7, which begin with the time and therefore sort by creation. */
const createUuid = () => {
  let time = 0;
  let timePart = '';
  let random = '';
  let used = 0;
  return () => {
    const now = Date.now();
    if (now !== time) {
      const digits = now.toString(16).padStart(12, '0');
      timePart = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
      time = now;
    }
    if (used === random.length) {
      random = randomParts();
      used = 0;
    }
    used += randomLength;
    return timePart + random.slice(used - randomLength, used);
  };
};
const uuid = createUuid();

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
  breathe: loopTurn,
  processId,
  hasEnded,
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
