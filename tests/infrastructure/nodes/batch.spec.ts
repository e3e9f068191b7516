import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../../application/ports/node.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { elementsOf } from '../../../infrastructure/nodes/json-rpc/batch.js';
import { createEvmChain, digestOf, type MinedBlock } from '../../support/chains/evm-chain.js';
import { type EvmFaults, noFaults } from '../../support/chains/evm-faults.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { silent } from '../../support/silent.js';

describe('the elements of a JSON array', () => {
  it('equal those of JSON.parse', () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { minLength: 1 }), fc.constantFrom('', ' ', '\r\n'), (values, space) => {
        const text = `${space}[${values.map((value) => `${space}${value}${space}`).join(',')}]${space}`;
        assert.deepEqual(
          elementsOf(Buffer.from(text))?.map((element) => JSON.parse(element.toString())),
          JSON.parse(text),
        );
      }),
    );
  });
  it('are not found in other values or in an unfinished array', () => {
    for (const text of ['', '{}', 'null', '{"a":[1]}', '[1', '["a]', '[{"a":1]'])
      assert.equal(elementsOf(Buffer.from(text)), null, text);
  });
});

describe('the requests of one batch', () => {
  let nodes: readonly EvmNode[];
  let pool: Node;
  const chain = createEvmChain();
  const blocks: readonly MinedBlock[] = Array.from({ length: 30 }, () => chain.mine([]));
  beforeEach(async () => {
    nodes = await Promise.all([startEvmNode({ chain }), startEvmNode({ chain })]);
    pool = nodePool(
      nodes.map(({ url }) => url),
      silent,
      false,
      { hedgeMs: 40 },
    );
  });
  afterEach(async () => {
    await pool.close();
    for (const node of nodes) await node.close();
  });
  const hashesOf = (found: readonly unknown[]) =>
    found.map((block) => (block as { hash: string } | null)?.hash ?? null);
  const askAll = async (hashes: readonly string[]) => {
    const bundle = Symbol('blocks');
    return hashesOf(await Promise.all(hashes.map((hash) => pool.ask('eth_getBlockByHash', [hash, false], { bundle }))));
  };

  const troubles: readonly Partial<EvmFaults>[] = [
    {},
    { status: 500 },
    { status: 429 },
    { status: 403 },
    { garbage: true },
    { hang: true },
    { wrongId: true },
    { losesBlocks: true },
    { noBatches: true },
    { error: { code: -32005, message: 'limit exceeded' } },
  ];
  for (const faults of troubles)
    it(`are all answered while a node has the faults ${JSON.stringify(faults)}`, async () => {
      const hashes = blocks.map(({ hash }) => hash);
      for (const node of nodes) {
        Object.assign(node.faults, faults);
        const unknown = digestOf(node.url);
        assert.deepEqual(await askAll([unknown, ...hashes.slice(0, 15)]), [null, ...hashes.slice(0, 15)]);
        Object.assign(node.faults, noFaults);
        hashes.splice(0, 15);
      }
    });
});
