import { Failure, type FailureCode, type Fault, refuse } from '../../domain/failure.js';
import type { Limiter } from '../ports/limiter.js';
import type { Done } from './handle.js';

type Outcome =
  | { readonly done: Done<unknown> }
  | { readonly refused: { code: FailureCode; message: string; faults: readonly Fault[] } };

/** Refusals that a retry would meet again; anything else may turn out differently the next time. */
const lasting: readonly FailureCode[] = ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'];

export type Once = <T>(
  retry: {
    apiKey: string;
    idempotencyKey: string;
    request: string;
    /** The answer holds a secret, so it is not kept: running again with the same ids finds it where it is sealed. */
    confidential: boolean;
  },
  run: (idSeed: string) => Promise<Done<T>>,
) => Promise<Done<T>>;

/** What the first try came to, told again. */
const repeat = <T>(answer: string): Done<T> => {
  const outcome = JSON.parse(answer) as Outcome;
  if ('done' in outcome) return outcome.done as Done<T>;
  const { code, message, faults } = outcome.refused;
  return refuse(code, message, faults);
};

/**
 * Answers a repeated request as the first time. A crash before the answer was recorded does no harm: the command runs
 * again with ids derived from the same seed (handle.ts) and finds its own work already done.
 */
export const createOnce =
  (limiter: Limiter): Once =>
  async <T>(retry: Parameters<Once>[0], run: (idSeed: string) => Promise<Done<T>>) => {
    const { apiKey, idempotencyKey, request, confidential } = retry;
    const claim = await limiter.claimIdempotencyKey(apiKey, idempotencyKey, request);
    if (claim.kind === 'other-request')
      return refuse('FAILED_PRECONDITION', 'this idempotency-key was used for another request');
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
