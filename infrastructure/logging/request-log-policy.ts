import type { RequestLogPolicy } from '../../application/ports/tracing/requests.js';

/** Parses a value of CHAINFOLD_REQUEST_LOG; null if the value is invalid. */
export const requestLogPolicy = (value: string): RequestLogPolicy | null => {
  if (value === 'all' || value === 'refused' || value === 'off') return { kind: value };
  const every = /^sampled:([1-9]\d{0,8})$/.exec(value)?.[1];
  return every === undefined ? null : { kind: 'sampled', every: Number(every) };
};
