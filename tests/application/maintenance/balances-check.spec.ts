import assert from 'node:assert/strict';
import { createFailingContracts } from '../../../application/following/failing-contracts.js';
import { ok, warn } from '../../../application/maintenance/finding.js';
import { storeChecks } from '../../../application/maintenance/store-checks.js';
import { openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const advice = 'check that the nodes answer eth_call; the contract itself may fail; see docs/operations.md';

describe('the check of contracts whose balances cannot be read', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(() => stores.close());

  const failing = (chain: string) => createFailingContracts({ state: stores.state, system: testSystem }, chain);
  const pair = (n: number) => ({ organizationId: 'org_a', contract: `0x${n}` });
  const found = () => {
    const nobody = () => assert.fail('not asked');
    const ports = { events: nobody, state: async () => stores.state, status: nobody, roles: nobody, stuck: nobody };
    return storeChecks({ ...ports, stuckSeconds: 1, now: Date.now })
      .find(({ name }) => name === 'balances')
      ?.run();
  };

  it('is content while there is none, and again once each has recovered', async () => {
    assert.deepEqual(await found(), [ok('all can be read')]);
    const contracts = failing('C');
    await contracts.fail(pair(1), 'execution ran out of gas', true);
    assert.equal((await found())?.[0]?.level, 'warn');
    await contracts.clear(pair(1));
    assert.deepEqual(await found(), [ok('all can be read')]);
  });

  it('names contract, chain, organization and reason, and what to check', async () => {
    await failing('C').fail(pair(1), 'execution ran out of gas', true);
    await failing('P').fail({ organizationId: 'org_b', contract: '0x2' }, 'the node gave no answer in time', false);
    const text =
      'balances of 2 contracts cannot be read: 0x2 on P of org_b (the node gave no answer in time); ' +
      '0x1 on C of org_a (execution ran out of gas)';
    assert.deepEqual(await found(), [warn(text, advice)]);
  });

  it('names five contracts, and counts the others', async () => {
    const contracts = failing('C');
    for (let n = 1; n <= 7; n++) await contracts.fail(pair(n), 'reverted', true);
    const [finding] = (await found()) ?? [];
    const named = [1, 2, 3, 4, 5].map((n) => `0x${n} on C of org_a (reverted)`).join('; ');
    assert.deepEqual(finding, warn(`balances of 7 contracts cannot be read: ${named} and 2 more`, advice));
  });
});
