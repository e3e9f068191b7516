import assert from 'node:assert/strict';
import type { Header } from '../../../application/ports/chain.js';
import { eventually, until } from '../../support/eventually.js';
import { allEvents } from '../../support/following/following.js';
import {
  ann,
  ben,
  early,
  type ImportScene,
  late,
  mineSome,
  openImportScene,
  other,
  recordedOf,
  someBlocks,
} from '../../support/following/import-scene.js';

describe('an import that is running', () => {
  let scene: ImportScene;
  let isHeld = false;
  /** Starts a service whose follower has read all blocks. While `isHeld`, the nodes return no block to the import. */
  beforeEach(async () => {
    isHeld = true;
    scene = await openImportScene('import held', (chain) => ({
      ...chain,
      block: async (hash, interest) => {
        if (isHeld) await until('the import is released', () => !isHeld);
        return chain.block(hash, interest);
      },
    }));
    isHeld = false;
    mineSome(scene.chain, [...someBlocks, [], [], []]);
    await scene.followed();
    await scene.register(late, ann);
    isHeld = true;
  });
  afterEach(async () => {
    isHeld = false;
    await scene.close();
  });

  it('is answered to a request of the same or later blocks', async () => {
    const importId = await scene.importFrom(ann, { fromBlock: 2 });
    assert.equal(await scene.importFrom(ann, { fromBlock: 2 }), importId);
    assert.equal(await scene.importFrom(ann, { fromBlock: 4 }), importId);
    const { state, from_block, current_block } = await scene.found(importId);
    assert.deepEqual([state, from_block, current_block], ['RUNNING', 2, 2]);
  });

  it('rejects a request of earlier blocks until it has ended', async () => {
    const importId = await scene.importFrom(ann, { fromBlock: 3 });
    await assert.rejects(scene.importFrom(ann, { fromBlock: 1 }), {
      code: 'CONFLICT',
      message: new RegExp(`^Import ${importId} of this address is running from block 3\\. Retry when GetImport`),
    });
    isHeld = false;
    await scene.ended(importId);
    await eventually(async () => assert.equal((await scene.app().addresses.find(late, ann)).complete_since_block, 3));
    assert.notEqual(await scene.importFrom(ann, { fromBlock: 1 }), importId);
  });

  it('fails when the address is removed', async () => {
    isHeld = false;
    // The import cannot complete before the removal, because its last block is not confirmed yet.
    const importId = await scene.importFrom(ann);
    const { wallet_id: walletId } = await scene.app().addresses.find(late, ann);
    await scene.app().addresses.remove(late, { walletId, inputs: [{ text: ann, path: '' }] });
    await until('the import ends', async () => (await scene.found(importId)).state !== 'RUNNING');
    const { state, reason } = await scene.found(importId);
    assert.deepEqual([state, reason], ['FAILED', 'The address was removed from the wallet.']);
  });

  it('is not found by other organizations', async () => {
    const importId = await scene.importFrom(ann);
    await assert.rejects(scene.app().historyImports.find(early, importId), { code: 'NOT_FOUND' });
  });
});

describe('an import during a reorganization', () => {
  let scene: ImportScene;
  afterEach(() => scene.close());

  it('leaves a replaced block to the follower, which reads it with all addresses of the wallet', async () => {
    let held: Header | null = null;
    scene = await openImportScene('import replaced', (chain) => ({
      ...chain,
      followedHead: async () => held ?? chain.head(),
    }));
    const control = await scene.register(early, ann);
    const both = { walletId: control, inputs: [{ text: ben, path: '' }] };
    await scene.app().addresses.register(early, both);
    const walletId = await scene.register(late, ann);
    mineSome(scene.chain, [...someBlocks, [], [], []]);
    await scene.followed();
    const { position } = await scene.app().addresses.register(late, { ...both, walletId });
    await scene.app().progress.reached(position, 5000);
    const { number, hash, parentHash, time } = scene.chain.head();
    held = { number, hash, parentHash, time };
    const payBoth = [
      { from: other, to: ann, value: 21n },
      { from: other, to: ben, value: 22n },
    ];
    scene.chain.reorganize(3, [payBoth, [], [], [], []]);
    const importId = await scene.importFrom(ben);
    await until('the import has read the blocks before', async () => {
      const { current_block } = await scene.found(importId);
      return current_block === number - 3;
    });
    held = null;
    assert.equal((await scene.ended(importId)).state, 'COMPLETED');
    await eventually(async () => {
      const recorded = await recordedOf(scene, late, walletId);
      assert.deepEqual(recorded, await recordedOf(scene, early, control));
      assert.equal(recorded.filter(({ transfer }) => ['21', '22'].includes(transfer.value)).length, 2);
    });
    const imported = (await allEvents(scene.stores.events)).filter(
      ({ type, data }) =>
        type === 'TransferObserved' &&
        (data as { imported?: true }).imported &&
        (data as { block: Header }).block.number > number - 3,
    );
    assert.deepEqual(imported, []);
  });
});
