import assert from 'node:assert/strict';
import { createFailingContracts } from '../../../../application/following/failing-contracts.js';
import type { StateStore } from '../../../../application/ports/state.js';
import { states } from '../../../support/engines/adapters.js';
import { followedVariant } from '../../../support/following/following.js';
import { testSystem } from '../../../support/silent.js';

const limit = 10_000;

describe('the failing contracts of a chain', () => {
  let state: StateStore;
  const open = async () => {
    const contracts = createFailingContracts({ state, system: testSystem }, followedVariant.tag);
    await contracts.load();
    return contracts;
  };
  before(async () => {
    state = await (await states.sqlite()).open();
  });
  after(() => state.close());

  it('are limited for each organization, so that one leaves room for the contracts of others', async () => {
    const contracts = await open();
    const greedy = (n: number) => ({ organizationId: 'org_a', contract: `contract ${n}` });
    const modest = { organizationId: 'org_b', contract: 'a contract' };
    for (let n = 0; n <= limit; n++) await contracts.fail(greedy(n), 'no answer', true);
    await contracts.fail(modest, 'no answer', true);
    const areKept = ({ isKept }: typeof contracts) => [greedy(limit - 1), greedy(limit), modest].map(isKept);
    assert.deepEqual(areKept(contracts), [true, false, true]);
    assert.deepEqual(areKept(await open()), [true, false, true]);
    await contracts.clear(greedy(0));
    await contracts.fail(greedy(limit), 'no answer', true);
    assert.deepEqual(areKept(contracts), [true, true, true]);
  });
});
