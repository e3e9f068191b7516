import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createWitnesses, witnessFile, witnessUrl } from '../../../infrastructure/egress/witnesses.js';
import { freshDirectory } from '../../support/run/directories.js';
import { closeAll, egressWith, serve } from '../../support/webhooks/egress.js';

describe('a witness', () => {
  afterEach(closeAll);

  it('that is a file has a line per head, even after a line truncated by a crash', async () => {
    const path = join(freshDirectory(), 'heads.ndjson');
    await witnessFile(path).record('{"size":1}');
    await witnessFile(path).record('{"size":2}');
    appendFileSync(path, '{"size":');
    await witnessFile(path).record('{"size":3}');
    assert.equal(readFileSync(path, 'utf8'), '{"size":1}\n{"size":2}\n{"size":\n{"size":3}\n');
    assert.equal(statSync(path).mode & 0o077, 0);
  });

  it('that is a file in a missing folder has not accepted the head', async () => {
    const path = join(freshDirectory(), 'nowhere', 'heads.ndjson');
    await assert.rejects(witnessFile(path).record('{}'), { code: 'ENOENT' });
  });

  it('that is a URL has accepted the head if and only if it answers 2xx', async () => {
    const bodies: string[] = [];
    let status = 204;
    const port = await serve((request, response) => {
      void text(request).then((body) => {
        bodies.push(`${request.method} ${request.headers['content-type']} ${body}`);
        response.writeHead(status).end();
      });
    });
    const witness = witnessUrl(`http://127.0.0.1:${port}/heads`, egressWith({ allowPrivate: true }));
    await witness.record('{"size":1}');
    status = 503;
    await assert.rejects(witness.record('{"size":2}'), /status 503/);
    assert.deepEqual(bodies, ['POST application/json {"size":1}', 'POST application/json {"size":2}']);
  });

  it('that is a URL in a private network is rejected like that of a webhook', () =>
    assert.rejects(
      witnessUrl('http://127.0.0.1/heads', egressWith()).record('{}'),
      /^Error: CHAINFOLD_WITNESS_URL must not lead to a private address/,
    ));

  it('exists for each setting that configures one', () => {
    const names = (settings: { witnessFile?: string; witnessUrl?: string }) =>
      createWitnesses({ witnessFile: undefined, witnessUrl: undefined, ...settings }, egressWith()).map(
        ({ name }) => name,
      );
    assert.deepEqual(names({}), []);
    assert.deepEqual(names({ witnessFile: 'heads', witnessUrl: 'https://witness.example/' }), ['file', 'url']);
  });
});
