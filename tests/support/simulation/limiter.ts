import type { Charge, Limiter, RequestRecord } from '../../../application/ports/limiter.js';
import { quotaOf, windowAt, windows } from '../../../domain/rate-limit.js';
import type { Gate } from './gate.js';

type Answer = Extract<RequestRecord, { kind: 'answer' }>;

const answerTtlMs = 86_400_000;

/** Makes the nonces, answers and usage that the limiters of all processes share. */
export const createLimiterRecords = () => ({
  nonces: new Set<string>(),
  spans: new Set<string>(),
  answers: new Map<string, Answer>(),
  usage: new Map<string, number>(),
});

export type LimiterRecords = ReturnType<typeof createLimiterRecords>;

/** Opens the limiter for one process; `newSeed` returns a text that it never returned before. */
export const simulatedLimiter = (records: LimiterRecords, gate: Gate, newSeed: () => string): Limiter => {
  const { nonces, spans, answers, usage } = records;
  const call = <T>(name: string, effect: () => T) => gate.call(`limiter.${name}`, effect);
  const answerAt = (key: string) => {
    const found = answers.get(key);
    if (found && found.time + answerTtlMs > gate.now()) return found;
    answers.delete(key);
    return null;
  };

  const charge = ({ organizationId, chain, limits, cost, overdraws }: Charge) => {
    const now = gate.now();
    const ends = windows.map((window) => [window, windowAt(window, now).end] as const);
    const keyOf = (window: string, end: number) => `${organizationId} ${chain} ${window} ${end}`;
    const used = (window: string, end: number) => usage.get(keyOf(window, end)) ?? 0;
    const allowed = overdraws === true || ends.every(([window, end]) => used(window, end) + cost <= limits[window]);
    if (allowed) for (const [window, end] of ends) usage.set(keyOf(window, end), used(window, end) + cost);
    const usages = Object.fromEntries(ends.map(([window, end]) => [window, { used: used(window, end), end }]));
    return quotaOf(limits, usages as Parameters<typeof quotaOf>[1], { now, cost, allowed });
  };

  return {
    admit: (request) =>
      call('admit', () => {
        if (request.span !== undefined && !spans.has(request.span))
          return { replayed: false, isSpanUnknown: true, quota: null };
        const key = `${request.apiKey} ${request.nonce}`;
        if (nonces.has(key)) return { replayed: true, isSpanUnknown: false, quota: null };
        nonces.add(key);
        return { replayed: false, isSpanUnknown: false, quota: request.charge ? charge(request.charge) : null };
      }),
    openSpan: (id) => call('openSpan', () => void spans.add(id)),
    charge: (given) => call('charge', () => charge(given)),
    claimIdempotencyKey: (apiKey, idempotencyKey, request) =>
      call('claim', () => {
        const key = `${apiKey} ${idempotencyKey}`;
        const known = answerAt(key);
        const found = known ?? {
          kind: 'answer',
          apiKey,
          idempotencyKey,
          request,
          seed: newSeed(),
          answer: null,
          time: gate.now(),
        };
        answers.set(key, found);
        if (found.request !== request) return { kind: 'other-request' };
        if (found.answer === null) return { kind: 'first', seed: found.seed };
        return { kind: 'answered', answer: found.answer };
      }),
    recordAnswer: (apiKey, idempotencyKey, answer) =>
      call('recordAnswer', () => {
        const found = answerAt(`${apiKey} ${idempotencyKey}`);
        if (found?.answer === null) answers.set(`${apiKey} ${idempotencyKey}`, { ...found, answer });
      }),
    exportRecords: async function* () {
      yield await call('export', () => [
        ...[...nonces].map((key): RequestRecord => {
          const [apiKey = '', nonce = ''] = key.split(' ');
          return { kind: 'nonce', apiKey, nonce };
        }),
        ...answers.values(),
      ]);
    },
    importRecords: (given) =>
      call('import', () => {
        for (const record of given)
          if (record.kind === 'nonce') nonces.add(`${record.apiKey} ${record.nonce}`);
          else answers.set(`${record.apiKey} ${record.idempotencyKey}`, record);
      }),
    close: async () => undefined,
  };
};
