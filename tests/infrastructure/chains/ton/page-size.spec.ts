import assert from 'node:assert/strict';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { createPageSize } from '../../../../infrastructure/chains/ton/page-size.js';
import { createTonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { silent } from '../../../support/silent.js';
import { createTonScene, inHex, interestInAll, longTimeouts } from '../../../support/ton/scene.js';

describe('a page of transactions', () => {
  const { keep, index, connect } = createTonScene();
  const payments = Array.from({ length: 40 }, (_, n) => ({
    from: accountOf('payer'),
    to: accountOf(`payee ${n}`),
    value: 5n,
  }));
  const chainOf = () => {
    const script = createTonScript(-3);
    for (let n = 0; n < 3; n++) script.mine(payments);
    return script;
  };
  const hashes = ({ blocks }: ReturnType<typeof chainOf>) => blocks.map(({ hash }) => inHex(hash));

  it('is halved until the index accepts its limit, which is remembered', async () => {
    const script = chainOf();
    const served = await index(script, { largestLimit: 70 });
    const chain = await connect(served.url);
    const limits = [];
    for (const hash of hashes(script)) {
      served.asked.length = 0;
      assert.equal((await chain.block(hash, interestInAll))?.movements.length, 2 * payments.length);
      limits.push(served.asked.flatMap(({ path, limit }) => (/^transactions/.test(path) ? [limit] : [])));
    }
    assert.deepEqual(limits.slice(1), [
      [62, 62],
      [62, 62],
    ]);
  });

  it('is halved while the response exceeds the byte limit', async () => {
    const script = chainOf();
    const served = await index(script);
    const maxBytes = 20_000;
    const chain = keep(await tonChain([served.url], silent, { ...longTimeouts, maxBytes }));
    for (const hash of hashes(script)) {
      const block = await chain.block(hash, interestInAll);
      assert.equal(block?.movements.length, 2 * payments.length);
      assert((block?.bytes ?? 0) > maxBytes, 'a block tells how many bytes were read for it');
    }
  });

  it('grows again after many successful pages, and waits longer after each time that this was too early', () => {
    const pages = createPageSize();
    const untilGrown = () => {
      const size = pages.current();
      for (let n = 1; ; n++) {
        pages.accepted();
        if (pages.current() !== size) return n;
      }
    };
    for (const limit of [1000, 500]) assert(pages.refused(limit));
    assert.equal(pages.current(), 250);
    const first = untilGrown();
    assert.equal(pages.current(), 500);
    assert(pages.refused(500));
    assert(first > 30 && untilGrown() === 2 * first);
    assert.equal(untilGrown(), 2 * first);
    assert.equal(pages.current(), 1000);
  });

  it('is halved once by errors of several pages requested together, and is never empty', () => {
    const pages = createPageSize();
    for (let n = 0; n < 8; n++) assert(pages.refused(1000));
    assert.equal(pages.current(), 500);
    for (let n = 0; n < 20; n++) pages.refused(pages.current());
    assert.equal(pages.current(), 1);
    assert(!pages.refused(1));
  });
});
