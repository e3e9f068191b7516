import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { Keys, readKeys } from './keys.js';
import { Seals } from './seals.js';
import { VerifyForm } from './verify-form.js';

/** Seals and keys of the history, and a verifier of exports and evidence that does not trust the service. */
export const ProofPage = () => {
  const { value: keys, error } = useLoaded(readKeys, []);
  return (
    <>
      <h1>Proof</h1>
      <ProblemNote error={error} />
      <div class="halves">
        <div>
          <section aria-labelledby="keys-title">
            <h2 id="keys-title">Keys</h2>
            {keys ? <Keys keys={keys} /> : !error && <p>Loading…</p>}
          </section>
          <section aria-labelledby="seals-title">
            <h2 id="seals-title">Seals</h2>
            <Seals />
          </section>
        </div>
        <VerifyForm serviceKey={keys?.[0]?.public_key ?? ''} />
      </div>
    </>
  );
};
