import assert from 'node:assert/strict';
import { eventually, until } from '../../support/eventually.js';
import { allEvents, coinsOf, tokensOf } from '../../support/following/following.js';
import {
  ann,
  ben,
  early,
  erc20,
  type ImportScene,
  late,
  mineSome,
  openImportScene,
  other,
  recordedOf,
  someBlocks,
} from '../../support/following/import-scene.js';

describe('ImportHistory', () => {
  let scene: ImportScene;
  afterEach(() => scene?.close());

  it('records what a follower would have recorded from the first block on', async () => {
    scene = await openImportScene('import');
    const control = await scene.register(early, ann);
    mineSome(scene.chain, [...someBlocks, [], []]);
    await scene.followed();
    const walletId = await scene.register(late, ann);
    assert.deepEqual(await recordedOf(scene, late, walletId), []);
    const done = await scene.ended(await scene.importFrom(ann));
    assert.equal(done.state, 'COMPLETED', done.reason);
    assert.equal(done.current_block, done.to_block);
    await eventually(async () =>
      assert.deepEqual(await recordedOf(scene, late, walletId), await recordedOf(scene, early, control)),
    );
    assert.equal((await recordedOf(scene, late, walletId)).length, 5);
    const { complete_since_block } = await scene.app().addresses.find(late, ann);
    assert.equal(complete_since_block, 0);
  });

  it('has balances read that no block since the registration changed', async () => {
    scene = await openImportScene('import balances');
    mineSome(scene.chain, [...someBlocks, [], []]);
    await scene.followed();
    const walletId = await scene.register(late, ann);
    assert.equal((await scene.ended(await scene.importFrom(ann, { fromBlock: 4 }))).state, 'COMPLETED');
    const stored = async () => [
      ...(await coinsOf(scene.app(), late, walletId)),
      ...(await tokensOf(scene.app(), late, walletId, erc20.contract)),
    ];
    // The balances are read once the head at the time of the import is confirmed.
    mineSome(scene.chain, [[], []]);
    const expected = [scene.chain.balance(ann), scene.chain.balance(ann, erc20)].map(String);
    await eventually(async () =>
      assert.deepEqual(
        (await stored()).map(({ balance }) => balance),
        expected,
      ),
    );
  });

  it('records a block that the follower was reading when the address was registered', async () => {
    const held = { hash: '', isAsked: false, isReleased: false };
    scene = await openImportScene('import meanwhile', (chain) => ({
      ...chain,
      block: async (hash, interest) => {
        const block = await chain.block(hash, interest);
        if (hash !== held.hash) return block;
        held.isAsked = true;
        await until('the block is released', () => held.isReleased);
        return block;
      },
    }));
    mineSome(scene.chain, [[], []]);
    await scene.followed();
    scene.chain.onHead(({ number, hash }) => {
      if (number === 3) held.hash = hash;
    });
    mineSome(scene.chain, [[{ from: other, to: ann, value: 7n }]]);
    await until('the follower reads the block', () => held.isAsked);
    const walletId = await scene.register(late, ann);
    const importId = await scene.importFrom(ann);
    held.isReleased = true;
    await scene.followed();
    const done = await scene.ended(importId);
    assert.equal(done.state, 'COMPLETED', done.reason);
    await eventually(async () => assert.equal((await recordedOf(scene, late, walletId)).length, 1));
  });

  it('notifies nobody of imported transfers', async () => {
    scene = await openImportScene('import quietly');
    mineSome(scene.chain, [...someBlocks, [], []]);
    await scene.followed();
    const walletId = await scene.register(late, ann);
    const endpoint = 'https://example.com/hook';
    await scene.app().webhooks.register(late, { walletId, endpoint, confirmation: 0 });
    await scene.ended(await scene.importFrom(ann));
    // The notification of a later transfer shows that the fan-out has already processed the imported transfers.
    mineSome(scene.chain, [[{ from: other, to: ann, value: 9n }], [], [], []]);
    const requested = async () =>
      (await allEvents(scene.stores.events)).filter(({ type }) => type === 'DeliveryRequested');
    await eventually(async () => assert.notEqual((await requested()).length, 0));
    const values = (await requested()).map(
      ({ data }) => (data as { data: { transfer: { value: string } } }).data.transfer.value,
    );
    assert.deepEqual([...new Set(values)], ['9']);
  });

  it('adds an address of the wallet to transfers that were recorded for another one', async () => {
    scene = await openImportScene('import second');
    const walletId = await scene.register(late, ann);
    const control = await scene.register(early, ann);
    const both = { walletId: control, inputs: [{ text: ben, path: '' }] };
    await scene.app().addresses.register(early, both);
    mineSome(scene.chain, [...someBlocks, [], [], []]);
    await scene.followed();
    const { position } = await scene.app().addresses.register(late, { ...both, walletId });
    await scene.app().progress.reached(position, 5000);
    const done = await scene.ended(await scene.importFrom(ben));
    assert.equal(done.state, 'COMPLETED', done.reason);
    await eventually(async () =>
      assert.deepEqual(await recordedOf(scene, late, walletId), await recordedOf(scene, early, control)),
    );
  });

  it('takes back imported transfers of a block that a reorganization replaces', async () => {
    scene = await openImportScene('import and reorganize');
    mineSome(scene.chain, [[], [], [{ from: other, to: ann, value: 7n }], [], []]);
    await scene.followed();
    const walletId = await scene.register(late, ann);
    await scene.ended(await scene.importFrom(ann));
    await eventually(async () => assert.equal((await recordedOf(scene, late, walletId)).length, 1));
    scene.chain.reorganize(6, Array(8).fill([]));
    await eventually(async () => assert.deepEqual(await recordedOf(scene, late, walletId), []));
  });

  it('extends an earlier import, and answers a running one', async () => {
    scene = await openImportScene('import twice');
    mineSome(scene.chain, [...someBlocks, [], [], []]);
    await scene.followed();
    await scene.register(late, ann);
    assert.equal((await scene.ended(await scene.importFrom(ann, { fromBlock: 5 }))).state, 'COMPLETED');
    await eventually(async () => assert.equal((await scene.app().addresses.find(late, ann)).complete_since_block, 5));
    const extended = await scene.ended(await scene.importFrom(ann, { fromBlock: 2 }));
    assert.deepEqual([extended.from_block, extended.to_block, extended.state], [2, 4, 'COMPLETED']);
    await eventually(async () => assert.equal((await scene.app().addresses.find(late, ann)).complete_since_block, 2));
    await scene.ended(await scene.importFrom(ann, { fromBlock: 4 }));
    assert.equal((await scene.app().addresses.find(late, ann)).complete_since_block, 2);
    const head = scene.chain.head().number;
    await assert.rejects(scene.importFrom(ann, { fromBlock: head + 1 }), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(scene.importFrom(ben), { code: 'NOT_FOUND' });
    const both = { fromBlock: 1, fromTime: 1 };
    await assert.rejects(scene.importFrom(ann, both), { code: 'INVALID_ARGUMENT' });
  });

  it('begins at the last block at or before from_time', async () => {
    scene = await openImportScene('import since');
    mineSome(scene.chain, [...someBlocks, [], []]);
    await scene.followed();
    await scene.register(late, ann);
    const fromTime = scene.chain.at(4)?.time ?? assert.fail();
    const done = await scene.ended(await scene.importFrom(ann, { fromTime }));
    assert.ok(done.from_block >= 4 && (scene.chain.at(done.from_block)?.time ?? 0) <= fromTime);
  });

  it('fails with a reason when no node has a block', async () => {
    const faults = { isPruned: false };
    scene = await openImportScene('import pruned', (chain) => ({
      ...chain,
      headerAt: async (number) => (faults.isPruned && number === 3 ? null : chain.headerAt(number)),
    }));
    mineSome(scene.chain, [...someBlocks, [], []]);
    await scene.followed();
    const walletId = await scene.register(late, ann);
    faults.isPruned = true;
    const failed = await scene.ended(await scene.importFrom(ann, { fromBlock: 2 }));
    assert.equal(failed.state, 'FAILED');
    assert.match(failed.reason ?? '', /^Block 3 cannot be read: no node has the block\. .*archive node/);
    assert.equal((await scene.app().addresses.find(late, ann)).complete_since_block, undefined);
    faults.isPruned = false;
    assert.equal((await scene.ended(await scene.importFrom(ann, { fromBlock: 2 }))).state, 'COMPLETED');
    await eventually(async () => assert.equal((await recordedOf(scene, late, walletId)).length, 4));
  });

  it('records nothing twice when the process is killed after any write', async () => {
    for (const writes of [0, 1, 2, 3, 5, 8]) {
      scene = await openImportScene(`import killed ${writes}`);
      const control = await scene.register(early, ann);
      mineSome(scene.chain, [...someBlocks, [], []]);
      await scene.followed();
      const walletId = await scene.register(late, ann);
      await eventually(async () => assert.equal((await recordedOf(scene, early, control)).length, 5));
      const importId = await scene.importFrom(ann);
      mineSome(scene.chain, [[], []]);
      scene.crashable.dieAfter(writes);
      await until('the process died or the import ended', async () =>
        scene.crashable.isDead() ? true : (await scene.found(importId)).state !== 'RUNNING',
      );
      await scene.restart();
      assert.equal((await scene.ended(importId)).state, 'COMPLETED');
      await eventually(async () =>
        assert.deepEqual(await recordedOf(scene, late, walletId), await recordedOf(scene, early, control)),
      );
      const imported = (await allEvents(scene.stores.events)).filter(
        ({ type, data }) => type === 'TransferObserved' && (data as { imported?: true }).imported,
      );
      assert.equal(imported.length, 5);
      if (writes < 8) await scene.close();
    }
  });
});
