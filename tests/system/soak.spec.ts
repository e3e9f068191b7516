import assert from 'node:assert/strict';
import { roles } from '../soak/processes.js';
import { type Plan, soak } from '../soak/run.js';
import { embedded } from '../support/engines/engines.js';
import { skip } from '../support/run/skip.js';
import { describeInFull, patient } from '../support/run/tier.js';

/** Plan of a short run; `npm run soak` is the long one. No receiver hangs, because each would take fifteen seconds. */
const plan: Plan = {
  seed: 4,
  seconds: 15,
  kills: 4,
  organizations: 3,
  pace: { reorganizationMs: 1000, killMs: 1500, nodeMs: 3000 },
  odds: { slow: 0.1, fail: 0.05, reset: 0.03, hang: 0 },
  atLeastOnce: ['reorganizations', 'managed transactions', 'calls beside the hostile organization'],
  settleSeconds: 300,
};

describeInFull('a service under load whose roles are killed again and again on a chain that reorganizes', () => {
  it('loses nothing, duplicates nothing and leaks nothing', async function () {
    this.timeout(patient(900_000));
    const verdict = await soak(embedded, plan);
    if (!verdict) return skip(this, 'the development chain (EDR is not there for this machine)');
    const { violations, done } = verdict;
    assert.deepEqual(violations, []);
    const times = new Map(done);
    for (const role of roles) assert.ok(times.get(`kill -9 of the ${role}`), role);
    for (const what of ['reorganizations', 'managed transactions', 'notices']) assert.ok(times.get(what), what);
  });
});
