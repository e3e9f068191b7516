import assert from 'node:assert/strict';
import type { ScriptedTransaction } from '../../../../support/chains/evm-chain.js';
import {
  anna,
  bert,
  brief,
  carl,
  coins,
  evmFixture,
  interestInAll,
  interestInAnna,
  vault,
} from '../../../../support/chains/evm-fixture.js';

const system = (number: string) => `0x${number.padStart(40, '0')}`;
const [bootloader, deployer] = [system('8001'), system('8006')];
const zero = system('0');

type Frame = Readonly<Record<string, unknown>>;
const call = (from: string, to: string, value: number, calls: readonly Frame[] = [], type = 'call'): Frame => ({
  type,
  from,
  to,
  value: `0x${value.toString(16)}`,
  error: null,
  revertReason: null,
  calls,
});

describe('a trace with the bootloader as its root', () => {
  const { node, connect } = evmFixture();

  const read = async (sent: ScriptedTransaction, calls: readonly Frame[], interest = interestInAnna) => {
    node().lie = (method, answer) =>
      method === 'debug_traceBlockByHash'
        ? (answer as object[]).map((one) => ({ ...one, result: call(zero, bootloader, 5, calls) }))
        : answer;
    const { hash } = node().chain.mine([{ input: '0xaa', ...sent }]);
    return ((await (await connect()).block(hash, interest))?.movements ?? []).map(brief);
  };
  const pay = { from: bert, to: anna, value: 5n };
  const executed = (...calls: readonly Frame[]) => [call(bootloader, bert, 0, calls)];

  it("has the transaction's own transfer once", async () => {
    const found = await read(pay, executed(call(bert, anna, 5)));
    assert.deepEqual(found, [coins('native', bert, anna, '5')]);
  });
  it('has a second transfer that equals that of the transaction', async () => {
    const found = await read(pay, executed(call(bert, anna, 5), call(bert, anna, 5)));
    assert.deepEqual(found, [coins('native', bert, anna, '5'), coins('trace:3', bert, anna, '5')]);
  });
  it('has no transfer for the fee of its sender', async () => {
    const fee = [call(anna, bootloader, 100), call(bootloader, anna, 7)];
    const found = await read({ ...pay, from: anna, to: bert }, [...fee, call(anna, bert, 5)]);
    assert.deepEqual(found, [coins('native', anna, bert, '5')]);
  });
  it('has a transfer for the fee that another address pays', async () => {
    const fee = [call(anna, bootloader, 100), call(bootloader, anna, 7)];
    const found = await read({ from: bert, to: carl }, fee);
    assert.deepEqual(found, [coins('trace:1', anna, bootloader, '100'), coins('trace:2', bootloader, anna, '7')]);
  });
  it('has only transfers of calls without a revert reason', async () => {
    const failed = { ...call(vault, anna, 9), revertReason: '' };
    const found = await read({ from: bert, to: vault }, executed(call(bert, vault, 0, [failed, call(vault, anna, 8)])));
    assert.deepEqual(found, [coins('trace:4', vault, anna, '8')]);
  });
  it('has no transfer for a delegate call, whatever its type', async () => {
    for (const type of ['Call', 'delegateCall']) {
      const own = call(bert, anna, 5, [call(bert, anna, 5, [call(bert, anna, 5, [], type)], type)]);
      assert.deepEqual(await read(pay, executed(own)), [coins('native', bert, anna, '5')], type);
    }
  });
  it('has the coins of a new contract paid by the contract that deploys it', async () => {
    const made = call(bert, carl, 5, [], 'create');
    const found = await read({ ...pay, to: deployer }, executed(call(bert, deployer, 5, [made])), interestInAll);
    assert.deepEqual(found, [coins('native', bert, deployer, '5'), coins('trace:3', deployer, carl, '5')]);
  });
  it('has the coins of a new contract once if the transaction has no receiver', async () => {
    const made = call(bert, carl, 5, [], 'create');
    const sent = { ...pay, to: null, receipt: { contractAddress: carl } };
    const found = await read(sent, executed(call(bert, deployer, 5, [made])), interestInAll);
    assert.deepEqual(found, [coins('native', bert, carl, '5')]);
  });
});
