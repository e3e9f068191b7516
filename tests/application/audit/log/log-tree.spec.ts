import assert from 'node:assert/strict';
import { createLogTree } from '../../../../application/audit/log/log-tree.js';
import { type LogLeaf, leafText } from '../../../../domain/aggregates/audit/seal-log.js';
import { appendLeaf, emptyFrontier, leafHash, rootOf } from '../../../../domain/merkle.js';
import { consistencyPath, inclusionPath } from '../../../../domain/merkle-proof.js';
import { sha256 } from '../../../../infrastructure/system.js';
import { testSystem } from '../../../support/silent.js';

const leafOf = (count: number): LogLeaf => ({
  organizationId: 'org_a',
  count,
  hash: sha256(`${count}`),
  places: sha256(`places ${count}`),
  position: count,
});
const size = 1100;

/** Seal log in memory that counts the leaves that are read. */
const countedLog = () => {
  const log = {
    read: 0,
    leaves: async function* (from: number, to: number) {
      for (let index = from; index < to; index++) {
        log.read++;
        yield leafOf(index);
      }
    },
  };
  return log;
};
const rootOver = (from: number, to: number) => {
  let frontier = emptyFrontier;
  for (let index = from; index < to; index++)
    frontier = appendLeaf(frontier, leafHash(leafText(leafOf(index)), sha256), sha256);
  return rootOf(frontier, sha256);
};

describe('the Merkle tree over the seal log', () => {
  it('has the roots of all subtrees that proofs need, even while the log grows', async () => {
    const tree = createLogTree(countedLog(), testSystem);
    for (const upTo of [1, 256, 257, 700, size])
      for (const index of [0, Math.floor(upTo / 2)]) {
        const subtrees = [...inclusionPath(index, upTo), ...consistencyPath(index + 1, upTo)];
        assert.deepEqual(
          await tree.roots(subtrees),
          subtrees.map(({ from, to }) => rootOver(from, to)),
        );
      }
  });

  it('reads the whole log once, and then a few hundred leaves per proof', async () => {
    const log = countedLog();
    const tree = createLogTree(log, testSystem);
    await Promise.all([tree.roots(inclusionPath(3, size)), tree.roots(inclusionPath(700, size))]);
    assert.ok(log.read < size + 4 * 256, `${log.read} leaves were read`);
    log.read = 0;
    await tree.roots(inclusionPath(3, size));
    assert.ok(log.read <= 2 * 256, `${log.read} leaves were read`);
  });

  it('rejects when the log lacks an entry', async () => {
    const cut = { leaves: () => countedLog().leaves(0, 10) };
    await assert.rejects(createLogTree(cut, testSystem).roots(inclusionPath(0, size)), /no entry/);
  });
});
