import assert from 'node:assert/strict';
import { configuredNames } from '../../../application/gateway/configured-methods.js';
import { answerCalls, call, fakeNode } from '../../support/gateway/json-rpc.js';

describe('a method that a setting adds to a gateway address', () => {
  const { real, asked } = fakeNode();
  const node = { ...real, extraMethods: configuredNames(['trace_block', 'evm_getProof']) };

  it('is forwarded to the node under the name that nodes know, with unchanged arguments', async () => {
    const params = ['0x1', null, [{ deep: true }]];
    const names = ['trace_block', 'evm_getProof', 'eth_getProof'];
    await answerCalls(
      names.map((name, place) => call(name, place, params)),
      node,
    );
    assert.deepEqual(
      asked.map(({ method, params: given }) => [method, given]),
      ['trace_block', 'eth_getProof', 'eth_getProof'].map((name) => [name, params]),
    );
  });

  it('is unknown at every other address', async () => {
    const [answer] = await answerCalls([call('trace_block')], real);
    assert.equal(answer.error.code, -32_601);
  });

  it('accepts a bounded number of arguments', async () => {
    const [answer] = await answerCalls([call('trace_block', 1, new Array(17).fill('0x1'))], node);
    assert.equal(answer.error.code, -32_602);
  });
});
