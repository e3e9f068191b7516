import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import type { Chain } from '../../../../application/ports/chain.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';

const keys = { 'x-token': 'secret-of-mine', authorization: 'Bearer another-secret' };
const query = new URLSearchParams(keys);

describe('the key in the URL of a Sui node', () => {
  const seen: Record<string, unknown>[] = [];
  const lines: unknown[] = [];
  const record = (...line: unknown[]) => lines.push(line);
  /** Node that rejects every call, and names the keys in the rejection. */
  const server = createServer().on('stream', (stream, headers) => {
    seen.push(headers);
    const message = encodeURIComponent(`no access with ${Object.values(keys)}`);
    stream.respond(
      { 'content-type': 'application/grpc', 'grpc-status': `${status.PERMISSION_DENIED}`, 'grpc-message': message },
      { endStream: true },
    );
  });
  let chain: Chain;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const log = { info: record, warn: record, error: record };
    chain = await suiChain([`sui+grpc://127.0.0.1:${port}/?${query}`], log, { deadlineMs: 1000, timeoutMs: 1000 });
  });
  after(async () => {
    await chain.close();
    server.close();
  });

  it('is sent with every call, and named in no message and no line of the log', async () => {
    const shown: string[] = [];
    for (const ask of [() => chain.head(), () => chain.headerAt(1), () => chain.genesis()])
      await assert.rejects(ask(), ({ message }: Error) => shown.push(message) > 0);
    assert.ok(seen.length >= shown.length);
    for (const headers of seen)
      assert.deepEqual({ 'x-token': headers['x-token'], authorization: headers.authorization }, keys);
    assert.doesNotMatch([...shown, JSON.stringify(lines)].join(), /secret/);
    assert.match(shown.join(), /no access/);
  });
});
