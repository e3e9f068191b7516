import assert from 'node:assert/strict';
import { redisAnnouncedHeads } from '../../../infrastructure/redis/announced-heads.js';
import { noRedis, redisAnswerMs, redisDatabase } from '../../support/engines/redis.js';
import { skip } from '../../support/run/skip.js';
import { silent } from '../../support/silent.js';

describe('heads that processes announce to each other over Redis', () => {
  before(function () {
    if (noRedis !== null) skip(this, `heads that processes announce to each other over Redis: ${noRedis}`);
  });
  const open: { close(): Promise<void> }[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    for (const end of ends.splice(0)) await end();
  });
  const database = async () => {
    const { end, ...place } = await redisDatabase();
    ends.push(end);
    return place;
  };
  const processAt = async ({ url, namespace }: Awaited<ReturnType<typeof database>>) => {
    const heads = await redisAnnouncedHeads(url, silent, namespace, redisAnswerMs);
    open.push(heads);
    return heads;
  };
  /** Listens for the heads of a gateway, and resolves with the first of at least the given height. */
  const heard = async (heads: Awaited<ReturnType<typeof processAt>>, address: string, wanted: number) => {
    let found = (_: number) => {};
    const first = new Promise<number>((resolve) => {
      found = resolve;
    });
    await heads.listen(address, (height) => height >= wanted && found(height));
    return first;
  };

  it('reach every other process, by gateway', async () => {
    const place = await database();
    const [one, other] = [await processAt(place), await processAt(place)];
    const strange: number[] = [];
    await other.listen('q/mainnet', (height) => strange.push(height));
    const first = heard(other, 'c/mainnet', 7);
    one.announce('c/mainnet', 7);
    assert.equal(await first, 7);
    assert.deepEqual(strange, []);
  });

  it('reach a process that starts later', async () => {
    const place = await database();
    const one = await processAt(place);
    const mine = heard(one, 'c/mainnet', 9);
    one.announce('c/mainnet', 9);
    await mine;
    assert.equal(await heard(await processAt(place), 'c/mainnet', 9), 9);
  });

  it('stay within a database', async () => {
    const [here, there] = [await processAt(await database()), await processAt(await database())];
    const strange: number[] = [];
    await there.listen('c/mainnet', (height) => strange.push(height));
    const mine = heard(here, 'c/mainnet', 5);
    here.announce('c/mainnet', 5);
    await mine;
    const theirs = heard(there, 'p/mainnet', 6);
    there.announce('p/mainnet', 6);
    await theirs;
    assert.deepEqual(strange, []);
  });
});
