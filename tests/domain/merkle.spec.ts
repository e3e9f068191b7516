import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendLeaf, emptyFrontier, type Frontier, leafHash, nodeHash, rootOf } from '../../domain/merkle.js';

const digest = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Computes the root by the recursive definition in RFC 9162, section 2.1.1. */
const defined = (leaves: readonly string[]): string => {
  if (leaves.length <= 1) return leaves[0] ?? digest('');
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return nodeHash(defined(leaves.slice(0, half)), defined(leaves.slice(half)), digest);
};

describe('the Merkle tree of the seal log', () => {
  it('has the root that RFC 9162 defines, at every size', () => {
    const leaves = Array.from({ length: 130 }, (_, n) => leafHash(`leaf ${n}`, digest));
    let frontier: Frontier = emptyFrontier;
    assert.equal(rootOf(frontier, digest), defined([]));
    for (const [n, leaf] of leaves.entries()) {
      frontier = appendLeaf(frontier, leaf, digest);
      assert.equal(frontier.size, n + 1);
      assert.equal(rootOf(frontier, digest), defined(leaves.slice(0, n + 1)), `size ${n + 1}`);
    }
  });

  it('has the roots of the test vectors of Certificate Transparency', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    let frontier: Frontier = emptyFrontier;
    for (const [n, hex] of inputs.entries()) {
      frontier = appendLeaf(frontier, leafHash(Buffer.from(hex, 'hex').toString('latin1'), digest), digest);
      assert.equal(rootOf(frontier, digest), roots[n]);
    }
  });
});
