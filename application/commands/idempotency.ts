import { Failure, type FailureCode, type Fault, fail } from '../../domain/failure.js';
import type { Limiter } from '../ports/limiter.js';
import type { Done } from './handle.js';

type Outcome =
  | { readonly done: Done<unknown> }
  | { readonly refused: { code: FailureCode; message: string; faults: readonly Fault[] } };

/** Codes of failures that would recur on a retry. Such a failure is recorded as the outcome of the request. */
const lasting: readonly FailureCode[] = ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'];

export type Idempotency = <T>(
  retry: {
    apiKey: string;
    idempotencyKey: string;
    request: string;
    /**
     * True if the response contains a secret. Such a response is not stored: a retry runs the command again with the
     * same ids and decrypts the sealed secret.
     */
    confidential: boolean;
  },
  run: (idSeed: string) => Promise<Done<T>>,
) => Promise<Done<T>>;

/** Returns or throws the recorded outcome of the first attempt. */
const repeat = <T>(answer: string): Done<T> => {
  const outcome = JSON.parse(answer) as Outcome;
  if ('done' in outcome) return outcome.done as Done<T>;
  const { code, message, faults } = outcome.refused;
  return fail(code, message, faults);
};

/**
 * Creates a function that runs a request once: a repeated request gets the recorded outcome of the first attempt. If a
 * crash prevented that outcome from being recorded, the command runs again with ids derived from the same seed
 * (handle.ts) and finds its own events.
 */
export const createIdempotency =
  (limiter: Limiter): Idempotency =>
  async <T>(retry: Parameters<Idempotency>[0], run: (idSeed: string) => Promise<Done<T>>) => {
    const { apiKey, idempotencyKey, request, confidential } = retry;
    const claim = await limiter.claimIdempotencyKey(apiKey, idempotencyKey, request);
    if (claim.kind === 'other-request')
      return fail(
        'FAILED_PRECONDITION',
        'This idempotency-key was already used for a different request. Use a new key.',
      );
    if (claim.kind === 'answered') return repeat<T>(claim.answer);
    const record = (outcome: Outcome) => limiter.recordAnswer(apiKey, idempotencyKey, JSON.stringify(outcome));
    try {
      const done = await run(claim.seed);
      if (!confidential) await record({ done });
      return done;
    } catch (error) {
      if (error instanceof Failure && lasting.includes(error.code))
        await record({ refused: { code: error.code, message: error.message, faults: error.faults } });
      throw error;
    }
  };
