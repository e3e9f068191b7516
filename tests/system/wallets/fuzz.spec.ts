import assert from 'node:assert/strict';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { embedded } from '../../support/engines/engines.js';
import {
  complaintsIn,
  fuzz,
  fuzzedSettings,
  isFlat,
  prepare,
  residentBytes,
  worksFor,
} from '../../support/fuzz/fuzz.js';
import type { Target } from '../../support/fuzz/requests.js';
import { sized } from '../../support/run/tier.js';
import { demoOf, type Service, startService } from '../../support/service/service.js';

/** Number of requests in each half of the run; `npm run fuzz` is the long run. */
const half = sized(2000, 6000);
/**
 * Seed, which is the same in every run by default, so that a commit that passed once passes again. `npm run fuzz` uses
 * a new seed in each run.
 */
const seed = Number(process.env.FUZZ_SEED ?? 1);

describe('random bytes and mutated requests', () => {
  let service: Service;
  let target: Target;
  let neighbour: Credentials;
  before(async () => {
    service = await startService({ on: embedded, env: fuzzedSettings });
    ({ target, neighbour } = await prepare(service.url, demoOf(service.home)));
  });
  after(() => service.stop());

  it('are answered or rejected, and neither break the service nor leak memory', async () => {
    const repetition = `seed ${seed}; again: FUZZ_SEED=${seed}`;
    const first = await fuzz(target, { seed, from: 0, count: half });
    const halfway = await residentBytes(service.url);
    const second = await fuzz(target, { seed, from: half, count: half });
    const end = await residentBytes(service.url);
    assert.ok(await worksFor(service.url, neighbour), repetition);
    assert.deepEqual(complaintsIn(service.output()), [], repetition);
    assert.equal(service.process.exitCode, null, repetition);
    assert.ok(isFlat(halfway, end), `${repetition}: ${halfway} bytes halfway, ${end} at the end`);
    // A few requests must get past parsing and authentication, or nothing behind them would be tested.
    for (const reached of ['signed 200', 'signed 404', 'signed 409', 'tampered 401', 'raw 400'])
      assert.ok(
        (first[reached] ?? 0) + (second[reached] ?? 0) > sized(0, 20),
        `${repetition}: ${reached} in ${JSON.stringify([first, second])}`,
      );
  });
});
