import assert from 'node:assert/strict';
import type { NumberedStandard } from '../../../../../domain/asset.js';
import { Failure } from '../../../../../domain/failure.js';
import type { ScriptedTransaction } from '../../../../support/chains/evm-chain.js';
import { addressWord, reverted, word } from '../../../../support/chains/evm-contracts.js';
import { anna, bert, carl, evmFixture, token, vault } from '../../../../support/chains/evm-fixture.js';
import { startEvmNode } from '../../../../support/chains/evm-node.js';

const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const topic = (address: string) => `0x${addressWord(address)}`;

describe('the search of the EVM connector for received tokens', () => {
  const { node, connect } = evmFixture();
  beforeEach(() => node().chain.deploy(token, { standard: 'erc721' }));
  const give = (standard: NumberedStandard, tokenId: string, to: string, contract = token): ScriptedTransaction => ({
    from: carl,
    to: contract,
    tokens: [{ asset: { standard, contract, tokenId }, from: carl, to }],
  });
  const search = async (standard: NumberedStandard, from: number, to: number, connected = connect()) => {
    const chain = await connected;
    const asked = { standard, contracts: [token], addresses: [anna, bert], to };
    const found: string[] = [];
    const ends: number[] = [];
    for (let next = from; next <= to; next = (ends.at(-1) as number) + 1) {
      const { tokens, to: end } = (await chain.tokensReceived?.({ ...asked, from: next })) ?? assert.fail();
      for (const { address, asset } of tokens) found.push(`${address} ${'tokenId' in asset ? asset.tokenId : ''}`);
      ends.push(end);
    }
    return { found, ends };
  };

  it('finds each token that an address received once, only for the given contracts and standard', async () => {
    const { chain } = node();
    chain.mine([give('erc721', '1', anna)]);
    chain.mine([
      give('erc721', '2', anna),
      give('erc721', '2', carl),
      give('erc721', '3', bert),
      give('erc721', '2', anna),
      give('erc721', '4', anna, vault),
      give('erc1155', '5', anna),
      { from: carl, to: token, tokens: [{ asset: { standard: 'erc20', contract: token }, from: carl, to: anna }] },
    ]);
    chain.mine([give('erc721', '6', anna)]);
    assert.deepEqual(await search('erc721', 2, 2), { found: [`${anna} 2`, `${bert} 3`], ends: [2] });
    assert.deepEqual((await search('erc721', 1, 3)).found, [`${anna} 1`, `${anna} 2`, `${bert} 3`, `${anna} 6`]);
    assert.deepEqual((await search('erc1155', 0, 3)).found, [`${anna} 5`]);
  });
  it('finds every token of a batch', async () => {
    const data = `0x${[64, 160, 2, 7, 8, 2, 1, 1].map(word).join('')}`;
    const topics = [batch, topic(carl), topic(carl), topic(anna)];
    node().chain.mine([{ from: carl, to: token, logs: [{ address: token, topics, data }] }]);
    assert.deepEqual((await search('erc1155', 0, 1)).found, [`${anna} 7`, `${anna} 8`]);
  });
  const giveEarly = (tokenId: number, to: string): ScriptedTransaction => ({
    from: carl,
    to: token,
    logs: [{ address: token, topics: [transfer], data: `0x${addressWord(carl)}${addressWord(to)}${word(tokenId)}` }],
  });
  it('finds the tokens of a contract that is older than ERC-721, and asks only once whether it is', async () => {
    const { chain, asked } = node();
    chain.deploy(token, { standard: 'erc721', interfaceId: '9a20483d' });
    chain.mine([giveEarly(1, anna), giveEarly(2, carl)]);
    chain.mine([giveEarly(3, bert)]);
    const connected = connect();
    assert.deepEqual((await search('erc721', 0, 1, connected)).found, [`${anna} 1`]);
    assert.deepEqual((await search('erc721', 2, 2, connected)).found, [`${bert} 3`]);
    assert.equal(asked.filter((method) => method === 'eth_call').length, 1);
  });
  it('finds the tokens of a contract that no longer answers whether it is older than ERC-721', async () => {
    const { chain } = node();
    chain.deploy(token, { standard: 'erc721', answers: { '0x01ffc9a7': reverted } });
    chain.mine([giveEarly(1, anna), give('erc721', '2', anna)]);
    assert.deepEqual((await search('erc721', 0, 1)).found, [`${anna} 1`, `${anna} 2`]);
  });
  it('requests only the logs with the given receivers from a contract that has the events of ERC-721', async () => {
    const { chain } = node();
    chain.mine([give('erc721', '1', anna), give('erc721', '2', carl)]);
    const returned: number[] = [];
    node().lie = (method, answer) => {
      if (method === 'eth_getLogs') returned.push((answer as unknown[]).length);
      return answer;
    };
    await search('erc721', 0, 1);
    assert.deepEqual(returned, [1]);
  });
  for (const [code, message] of [
    [-32602, 'block range is too wide'],
    [-32005, 'query returned more than 10000 results'],
    [-32000, 'query timeout exceeded'],
  ] as const)
    it(`requests fewer blocks if a node rejects with "${message}"`, async () => {
      const { chain, faults } = node();
      for (let n = 1; n <= 40; n++) chain.mine([give('erc721', String(n), anna)]);
      faults.logRange = { max: 6, error: { code, message } };
      const { found, ends } = await search('erc721', 1, 40);
      assert.equal(found.length, 40);
      assert.ok(ends.length >= 7 && ends.length <= 20, `${ends}`);
    });
  it('asks another node if one lacks the last block, whose logs it would omit', async () => {
    const { chain } = node();
    chain.mine([give('erc721', '1', anna)]);
    chain.mine([give('erc721', '2', anna)]);
    const other = await startEvmNode({ chain });
    node().faults.lag = 1;
    assert.equal((await search('erc721', 1, 2, connect([node().url, other.url]))).found.length, 2);
    await other.close();
    await assert.rejects(search('erc721', 1, 2), (error: Failure) => error.code === 'NODE_ERROR');
  });
  it('asks another node if one lacks the first blocks, whose logs it would omit', async () => {
    const { chain } = node();
    chain.mine([give('erc721', '1', anna)]);
    chain.mine([give('erc721', '2', anna)]);
    const other = await startEvmNode({ chain });
    node().faults.firstKept = 2;
    assert.equal((await search('erc721', 0, 2, connect([node().url, other.url]))).found.length, 2);
    await other.close();
    assert.deepEqual((await search('erc721', 2, 2)).found, [`${anna} 2`]);
    await assert.rejects(search('erc721', 0, 2), (error: Failure) => error.code === 'NODE_ERROR');
  });
  it('fails if a single block is rejected', async () => {
    node().chain.mine([give('erc721', '1', anna)]);
    node().faults.logRange = { max: 0, error: { code: -32602, message: 'block range is too wide' } };
    await assert.rejects(search('erc721', 1, 1), Failure);
  });
});
