import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  completeParts,
  consistencyPath,
  inclusionPath,
  isConsistent,
  isIncluded,
  rootOfParts,
  type Subtree,
} from '../../domain/merkle-proof.js';
import { sha256 } from '../../infrastructure/system.js';
import { sized } from '../support/run/tier.js';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const leafOf = (text: string) => sha256(Buffer.concat([Buffer.of(0), Buffer.from(text)]));
const node = (left: string, right: string) => sha256(Buffer.concat([Buffer.of(1), bytes(left), bytes(right)]));

/** Computes the root exactly as section 2.1.1 of RFC 9162 defines it. */
const rootOf = (leaves: readonly string[]): string => {
  if (leaves.length === 0) return sha256('');
  if (leaves.length === 1) return leaves[0] as string;
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return node(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
};
const leavesTo = (size: number) => Array.from({ length: size }, (_, i) => leafOf(`leaf ${i}`));
const rootsOf = (path: readonly Subtree[], leaves: readonly string[]) =>
  path.map(({ from, to }) => rootOf(leaves.slice(from, to)));

const runs = { numRuns: sized(150, 2000) };
const size = fc.integer({ min: 1, max: 200 });

describe('a Merkle proof', () => {
  const seven = leavesTo(7);
  // Names of the nodes as in the example tree of RFC 9162, section 2.1.5.
  const [a, b, c, d, e, f, j] = seven as [string, string, string, string, string, string, string];
  const [g, h, i] = [node(a, b), node(c, d), node(e, f)];
  const [k, l] = [node(g, h), node(i, j)];

  it('has the audit paths of the example tree of RFC 9162', () => {
    assert.equal(rootOf(seven), node(k, l));
    assert.deepEqual(rootsOf(inclusionPath(0, 7), seven), [b, h, l]);
    assert.deepEqual(rootsOf(inclusionPath(3, 7), seven), [c, g, l]);
    assert.deepEqual(rootsOf(inclusionPath(4, 7), seven), [f, j, k]);
    assert.deepEqual(rootsOf(inclusionPath(6, 7), seven), [i, k]);
  });

  it('has the consistency proofs of the example tree of RFC 9162', () => {
    assert.deepEqual(rootsOf(consistencyPath(3, 7), seven), [c, d, g, l]);
    assert.deepEqual(rootsOf(consistencyPath(4, 7), seven), [l]);
    assert.deepEqual(rootsOf(consistencyPath(6, 7), seven), [i, j, k]);
    assert.deepEqual(consistencyPath(7, 7), []);
  });

  it('proves every leaf of a tree of any size, and no other text in its place', () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (count, some, other) => {
        const leaves = leavesTo(count);
        const [index, another] = [some % count, other % count];
        const proof = { index, size: count, path: rootsOf(inclusionPath(index, count), leaves), root: rootOf(leaves) };
        assert.ok(isIncluded({ ...proof, leaf: leaves[index] as string }, node));
        assert.ok(!isIncluded({ ...proof, leaf: leafOf('forged') }, node));
        assert.ok(!isIncluded({ ...proof, leaf: leaves[index] as string, path: [...proof.path, a] }, node));
        assert.equal(isIncluded({ ...proof, leaf: leaves[another] as string }, node), index === another);
      }),
      runs,
    );
  });

  it('proves that a tree extends an earlier one, and not one in which any leaf differed', () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (count, some, changed) => {
        const leaves = leavesTo(count);
        const first = 1 + (some % count);
        const [before, after] = [leaves.slice(0, first), { size: count, root: rootOf(leaves) }];
        const path = rootsOf(consistencyPath(first, count), leaves);
        assert.ok(isConsistent({ size: first, root: rootOf(before) }, after, path, node));
        const forged = before.with(changed % first, leafOf('forged'));
        assert.ok(!isConsistent({ size: first, root: rootOf(forged) }, after, path, node));
        assert.ok(!isConsistent(after, { size: first, root: rootOf(before) }, path, node) || first === count);
        assert.ok(!isConsistent({ size: first, root: rootOf(before) }, after, [...path, a], node));
      }),
      runs,
    );
  });

  it('is made only of complete subtrees, which never change when the tree grows', () => {
    fc.assert(
      fc.property(size, fc.nat(), (count, some) => {
        const leaves = leavesTo(count);
        for (const subtree of [...inclusionPath(some % count, count), ...consistencyPath(1 + (some % count), count)]) {
          const parts = completeParts(subtree);
          for (const { from, to } of parts)
            assert.ok(Number.isInteger(Math.log2(to - from)) && from % (to - from) === 0);
          assert.equal(rootOfParts(rootsOf(parts, leaves), node), rootOf(leaves.slice(subtree.from, subtree.to)));
        }
      }),
      runs,
    );
  });

  it('stays short for a tree of many leaves', () => {
    assert.ok(inclusionPath(123_456_789, 2 ** 40).length <= 40);
    assert.ok(consistencyPath(123_456_789, 2 ** 40).length <= 41);
  });
});
