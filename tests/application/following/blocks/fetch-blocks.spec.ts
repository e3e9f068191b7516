import assert from 'node:assert/strict';
import { fetchInOrder } from '../../../../application/following/blocks/fetch-blocks.js';
import type { Block, Chain, Header, Interest } from '../../../../application/ports/chain.js';

const interest: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
const headers = Array.from(
  { length: 20 },
  (_, number): Header => ({ number, hash: `hash ${number}`, parentHash: `hash ${number - 1}`, time: number }),
);
const nothing = () => undefined;

/** Makes a chain whose blocks have the given sizes, and tells which ones were asked for. */
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

describe('blocks that are fetched ahead', () => {
  /** Takes all blocks, and returns how many were asked for beyond each one when it was taken. */
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

  it('are eight while they are small', async () => {
    const ahead = await takeAll(ofBytes(10), 1000);
    assert.equal(Math.max(...ahead), 7);
  });

  it('are as many as fit into the bytes, once the size of blocks is known', async () => {
    const ahead = await takeAll(ofBytes(300), 1000);
    assert(Math.max(...ahead) <= 3, ahead.join());
    assert(Math.max(...ahead) >= 1, ahead.join());
  });

  it('are one at a time where one alone is too large', async () => {
    const ahead = await takeAll(ofBytes(5000), 1000);
    assert.deepEqual(new Set(ahead.slice(1)), new Set([0]));
  });

  it('count with the texts of their movements where nobody counted the bytes', async () => {
    const details = { message: 'x'.repeat(1000) };
    const movement = { details } as unknown as Block['movements'][0];
    const ahead = await takeAll((header) => ({ ...header, movements: [movement], touches: [] }), 6000);
    assert(Math.max(...ahead) <= 2, ahead.join());
  });
});
