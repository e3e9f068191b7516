import assert from 'node:assert/strict';
import { type RefusedRequest, type RefusedRequests, refusalBounds } from '../../application/ports/tracing/requests.js';
import { refusedRequests } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

const { perGroup, groups, retentionMs } = refusalBounds;

const refusal = (requestId: string, more: Partial<RefusedRequest> = {}): RefusedRequest => ({
  requestId,
  organizationId: 'org_1',
  operation: 'c/GetWallet',
  status: 404,
  code: 'NOT_FOUND',
  detail: 'Wallet not found: “wal_1”',
  ms: 1.25,
  time: Date.now(),
  ...more,
});
const many = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => refusal(`${prefix}-${i}`));

for (const [adapter, place] of Object.entries(refusedRequests))
  describe(`the store of refused requests on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: RefusedRequests;
    let other: RefusedRequests;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const add = (group: string, ...requests: RefusedRequest[]) => store.add([{ group, requests }]);
    const isFound = async (requestId: string) => (await other.find(requestId)).length > 0;

    it('is empty at first', async () => assert.deepEqual(await store.find('a'), []));

    it('returns to every process the refusals that another has added', async () => {
      const given = refusal('a"\\b');
      await add('org_1 NOT_FOUND', given, refusal('c'));
      assert.deepEqual(await other.find('a"\\b'), [given]);
      assert.deepEqual(await other.find('b'), []);
    });

    it('returns all refusals of an id that was used several times, oldest first', async () => {
      const [one, two, three] = [3000, 2000, 1000].map((age) => refusal('a', { time: Date.now() - age }));
      assert.ok(one && two && three);
      await add('org_1 NOT_FOUND', one);
      await add('org_2 NOT_FOUND', two);
      await add('org_1 NOT_FOUND', three);
      assert.deepEqual(await other.find('a'), [one, two, three]);
    });

    it('keeps the newest refusals of each group, so that one group does not displace another', async () => {
      await add('org_1 NOT_FOUND', refusal('modest'));
      await add('org_2 RATE_LIMITED', ...many(perGroup, 'first'));
      await add('org_2 RATE_LIMITED', ...many(5, 'second'));
      assert.equal(await isFound('modest'), true);
      assert.deepEqual(await Promise.all(['first-4', 'first-5', `first-${perGroup - 1}`, 'second-4'].map(isFound)), [
        false,
        true,
        true,
        true,
      ]);
    });

    it('forgets the groups that were refused longest ago beyond the limit', async () => {
      await add('org_first NOT_FOUND', refusal('first'));
      await add('org_again NOT_FOUND', refusal('again'));
      for (let i = 0; i < groups - 2; i++) await add(`org_${i} NOT_FOUND`, refusal(`more-${i}`));
      await add('org_again NOT_FOUND', refusal('again, later'));
      assert.equal(await isFound('first'), true);
      await add('org_last NOT_FOUND', refusal('last'));
      assert.deepEqual(await Promise.all(['first', 'again', 'again, later', 'more-0', 'last'].map(isFound)), [
        false,
        true,
        true,
        true,
        true,
      ]);
    });

    it('does not return refusals that are older than the retention', async () => {
      await add('org_1 NOT_FOUND', refusal('old', { time: Date.now() - retentionMs - 1000 }), refusal('new'));
      assert.deepEqual([await isFound('old'), await isFound('new')], [false, true]);
    });

    it('accepts refusals from several processes at once', async () => {
      await Promise.all(
        [store, other].flatMap((one, by) =>
          Array.from({ length: 20 }, (_, i) =>
            one.add([{ group: `org_${i} NOT_FOUND`, requests: [refusal(`${by}-${i}`)] }]),
          ),
        ),
      );
      for (const by of [0, 1]) for (let i = 0; i < 20; i++) assert.equal(await isFound(`${by}-${i}`), true);
    });
  });
