import assert from 'node:assert/strict';
import { callOrExplain } from '../../../interfaces/cli/client/call.js';

describe('a command that needs a running service', () => {
  const asks = (url: string) => callOrExplain(url, () => fetch(url));

  it('names the network error when no service answers', async () => {
    const faults: [string, RegExp][] = [
      ['http://127.0.0.1:2', /^No service answers at http:\/\/127\.0\.0\.1:2 \(ECONNREFUSED\)\. Start one/],
      ['http://chainfold.invalid', /^No service answers at http:\/\/chainfold\.invalid \((?:ENOTFOUND|EAI_AGAIN)\)\. /],
    ];
    for (const [url, message] of faults) await assert.rejects(asks(url), { code: 'UNAVAILABLE', message });
  });

  it('shows the message of an error that has no code', () =>
    assert.rejects(
      callOrExplain('http://127.0.0.1:2', async () => JSON.parse('<html>')),
      ({ message }: Error) => /\(Unexpected token .*\)\. Start one/.test(message),
    ));
});
