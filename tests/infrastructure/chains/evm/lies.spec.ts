import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Failure } from '../../../../domain/failure.js';
import { addressOf } from '../../../support/chains/evm-chain.js';
import { addressWord, tokenLog } from '../../../support/chains/evm-contracts.js';
import {
  anna,
  bert,
  called,
  erc20,
  evmFixture,
  interestInAnna,
  paid,
  transactions,
} from '../../../support/chains/evm-fixture.js';

/**
 * Covers contradictions within a block. An amount that a node changes in all its responses stays unnoticed, because
 * roots in the header are not recomputed.
 */
describe('a block that contradicts itself', () => {
  const { node, connect } = evmFixture();

  type Answer = Record<string, unknown> & { logs: Record<string, unknown>[] };
  const receipts = (change: (all: Answer[]) => unknown) => (method: string, answer: unknown) => {
    if (method === 'eth_getBlockReceipts') return change(answer as Answer[]);
    return method === 'eth_getTransactionReceipt' ? null : answer;
  };
  const traces = (change: (all: object[]) => unknown) => (method: string, answer: unknown) =>
    method === 'debug_traceBlockByHash' ? change(answer as object[]) : answer;
  const blocks = (change: (block: Answer) => unknown) => (method: string, answer: unknown) =>
    method === 'eth_getBlockByHash' ? change(answer as Answer) : answer;
  const at = <T>(all: readonly T[], place: number, change: (one: T) => T | T[]) =>
    all.flatMap((one, i) => (i === place % all.length ? change(one) : [one]));
  const naming = JSON.stringify(`0x${addressWord(anna)}`);
  const concerns = (log: object) => JSON.stringify(log).includes(naming);
  /** Changes one of the receipts that have a log about the watched address. */
  const logged = (place: number, change: (receipt: Answer) => Answer) =>
    receipts((all) => {
      const some = all.filter(({ logs }) => logs.some(concerns));
      const chosen = some[place % some.length];
      return all.map((one) => (one === chosen ? change(one) : one));
    });
  const liar = addressOf('liar');
  const lies: Readonly<Record<string, (place: number) => (method: string, answer: unknown) => unknown>> = {
    'a log left out': (place) => logged(place, (one) => ({ ...one, logs: one.logs.filter((log) => !concerns(log)) })),
    'all logs of a receipt left out': (place) => logged(place, (one) => ({ ...one, logs: [] })),
    'a log that nobody wrote': (place) =>
      logged(place, (one) => {
        const [like] = one.logs.slice(-1);
        const logIndex = `0x${(Number(like?.logIndex) + 1).toString(16)}`;
        return { ...one, logs: [...one.logs, { ...like, ...tokenLog(erc20, liar, anna, 8n), logIndex }] };
      }),
    'a log of another transaction': (place) =>
      logged(place, (one) => ({
        ...one,
        logs: at(one.logs, place, (log) => ({ ...log, transactionHash: `0x${'7'.repeat(64)}` })),
      })),
    'logs in another order': (place) => logged(place, (one) => ({ ...one, logs: one.logs.toReversed() })),
    'a removed log': (place) =>
      logged(place, (one) => ({ ...one, logs: at(one.logs, place, (log) => ({ ...log, removed: true })) })),
    'a receipt left out': (place) => receipts((all) => at(all, place, () => [])),
    'a receipt of another block': (place) =>
      receipts((all) => at(all, place, (one) => ({ ...one, blockHash: `0x${'7'.repeat(64)}` }))),
    'a receipt with a third status': (place) => receipts((all) => at(all, place, (one) => ({ ...one, status: '0x2' }))),
    'a trace left out': (place) => traces((all) => at(all, place, () => [])),
    'a trace of another transaction': (place) =>
      traces((all) => at(all, place, (one) => ({ ...one, txHash: `0x${'7'.repeat(64)}` }))),
    'a bloom without the bits of a transfer': () => blocks((one) => ({ ...one, logsBloom: `0x${'0'.repeat(512)}` })),
  };
  for (const [name, lieAt] of Object.entries(lies))
    it(`is rejected when it has ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(transactions, fc.nat(20), async (others, place) => {
          const { hash } = node().chain.mine([...others, paid(bert, anna), called(anna)]);
          node().lie = lieAt(place);
          const chain = await connect();
          await assert.rejects(
            chain.block(hash, interestInAnna),
            (error) => error instanceof Failure && error.code === 'NODE_ERROR',
          );
        }),
        { numRuns: 12 },
      );
    });
});
