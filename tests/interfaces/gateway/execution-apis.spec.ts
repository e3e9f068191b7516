import assert from 'node:assert/strict';
import { findMethod } from '../../../application/gateway/methods.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { answerText } from '../../support/gateway/json-rpc.js';
import {
  badAnswers,
  type Exchange,
  exchangesIn,
  startBadNode,
  startRecordedNode,
} from '../../support/gateway/recorded-exchanges.js';
import { skip } from '../../support/run/skip.js';
import { silent } from '../../support/silent.js';

const folder = process.env.CHAINFOLD_EXECUTION_APIS;

/** Codes of errors that the gateway itself returns for calls that nodes reject with other texts. */
const ownCodes = [-32_600, -32_602];

const check = ({ name, response }: Exchange, answer: Exchange['response']) => {
  if (response.error === undefined) assert.deepEqual(answer.result, response.result, name);
  else if (!ownCodes.includes(answer.error?.code ?? 0)) assert.deepEqual(answer.error, response.error, name);
};

describe('the public test suite of the execution APIs', () => {
  for (const kind of Object.keys(badAnswers) as (keyof typeof badAnswers)[])
    it(`passes with one node that has the answers and another that ${kind}`, async function () {
      if (!folder)
        return skip(this, 'the exchanges of ethereum/execution-apis, whose folder CHAINFOLD_EXECUTION_APIS names');
      const all = exchangesIn(folder);
      const exchanges = all.filter(({ request }) => findMethod(request.method, false)?.over === 'both');
      assert.ok(exchanges.length >= 83, `${exchanges.length}`);
      const nodes = [await startBadNode(kind), await startRecordedNode(all)];
      const pool = nodePool(
        nodes.map(({ url }) => url),
        silent,
        false,
      );
      try {
        for (const exchange of exchanges)
          check(exchange, JSON.parse(String(await answerText(JSON.stringify(exchange.request), pool))));
      } finally {
        await pool.close();
        for (const node of nodes) await node.close();
      }
    });
});
