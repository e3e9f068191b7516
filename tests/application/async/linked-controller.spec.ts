import assert from 'node:assert/strict';
import { getEventListeners, setMaxListeners } from 'node:events';
import { linkedController } from '../../../application/async/linked-controller.js';
import { createBlockWait } from '../../../application/following/wait-for-block.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { testSystem } from '../../support/silent.js';

const pauses = 10_000;

describe('a linked controller', () => {
  const listenersOf = (...signals: readonly AbortSignal[]) =>
    signals.map((signal) => getEventListeners(signal, 'abort').length);

  it('aborts when one of its signals fires, and then listens to none of them', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const linked = linkedController(first.signal, second.signal);
    assert.equal(linked.signal.aborted, false);
    second.abort();
    assert.equal(linked.signal.aborted, true);
    assert.deepEqual(listenersOf(first.signal, second.signal), [0, 0]);
  });

  it('is aborted from the start, and listens to nothing, if one of its signals has fired before', () => {
    const open = new AbortController();
    assert.equal(linkedController(open.signal, AbortSignal.abort()).signal.aborted, true);
    assert.deepEqual(listenersOf(open.signal), [0]);
  });

  it('does not fire its signals when it is aborted, and then listens to none of them', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    linkedController(first.signal, second.signal).abort();
    assert.deepEqual([first.signal.aborted, second.signal.aborted], [false, false]);
    assert.deepEqual(listenersOf(first.signal, second.signal), [0, 0]);
  });

  it('passes an abort on through several links', () => {
    const source = new AbortController();
    const last = linkedController(linkedController(linkedController(source.signal).signal).signal);
    source.abort();
    assert.equal(last.signal.aborted, true);
  });

  it('leaves no listener on a signal after ten thousand pauses', async () => {
    const stop = new AbortController();
    for (let n = 0; n < pauses; n++) {
      const over = linkedController(stop.signal);
      const pause = testSystem.sleep(60_000, over.signal);
      over.abort();
      await pause;
    }
    assert.deepEqual(listenersOf(stop.signal), [0]);
  });

  it('leaves no listener on a signal after ten thousand waits for a block', async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const wait = createBlockWait(headerChain({ headers: headersOf('a', 1) }), testSystem, stop.signal);
    for (let n = 0; n < pauses; n += 100) await Promise.all(Array.from({ length: 100 }, () => wait(0)));
    assert.deepEqual(listenersOf(stop.signal), [0]);
  });
});

describe('a pause of the system', () => {
  it('leaves no listener on its signal, whether it ends by itself or not', async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    for (let n = 0; n < pauses; n += 100)
      await Promise.all(Array.from({ length: 100 }, () => testSystem.sleep(0, stop.signal)));
    assert.deepEqual(getEventListeners(stop.signal, 'abort'), []);
    const paused = testSystem.sleep(60_000, stop.signal);
    stop.abort();
    await paused;
    assert.deepEqual(getEventListeners(stop.signal, 'abort'), []);
  });
});
