import assert from 'node:assert/strict';
import { eventually } from '../../../support/eventually.js';
import { ann, person, useFollowedWallet } from '../../../support/following/followed-wallet.js';
import { allEvents, followedVariant } from '../../../support/following/following.js';
import { headerChain, headersOf } from '../../../support/following/header-chain.js';
import { movedClock } from '../../../support/moved-clock.js';

describe('a retry of an unreadable block', () => {
  const followed = useFollowedWallet('org_retried');
  const { app, stores, height, transfers } = followed;
  const node: { fails: boolean; lacksHeader: boolean } = { fails: true, lacksHeader: false };
  const script = {
    headers: headersOf('a', 15),
    payments: { a15: { to: ann, value: '5' } },
    before: (call: string, asked: unknown) => {
      if (node.fails && call === 'block' && asked === 'a15') throw new Error('receipts do not fit the block');
    },
  };
  const clock = movedClock(1_700_000_100_000);
  const retry = () => app().chainBlocks.retry(person, followedVariant, '15');
  const recorded = async () =>
    (await allEvents(stores().events)).flatMap(({ type, stream }) =>
      stream.startsWith('system.block-') ? [type] : [],
    );
  const reasons = async () => (await app().status.unreadBlocks()).map(({ reason, retried }) => [reason, retried]);

  before(async () => {
    const chain = headerChain(script);
    const headerAt = async (number: number) => (node.lacksHeader && number === 15 ? null : chain.headerAt(number));
    followed.start({ ...chain, headerAt }, { system: clock.system, unreadableBlockSeconds: 600 });
    await eventually(async () => assert.equal(height(), 14));
    await followed.register();
    script.headers = headersOf('a', 19);
    await eventually(async () => assert.match(followed.alarm(), /receipts do not fit/));
    clock.pass(601);
    await eventually(async () => assert.equal(height(), 18));
    await eventually(async () => assert.deepEqual(await reasons(), [['receipts do not fit the block', 'no']]));
  });

  it('leaves the block unreadable while no node has its header', async () => {
    node.lacksHeader = true;
    await retry();
    await eventually(async () => {
      clock.pass(1);
      assert.deepEqual(await reasons(), [['No node has block 15 (a15).', 'no']]);
    });
    assert.deepEqual(await recorded(), ['BlockUnreadable', 'BlockRetryRequested', 'BlockUnreadable']);
  });

  it('records the transfers once a node has the block again', async () => {
    Object.assign(node, { fails: false, lacksHeader: false });
    await retry();
    await eventually(async () => {
      clock.pass(1);
      assert.deepEqual(await transfers(), ['a15 SUCCESS']);
      assert.deepEqual(await reasons(), []);
    });
  });
});

describe('a retry whose node hangs', () => {
  const followed = useFollowedWallet('org_hanging');
  const { app, height, transfers } = followed;
  const skipped = ['a15', 'a16'];
  /**
   * Block requests of the retries, in the order of their start. `answer` completes a request, or fails the request with
   * an error.
   */
  const hanging: { hash: string; answer: (error?: Error) => void }[] = [];
  const node: { hangs: boolean } = { hangs: false };
  const script = {
    headers: headersOf('a', 15),
    payments: { a15: { to: ann, value: '5' } },
    before: (call: string, asked: unknown) => {
      if (call !== 'block' || !skipped.includes(asked as string)) return;
      if (!node.hangs) throw new Error('receipts do not fit the block');
      return new Promise<void>((resolve, reject) => {
        hanging.push({ hash: asked as string, answer: (error) => (error ? reject(error) : resolve()) });
      });
    },
  };
  const clock = movedClock(1_700_000_100_000);
  const unread = async () => (await app().status.unreadBlocks()).map(({ hash, retried }) => `${hash} ${retried}`);
  /** Waits until `count` skipped blocks were requested from the node. */
  const asked = (count: number) =>
    eventually(() => {
      clock.pass(1);
      assert.equal(hanging.length, count);
    });
  const answer = (place: number, error?: Error) => hanging[place]?.answer(error);
  const hashes = () => hanging.map(({ hash }) => hash);

  before(async () => {
    followed.start(headerChain(script), { system: clock.system, unreadableBlockSeconds: 600 });
    await eventually(async () => assert.equal(height(), 14));
    await followed.register();
    script.headers = headersOf('a', 30);
    await eventually(async () => {
      clock.pass(60);
      assert.equal(height(), 29);
      assert.deepEqual(await unread(), ['a16 no', 'a15 no']);
    });
    node.hangs = true;
  });

  it('does not hold up the follower, and is the only one at that time', async () => {
    for (const hash of skipped) await app().chainBlocks.retry(person, followedVariant, hash);
    await asked(1);
    script.headers = headersOf('a', 35);
    await eventually(() => {
      clock.pass(1);
      assert.equal(height(), 34);
    });
    script.headers = headersOf('a', 40);
    await eventually(() => {
      clock.pass(1);
      assert.equal(height(), 39);
    });
    assert.deepEqual(hashes(), ['a15']);
  });

  it('reads the block once more if the watch list was reloaded meanwhile', async () => {
    script.headers = headersOf('b', 50);
    await eventually(() => assert.match(followed.alarm(), /was final and was replaced|another chain/));
    script.headers = headersOf('a', 50);
    await eventually(() => assert.equal(height(), 49));
    answer(0);
    await asked(2);
    assert.deepEqual(hashes(), ['a15', 'a15']);
    answer(1);
    await asked(3);
    await eventually(async () => assert.deepEqual(await transfers(), ['a15 SUCCESS']));
  });

  it('leaves the block unreadable when the node answers with an error', async () => {
    assert.deepEqual(hashes(), ['a15', 'a15', 'a16']);
    answer(2, new Error('timed out'));
    await eventually(async () => assert.deepEqual(await unread(), ['a16 no']));
    assert.equal((await app().status.unreadBlocks())[0]?.reason, 'timed out');
  });
});
