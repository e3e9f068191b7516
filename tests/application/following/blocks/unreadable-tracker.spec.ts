import assert from 'node:assert/strict';
import { eventually, until } from '../../../support/eventually.js';
import { useFollowedWallet } from '../../../support/following/followed-wallet.js';
import { headerChain, headersOf } from '../../../support/following/header-chain.js';
import { movedClock } from '../../../support/moved-clock.js';

describe('the time after which an unreadable block is skipped', () => {
  const followed = useFollowedWallet('org_counted_time');
  const { height } = followed;
  const calls = { block: 0, head: 0 };
  const node: { head: 'newest' | 'of an unknown block' | 'behind' } = { head: 'newest' };
  const script = {
    headers: headersOf('a', 15),
    before: (call: string, asked: unknown) => {
      if (call === 'head') calls.head++;
      if (call !== 'block' || asked !== 'a15') return;
      calls.block++;
      throw new Error('receipts do not fit the block');
    },
  };
  const clock = movedClock(1_700_000_100_000);
  /** Waits for six further requests of the given kind. The first of these requests may have begun earlier. */
  const more = async (call: keyof typeof calls) => {
    const wanted = calls[call] + 6;
    await until(`the node was asked for its ${call}`, () => calls[call] >= wanted);
  };

  let start: () => void;
  before(async () => {
    const chain = headerChain(script);
    const head = async () => {
      const newest = await chain.head();
      const heads = {
        newest,
        behind: script.headers[14] ?? newest,
        'of an unknown block': { ...newest, number: 25, hash: 'z25', parentHash: 'z24' },
      };
      return heads[node.head];
    };
    start = () => followed.start({ ...chain, head }, { system: clock.system, unreadableBlockSeconds: 600 });
    start();
    await eventually(() => assert.equal(height(), 14));
    script.headers = headersOf('a', 19);
    await more('block');
  });

  /** Lets 250 s pass in which the block fails, and then 5000 s in which the node returns another head. */
  const interrupt = async (state: typeof node.head) => {
    clock.pass(250);
    await more('block');
    node.head = state;
    await more('head');
    clock.pass(5000);
    node.head = 'newest';
    await more('block');
    assert.equal(height(), 14);
  };

  it('does not include time in which a node answers with a head that leads to no known block', async () =>
    interrupt('of an unknown block'));

  it('does not include time in which a node answers with a head below the block', async () => interrupt('behind'));

  it('does not include the time in which no follower runs', async () => {
    await followed.stop();
    clock.pass(5000);
    start();
    await more('block');
    assert.equal(height(), 14);
  });

  it('does not start over after such answers, nor at a restart', async () => {
    clock.pass(101);
    await eventually(() => assert.equal(height(), 18));
  });
});
