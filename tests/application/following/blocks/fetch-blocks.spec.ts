import assert from 'node:assert/strict';
import { fetchInOrder } from '../../../../application/following/blocks/fetch-blocks.js';
import type { Block, Chain, Header, Interest } from '../../../../application/ports/chain.js';

const interest: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
const headers = Array.from(
  { length: 20 },
  (_, number): Header => ({ number, hash: `hash ${number}`, parentHash: `hash ${number - 1}`, time: number }),
);
const nothing = () => undefined;

/** Makes a chain whose blocks have the given sizes, and records which blocks were requested. */
const chainOf = (make: (header: Header) => Block) => {
  const asked: number[] = [];
  const block: Chain['block'] = async (hash) => {
    const header = headers.find((one) => one.hash === hash) as Header;
    asked.push(header.number);
    return make(header);
  };
  return { asked, chain: { block } as unknown as Chain };
};
const ofBytes = (bytes: number) => (header: Header) => ({ ...header, movements: [], touches: [], bytes });

describe('prefetched blocks', () => {
  /** Consumes all blocks, and returns how many further blocks had been requested when each block was consumed. */
  const takeAll = async (make: (header: Header) => Block, maxBytes: number) => {
    const { asked, chain } = chainOf(make);
    const ahead: number[] = [];
    let taken = 0;
    for await (const { block } of fetchInOrder(chain, headers, interest, nothing, maxBytes)) {
      assert.equal(block?.number, taken++);
      ahead.push(asked.length - taken);
    }
    assert.equal(taken, headers.length);
    return ahead;
  };

  it('number eight while they are small', async () => {
    const ahead = await takeAll(ofBytes(10), 1000);
    assert.equal(Math.max(...ahead), 7);
  });

  it('number as many as fit into the byte limit, once the block size is known', async () => {
    const ahead = await takeAll(ofBytes(300), 1000);
    assert(Math.max(...ahead) <= 3, ahead.join());
    assert(Math.max(...ahead) >= 1, ahead.join());
  });

  it('are fetched one at a time if one alone exceeds the byte limit', async () => {
    const ahead = await takeAll(ofBytes(5000), 1000);
    assert.deepEqual(new Set(ahead.slice(1)), new Set([0]));
  });

  it('are sized by the texts of their movements if their bytes were not counted', async () => {
    const details = { message: 'x'.repeat(1000) };
    const movement = { details } as unknown as Block['movements'][0];
    const ahead = await takeAll((header) => ({ ...header, movements: [movement], touches: [] }), 6000);
    assert(Math.max(...ahead) <= 2, ahead.join());
  });
});
