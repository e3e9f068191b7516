import { didYouMean } from '../../domain/nearest-name.js';
import { defaultRequestTimeoutMs, requestTimeoutBounds } from '../deadlines.js';
import { requestLogPolicy } from '../logging/request-log-policy.js';
import { BadSetting } from './bad-setting.js';
import { memoryBudgetOf, memoryMebibytes } from './memory-budget.js';

export const bad = (name: string, rule: string): never => {
  throw new BadSetting(`${name} ${rule}`);
};

export const port = (name: string, value = '8080') =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : bad(name, 'must be a port from 0 to 65535');

export const host = (name: string, value = '127.0.0.1') =>
  /^[A-Za-z0-9.:_-]+$/.test(value) ? value : bad(name, 'must be a host name or an IP address');

export const flag = (name: string, value: string | undefined, byDefault: boolean) => {
  if (value === undefined) return byDefault;
  return value === 'true' || value === 'false' ? value === 'true' : bad(name, 'must be true or false');
};

export const oneOf = (name: string, value: string, allowed: readonly string[]) =>
  allowed.includes(value) ? value : bad(name, `must be one of ${allowed.join(', ')}${didYouMean(value, allowed)}`);
export const isOn = (name: string, value: string | undefined, byDefault: 'on' | 'off') =>
  oneOf(name, value ?? byDefault, ['on', 'off']) === 'on';

/** Accepts lower case only, because MongoDB rejects databases whose names differ only in case. */
export const namespace = (name: string, value = '') =>
  value === '' || /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(value)
    ? value
    : bad(name, 'must be 1 to 20 characters of a-z, 0-9 and "-", and must not begin or end with "-"');

export const masterKey = (name: string, value: string | undefined) => {
  if (value === undefined) return undefined;
  if (/^[0-9a-fA-F]{64}$/.test(value)) return new Uint8Array(Buffer.from(value, 'hex'));
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return new Uint8Array(Buffer.from(value, 'base64'));
  return bad(name, 'must be 32 bytes in hex or base64');
};

export const token = (name: string, value: string | undefined) => {
  if (value === undefined) return undefined;
  return /^[\x21-\x7e]{16,}$/.test(value)
    ? value
    : bad(name, 'must be at least 16 printable characters without spaces');
};

const maxTimerMs = 2 ** 31 - 1;
export const milliseconds = (name: string, value: string) =>
  /^\d{1,10}$/.test(value) && Number(value) <= maxTimerMs
    ? Number(value)
    : bad(name, `must be a number of milliseconds from 0 to ${maxTimerMs}`);

export const requestTimeout = (name: string, value = String(defaultRequestTimeoutMs)) => {
  const { min, max } = requestTimeoutBounds;
  const isWithin = /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return isWithin ? Number(value) : bad(name, `must be a number of milliseconds from ${min} to ${max}`);
};

export const seconds = (name: string, value: string) =>
  /^\d{1,9}$/.test(value) ? Number(value) : bad(name, 'must be a whole number of seconds');

const dayMs = 86_400_000;
/** Bounds and default of CHAINFOLD_ACCESS_LOG_DAYS. */
export const accessLogDays = { min: 1, max: 3650, byDefault: 90 };
export const days = (name: string, value = String(accessLogDays.byDefault)) => {
  const { min, max } = accessLogDays;
  return /^\d{1,4}$/.test(value) && Number(value) >= min && Number(value) <= max
    ? Number(value) * dayMs
    : bad(name, `must be a whole number of days from ${min} to ${max}`);
};

export const requestLog = (name: string, value = 'all') =>
  requestLogPolicy(value) ?? bad(name, 'must be all, refused, off, or sampled:N with a whole number N from 1');

export const mebibytes = (name: string, value: string) =>
  /^\d{1,6}$/.test(value)
    ? Number(value) * 1_048_576
    : bad(name, 'must be a whole number of mebibytes, or 0 to disable the cache');

export const memory = (name: string, value = String(memoryMebibytes.byDefault)) => {
  const { min, max } = memoryMebibytes;
  return /^\d{1,6}$/.test(value) && Number(value) >= min
    ? memoryBudgetOf(Number(value) * 1_048_576)
    : bad(name, `must be a whole number of mebibytes from ${min} to ${max}`);
};

export const count = (name: string, value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) > 0 ? Number(value) : bad(name, 'must be a positive whole number');

export const webUrl = (name: string, value: string | undefined) => {
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value;
  return bad(name, 'must be an http or https URL');
};
