import assert from 'node:assert/strict';
import { faultOf } from '../../../infrastructure/nodes/json-rpc/rpc-fault.js';
import type { FaultKind } from '../../../infrastructure/nodes/node-fault.js';

const messages: Readonly<Partial<Record<FaultKind, readonly string[]>>> = {
  // Errors about the limits of a paid plan at one node's provider. Another node is asked until these limits are reset.
  busy: [
    'Your app has exceeded its compute units per second capacity',
    'daily request count exceeded, request rate limited',
    '50/second request limit reached',
    'limit exceeded',
    'project exceeded its monthly quota',
    'request limit exceeded for block explorer plan',
  ],
  // Errors about an invalid key in the URL of the node, which is not the caller's mistake.
  failing: [
    'invalid api key',
    'API key is not allowed to access blockchain',
    'Must be authenticated!',
    'Unauthorized',
    'not authorized for this network',
  ],
  // Errors of calls that every node rejects, although no node is overloaded.
  refused: [
    'stack limit reached 1024 (1023)',
    'exceeds block gas limit',
    'call gas cost (21000) exceeds the gas limit (1)',
    'EIP-7702 authorization list cannot be empty',
  ],
  reverted: ['execution reverted: not authorized, rate limit exceeded'],
};

describe('the error of a node', () => {
  for (const [kind, texts] of Object.entries(messages))
    for (const message of texts)
      it(`has the kind ${kind} if it says "${message}"`, () => {
        assert.equal(faultOf({ code: -32_000, message }).kind, kind);
      });
});
