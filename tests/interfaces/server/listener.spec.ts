import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { takePort } from '../../../interfaces/server/listener.js';

describe('a listener that stops', () => {
  it('closes connections that have not sent a request yet, as of browsers that connect in advance', async () => {
    const listener = await takePort({ host: '127.0.0.1', port: 0, setting: 'PORT' }, () => 'starting');
    const early = connect(Number(new URL(listener.url).port), '127.0.0.1');
    await once(early, 'connect');
    await (await fetch(listener.url)).text();
    const received = text(early);
    const longerThanThisTest = 3_600_000;
    await listener.stop(longerThanThisTest);
    assert.equal(await received, '');
  });
});
