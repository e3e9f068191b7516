import assert from 'node:assert/strict';
import { createTonScript, type Shape, shapes, type TonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { eventually } from '../../../support/eventually.js';
import { createTonScene, inHex, interestInAll } from '../../../support/ton/scene.js';

const bert = accountOf('bert');

describe('the TON connector with an index that lacks a shard block together with its transactions', () => {
  const { index, connect } = createTonScene();
  const payments = Array.from({ length: 9 }, (_, n) => ({
    from: bert,
    to: accountOf(`payee ${n}`),
    value: 5n,
  }));
  const noShards = { status: 404, body: {} };
  const chainOf = (shape: Shape) => {
    const script = createTonScript(-3);
    script.mine([], shape === 'split' ? 'merge' : 'usual');
    script.mine(payments, 'idle');
    script.mine(payments, shape);
    script.mine(payments);
    return script;
  };
  const readFrom = async (chain: Awaited<ReturnType<typeof connect>>, script: TonScript, seqno: number) => {
    const block = await chain.block(inHex(script.blocks[seqno - 1]?.hash ?? ''), interestInAll);
    return block?.movements.length;
  };
  const isRead = ({ path }: { path: string }) => path === 'transactionsByMasterchainBlock';

  for (const shape of shapes)
    it(`asks another index when shards continue as "${shape}", whichever block is missing`, async () => {
      const script = chainOf(shape);
      const shardBlocks = script.blocks[2]?.blocks.slice(1) ?? [];
      assert.deepEqual(
        shardBlocks.filter(({ transactions }) => transactions.length === 0),
        [],
      );
      const sources = shardBlocks.flatMap((block) => [true, false].map((noLinks) => ({ block, noLinks })));
      for (const { block, noLinks } of sources) {
        const [lossy, good] = [await index(script, { noLinks }), await index(script, { noLinks })];
        lossy.lost.push(block);
        const chain = await connect(lossy.url, good.url);
        for (const seqno of [2, 3, 4]) assert.equal(await readFrom(chain, script, seqno), 2 * payments.length);
      }
    });

  for (const shape of shapes)
    it(`reads every block of a complete index that does not report shards, when they continue as "${shape}"`, async () => {
      const script = chainOf(shape);
      for (const options of [{}, { noShards }, { noLinks: true }, { noShards, noLinks: true }]) {
        const chain = await connect((await index(script, options)).url);
        for (const seqno of [2, 3, 4]) assert.equal(await readFrom(chain, script, seqno), 2 * payments.length);
      }
    });

  it('waits for the block if there is no other index', async () => {
    const script = chainOf('usual');
    const served = await index(script);
    const chain = await connect(served.url);
    served.lost.push(...(script.blocks[2]?.tops ?? []));
    const reading = readFrom(chain, script, 3);
    await eventually(async () =>
      assert(served.asked.filter(({ path }) => path === 'masterchainBlockShardState').length > 3),
    );
    assert(!served.asked.some(isRead));
    served.lost.length = 0;
    assert.equal(await reading, 2 * payments.length);
  });

  it('notices at the next block if the index lacks the newest shard blocks', async () => {
    const script = chainOf('usual');
    const [lossy, good] = [await index(script, { noShards }), await index(script, { noShards })];
    lossy.lost.push(...(script.blocks[2]?.tops ?? []));
    const chain = await connect(lossy.url, good.url);
    assert.equal(await readFrom(chain, script, 4), 2 * payments.length);
    assert(good.asked.some(isRead) && !lossy.asked.some(isRead));
  });
});
