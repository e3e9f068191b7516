import assert from 'node:assert/strict';
import { createRandom } from '../../support/random.js';
import { createTally } from '../tally.js';
import type { Tenant } from '../tenant.js';
import { watchDeadlines } from './deadlines.js';

describe('the watch over the deadlines of the soak', () => {
  /** Watches one round of calls, of which GetWallet fails and RegisterAddress succeeds. */
  const watch = async (deadlineMs: number | null) => {
    const complaints: string[] = [];
    const enough = new AbortController();
    const api = () => ({
      getWallet: async () => {
        enough.abort();
        throw new Error('UNAVAILABLE');
      },
      registerAddress: async () => ({}),
    });
    const tenant = {
      name: 'org',
      random: createRandom(1, 'deadlines'),
      addresses: new Map([['wallet', new Set()]]),
      api,
    } as unknown as Tenant;
    const processes = { life: () => 1, api: () => 'http://127.0.0.1:1' };
    const tally = createTally();
    const around = { processes, tally, deadlineMs, complain: (text: string) => void complaints.push(text) };
    await watchDeadlines(around as unknown as Parameters<typeof watchDeadlines>[0], [tenant], enough.signal);
    return { complaints, inTime: tally.of('calls beside the hostile organization') };
  };

  it('reports every late call, also one that failed', async () => {
    const { complaints, inTime } = await watch(-1);
    assert.match(complaints[0] ?? '', /^org waited \d+ ms for GetWallet, which failed: Error: UNAVAILABLE$/);
    assert.match(complaints[1] ?? '', /^org waited \d+ ms for RegisterAddress$/);
    assert.equal(inTime, 0);
  });

  it('neither reports nor counts a call that failed in time', async () => {
    const { complaints, inTime } = await watch(60_000);
    assert.deepEqual([complaints, inTime], [[], 1]);
  });

  it('reports no late call if other work may slow the machine down', async () => {
    assert.deepEqual(await watch(null), { complaints: [], inTime: 1 });
  });
});
