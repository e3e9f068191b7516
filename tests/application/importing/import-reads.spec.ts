import assert from 'node:assert/strict';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { runningImports } from '../../../projections/statements/imports.js';
import { until } from '../../support/eventually.js';
import {
  ann,
  ben,
  type ImportScene,
  late,
  mineSome,
  openImportScene,
  someBlocks,
} from '../../support/following/import-scene.js';

describe('the history importer', () => {
  let scene: ImportScene;
  /** Number of running imports that were read from the read models. */
  let read = 0;
  beforeEach(async () => {
    read = 0;
    scene = await openImportScene(
      'import reads',
      (chain) => chain,
      (stores) => {
        const scan: ReadModels['scan'] = async (collection, after) => {
          const found = await stores.readModels.scan(collection, after);
          if (collection.name === runningImports.name) read += found.length;
          return found;
        };
        return { ...stores, readModels: { ...stores.readModels, scan } };
      },
    );
    mineSome(scene.chain, [...someBlocks, [], [], []]);
    await scene.followed();
  });
  afterEach(() => scene.close());

  it('learns of imports from events, and never reads the running imports of all organizations again', async () => {
    await scene.register(late, ann);
    const { state } = await scene.ended(await scene.importFrom(ann));
    assert.deepEqual([state, read], ['COMPLETED', 0]);
  });

  it('continues with the running imports after a restart, and reads each once', async () => {
    const walletId = await scene.register(late, ann);
    const both = { walletId, inputs: [{ text: ben, path: '' }] };
    await scene.app().progress.reached((await scene.app().addresses.register(late, both)).position, 5000);
    // The last block of these imports is not confirmed, so the imports wait.
    const ids = [await scene.importFrom(ann), await scene.importFrom(ben)];
    for (const id of ids)
      await until('the import waits', async () => {
        const { current_block, to_block } = await scene.found(id);
        return current_block === to_block - 1;
      });
    await scene.restart();
    for (const id of ids) assert.equal((await scene.ended(id)).state, 'COMPLETED');
    assert.equal(read, 2);
  });
});
