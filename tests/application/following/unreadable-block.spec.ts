import assert from 'node:assert/strict';
import { createMetrics } from '../../../interfaces/server/metrics.js';
import { eventually } from '../../support/eventually.js';
import { ann, person, useFollowedWallet } from '../../support/following/followed-wallet.js';
import { allEvents, coinsOf, followedVariant } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { movedClock } from '../../support/moved-clock.js';
import { silent } from '../../support/silent.js';

describe('a block that no node can return', () => {
  const followed = useFollowedWallet('org_unreadable');
  const { app, stores, height, transfers } = followed;
  const node: { isAway: boolean; fails: boolean } = { isAway: false, fails: true };
  const script = {
    headers: headersOf('a', 15),
    payments: { a15: { to: ann, value: '5' }, a16: { to: ann, value: '1' } },
    balance: '6',
    before: (call: string, asked: unknown) => {
      if (node.isAway) throw new Error('no node answers');
      if (node.fails && call === 'block' && asked === 'a15') throw new Error('receipts do not fit the block');
    },
  };
  const clock = movedClock(1_700_000_100_000);
  const logged: unknown[] = [];
  const start = () => {
    const log = { ...silent, error: (fields: object, line?: string) => void logged.push({ line, ...fields }) };
    followed.start(headerChain(script), { system: { ...clock.system, log }, unreadableBlockSeconds: 600 });
  };
  const typesAbout = async () =>
    (await allEvents(stores().events)).flatMap(({ type, stream }) =>
      stream.startsWith('system.block-') ? [type] : [],
    );

  before(async () => {
    start();
    await eventually(async () => assert.equal(height(), 14));
    await followed.register();
  });

  it('is waited for at first, however long the nodes are unreachable', async () => {
    script.headers = headersOf('a', 19);
    await eventually(async () => assert.match(followed.alarm(), /receipts do not fit/));
    clock.pass(500);
    node.isAway = true;
    await eventually(async () => assert.match(followed.alarm(), /no node answers/));
    clock.pass(5000);
    node.isAway = false;
    await eventually(async () => assert.match(followed.alarm(), /receipts do not fit/));
    assert.equal(height(), 14);
    assert.deepEqual(await typesAbout(), []);
  });

  it('is skipped after the configured time, and the follower continues with the next block', async () => {
    clock.pass(601);
    await eventually(async () => assert.equal(height(), 18));
    await eventually(async () => assert.deepEqual(await transfers(), ['a16 SUCCESS']));
    const [found] = (await allEvents(stores().events)).filter(({ type }) => type === 'BlockUnreadable');
    const block = { number: 15, hash: 'a15', chain: 'a0' };
    assert.deepEqual(found?.data, { block, reason: 'receipts do not fit the block' });
    assert.equal(followed.alarm(), '');
  });

  it('is named once in the log, as an error', () => {
    const about = { variant: followedVariant.tag, height: 15, hash: 'a15', reason: 'receipts do not fit the block' };
    assert.deepEqual(logged, [{ line: 'Block could not be read and was left out', ...about }]);
  });

  it('is listed in the status, and counted in the metrics', async () => {
    await eventually(async () =>
      assert.deepEqual(
        (await app().status.unreadBlocks()).map(({ number }) => number),
        [15],
      ),
    );
    const text = await createMetrics(app(), { stuckSeconds: 600 }).render();
    assert.match(text, new RegExp(`chainfold_follower_blocks_unreadable\\{chain="${followedVariant.tag}"\\} 1`));
  });

  it('has the balances of watched addresses read from the chain once it is confirmed, even after a restart', async () => {
    await followed.stop();
    start();
    script.headers = headersOf('a', 30);
    await eventually(async () => {
      const refreshed = (await allEvents(stores().events)).filter(({ type }) => type === 'RefreshEnded');
      assert.ok(refreshed.length > 0);
      const coins = await coinsOf(app(), followed.by, followed.walletId());
      assert.deepEqual(
        coins.map(({ balance }) => balance),
        ['6'],
      );
    });
    script.headers = headersOf('a', 150);
    await eventually(async () => assert.ok((await typesAbout()).includes('BalancesReadInstead')));
  });

  it('stays skipped when an operator retries it and it still fails', async () => {
    await eventually(async () => assert.equal(height(), 149));
    const { position } = await app().chainBlocks.retry(person, followedVariant, '15');
    await eventually(async () => {
      clock.pass(1);
      const types = await typesAbout();
      assert.deepEqual(types.slice(-2), ['BlockRetryRequested', 'BlockUnreadable']);
    });
    const asked = (await allEvents(stores().events)).find((event) => event.position === position);
    assert.deepEqual(asked?.metadata.actor, person.actor);
  });

  it('is recorded late when an operator retries it and a node returns it', async () => {
    node.fails = false;
    await eventually(async () => assert.equal((await app().status.unreadBlocks())[0]?.retried, 'no'));
    await app().chainBlocks.retry(person, followedVariant, 'a15');
    await eventually(async () => {
      clock.pass(1);
      assert.deepEqual(await transfers(), ['a15 SUCCESS', 'a16 SUCCESS']);
    });
    await eventually(async () => assert.deepEqual(await app().status.unreadBlocks(), []));
    assert.equal((await typesAbout()).at(-1), 'BlockRead');
    await assert.rejects(
      app().chainBlocks.retry(person, followedVariant, '15'),
      /Block 15 is not among the unreadable blocks/,
    );
  });
});
