import assert from 'node:assert/strict';
import { readFollowed, readReached } from '../../../application/following/progress/cursor-store.js';
import { eventually } from '../../support/eventually.js';
import { ann, person, useFollowedWallet } from '../../support/following/followed-wallet.js';
import { allEvents, followedVariant } from '../../support/following/following.js';
import { forkOf, headerChain, headersOf } from '../../support/following/header-chain.js';

describe('a final block that was replaced', () => {
  const followed = useFollowedWallet('org_replaced');
  const { app, stores, height, transfers } = followed;
  const script = {
    headers: headersOf('a', 10),
    payments: {
      a15: { to: ann, value: '5' },
      a22: { to: ann, value: '7' },
      b25: { to: ann, value: '9' },
      b38: { to: ann, value: '2' },
    },
  };
  const start = () => followed.start(headerChain(script));
  const look = (from: number) => app().chainBlocks.inspect(followedVariant, from);

  before(async () => {
    start();
    await eventually(async () => assert.equal(height(), 9));
    await followed.register();
    script.headers = headersOf('a', 41);
    await eventually(async () => assert.deepEqual(await transfers(), ['a15 SUCCESS', 'a22 SUCCESS']));
    // The follower's next turn drops the headers that have become final.
    script.headers = headersOf('a', 42);
    await eventually(async () => {
      assert.equal(height(), 41);
      assert.ok(((await readReached(stores().state, followedVariant.tag))?.final.number ?? 0) >= 30);
    });
  });

  it('stops the follower until an operator accepts it', async () => {
    await assert.rejects(look(20), /was not replaced/);
    script.headers = forkOf(headersOf('a', 42), 20, 'b', 30);
    await eventually(async () => assert.match(followed.alarm(), /was final and was replaced/));
    assert.deepEqual(await transfers(), ['a15 SUCCESS', 'a22 SUCCESS']);
  });

  it('is shown with its replacement and with the effects of accepting it', async () => {
    const { block, replacement, activities } = await look(21);
    assert.deepEqual([block.hash, replacement, activities], [`a${block.number}`, `b${block.number}`, 1]);
    assert.equal((await look(5)).activities, 1);
    await assert.rejects(look(40), /later blocks need no acceptance/);
    await assert.rejects(look(0), /already serve the followed chain/);
  });

  it('cannot be accepted from a height above the first replaced block', async () => {
    await assert.rejects(look(30), /Block 21 was replaced too\. Accept block 21 or a lower one instead of 30/);
    await assert.rejects(look(22), /Block 21 was replaced too/);
  });

  it('cannot be accepted above a replaced block with transfers, even if its header is no longer stored', async () => {
    const { state } = stores();
    const hidden = [];
    for (let number = 20; number < 30; number++) {
      const id = `follow:${followedVariant.tag}:${number}`;
      const { value, revision } = (await state.get('processes', id)) ?? assert.fail(`no entry ${id}`);
      const stored = JSON.parse(value);
      const reused = { ...stored, header: { ...stored.header, number: number + 8192 } };
      assert.ok(await state.put('processes', id, JSON.stringify(reused), revision));
      hidden.push({ id, value, revision: revision + 1 });
    }
    await assert.rejects(look(30), /Block 22 was replaced too/);
    assert.equal((await look(22)).activities, 1);
    for (const { id, value, revision } of hidden) assert.ok(await state.put('processes', id, value, revision));
  });

  it('is rolled back to the accepted height, as in an ordinary reorganization', async () => {
    const found = await look(21);
    await app().chainBlocks.accept(person, followedVariant, found);
    await eventually(async () => assert.equal(height(), 50));
    const expected = ['a15 SUCCESS', 'a22 REMOVED', 'b25 SUCCESS', 'b38 SUCCESS'];
    await eventually(async () => assert.deepEqual(await transfers(), expected));
    assert.equal(followed.alarm(), '');
    assert.equal((await readFollowed(stores().state, followedVariant.tag))?.since, 9);
    const events = (await allEvents(stores().events)).filter(({ stream }) => stream.startsWith('system.block-'));
    assert.deepEqual(
      events.map(({ type, metadata }) => [type, metadata.actor.id]),
      [
        ['ReplacementAccepted', 'eve'],
        ['ReplacementFollowed', 'follower'],
      ],
    );
    assert.deepEqual(events[0]?.data, { block: found.block, replacement: found.replacement, from: 21 });
  });

  it('may be the first block: the new chain is then followed, and the old one later resumes where it stopped', async () => {
    const known = script.headers;
    const accept = async () => app().chainBlocks.accept(person, followedVariant, await look(0));
    script.headers = headersOf('z', 100);
    await followed.stop();
    start();
    await eventually(async () => assert.match(followed.alarm(), /another chain/));
    await assert.rejects(look(3), /Accept block 0 instead/);
    await accept();
    await eventually(async () => assert.equal(height(), 99));
    script.headers = [...known, ...headersOf('b', 61).slice(51)];
    await followed.stop();
    start();
    await eventually(async () => assert.match(followed.alarm(), /another chain/));
    await accept();
    await eventually(async () => assert.equal(height(), 60));
    assert.deepEqual((await transfers()).length, 4);
  });
});
