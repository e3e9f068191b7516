import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTonScript } from '../../../support/chains/ton-script.js';
import { createTonScene } from '../../../support/ton/scene.js';

describe('a last block that a TON index cannot have reached', () => {
  const { keep, index, connect } = createTonScene();

  /**
   * Starts an index that returns the answers of another index, but with `seqno` as the number of the last block.
   */
  const liarBefore = async (url: string, seqno: number) => {
    const answerTo = async (path: string) => {
      const answer = (await (await fetch(new URL(path, url))).json()) as { last?: object };
      return JSON.stringify(answer.last ? { ...answer, last: { ...answer.last, seqno } } : answer);
    };
    const server = createServer((request, response) => {
      answerTo(request.url ?? '').then(
        (text) => response.setHeader('content-type', 'application/json').end(text),
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    keep({ close });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('is ignored while another index answers', async () => {
    const script = createTonScript(-3);
    const { url } = await index(script);
    for (let i = 0; i < 3; i++) script.mine([]);
    const chain = await connect(await liarBefore(url, 0xffff_ffff), url);
    assert.equal((await chain.head()).number, 3);
    assert.equal(await chain.finalized(), 3);
    script.mine([]);
    assert.equal((await chain.head()).number, 4);
  });
});
