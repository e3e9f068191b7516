import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { embedded } from '../../support/engines/engines.js';
import { sign } from '../../support/service/http.js';
import { demoOf, type Service, startService } from '../../support/service/service.js';

const path = '/v1/c/RegisterWallet';

/** Sends the headers of a request and nothing of its body; resolves with the beginning of the answer. */
const answerTo = (url: string, lines: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.once('data', (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
  });

describe('a request with invalid headers', () => {
  let service: Service;
  before(async () => {
    service = await startService({ on: embedded });
  });
  after(() => service.stop());

  const bytes = 1_000_000;
  const good = () => ({
    'content-type': 'application/json',
    'content-length': String(bytes),
    ...sign(demoOf(service.home), path, ''),
  });
  const spoiled = (headers: Record<string, string | undefined>) => () => ({ ...good(), ...headers });
  const unknownKey = `ck_${'0'.repeat(32)}_${'0'.repeat(32)}`;
  const cases: Readonly<Record<string, readonly [status: number, () => Record<string, string | undefined>]>> = {
    'an unknown key': [401, spoiled({ 'x-api-key': unknownKey })],
    'a malformed key': [401, spoiled({ 'x-api-key': 'x' })],
    'a malformed nonce': [401, spoiled({ 'x-api-nonce': 'soon' })],
    'a stale nonce': [401, spoiled({ 'x-api-nonce': '1600000000000' })],
    'no signature': [401, spoiled({ 'x-api-signature': undefined })],
    'another content type': [415, spoiled({ 'content-type': 'text/plain' })],
    'no content type': [415, spoiled({ 'content-type': undefined })],
    'a length over the limit': [413, spoiled({ 'content-length': '1048577' })],
    'chunks of another content type': [
      415,
      spoiled({ 'content-length': undefined, 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }),
    ],
  };
  for (const [what, [status, headers]] of Object.entries(cases))
    it(`is rejected before any of its body is sent: ${what}`, async () => {
      const given = Object.entries(headers()).filter(([, value]) => value !== undefined);
      const lines = [`POST ${path} HTTP/1.1`, 'host: x', ...given.map(([name, value]) => `${name}: ${value}`)];
      const answer = await answerTo(service.url, lines);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(answer, /^connection: close\r$/im);
    });

  it('leaves no unread body that could be read as the next request', async () => {
    const next = `GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n`;
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: x',
      'content-type: application/json',
      `content-length: ${next.length}`,
    ];
    const { hostname, port } = new URL(service.url);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
      socket.once('data', () => socket.write(next));
      socket.on('data', (chunk) => (text += chunk));
      // A connection that the service has already closed is reset by the second write.
      socket.once('error', () => undefined);
      socket.once('close', () => resolve(text));
    });
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401']);
  });
});
