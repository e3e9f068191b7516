import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Asset } from '../../../../domain/asset.js';
import { Failure } from '../../../../domain/failure.js';
import { initialBalance } from '../../../support/chains/evm-chain.js';
import { abiText, bytes32, reverted, word } from '../../../support/chains/evm-contracts.js';
import { anna, bert, carl, evmFixture, token, vault } from '../../../support/chains/evm-fixture.js';
import { startEvmNode } from '../../../support/chains/evm-node.js';

const native: Asset = { standard: 'native' };
const erc20 = { standard: 'erc20', contract: token } as const;
const erc721 = { standard: 'erc721', contract: vault, tokenId: '7' } as const;
const erc1155 = { standard: 'erc1155', contract: carl, tokenId: (2n ** 256n - 1n).toString() } as const;
const selectors = { name: '0x06fdde03', symbol: '0x95d89b41', decimals: '0x313ce567', supply: '0x18160ddd' };
const [balanceOf, ownerOf, supports, tokenUri] = ['0x70a08231', '0x6352211e', '0x01ffc9a7', '0xc87b56dd'] as const;

describe('the EVM connector', () => {
  const { node, connect } = evmFixture();
  const deployed = () => {
    const { chain } = node();
    chain.deploy(token, { standard: 'erc20' });
    chain.deploy(vault, { standard: 'erc721' });
    chain.deploy(carl, { standard: 'erc1155' });
    return chain;
  };
  const assets = [native, erc20, erc721, erc1155];
  const holdings = [anna, bert].flatMap((address) => assets.map((asset) => ({ address, asset })));

  for (const fault of ['none', 'noStateByHash', 'ignoresStateHash', 'noBatches'] as const)
    it(`reads the balances at exactly the given block (fault of the node: ${fault})`, async () => {
      const chain = deployed();
      if (fault !== 'none') node().faults[fault] = true;
      const first = chain.mine([
        {
          from: anna,
          to: bert,
          value: 5n,
          tokens: [
            { asset: erc20, from: anna, to: bert, value: 7n },
            { asset: erc721, from: bert, to: anna },
            { asset: erc1155, from: anna, to: bert, value: 9n },
          ],
        },
      ]);
      const second = chain.mine([
        { from: bert, to: anna, value: 1n, tokens: [{ asset: erc721, from: anna, to: bert }] },
      ]);
      const connector = await connect();
      for (const block of [first, second, first])
        assert.deepEqual(
          await connector.balances(holdings, block),
          holdings.map(({ address, asset }) => chain.balance(address, asset, block).toString()),
        );
      assert.deepEqual((await connector.balances(holdings, first)).slice(1, 4), [
        (initialBalance - 7n).toString(),
        '1',
        (initialBalance - 9n).toString(),
      ]);
    });

  for (const fault of ['none', 'noStateByHash', 'ignoresStateHash'] as const)
    it(`never reads the balances of another block at the same height (fault of the node: ${fault})`, async () => {
      const chain = deployed();
      if (fault !== 'none') node().faults[fault] = true;
      const old = chain.mine([{ from: anna, to: bert, value: 5n }]);
      chain.reorganize(1, [[{ from: bert, to: anna, value: 5n }]]);
      node().faults.forgetsReplaced = true;
      const connector = await connect();
      await assert.rejects(
        connector.balances([{ address: anna, asset: native }], old),
        (error: Failure) => error.code === 'NODE_ERROR',
      );
    });
  it('reads balances from a node that has the block', async () => {
    const chain = deployed();
    const block = chain.mine([{ from: anna, to: bert, value: 5n }]);
    const other = await startEvmNode({ chain });
    node().faults.lag = 1;
    const connector = await connect([node().url, other.url]);
    assert.deepEqual(await connector.balances([{ address: bert, asset: native }], block), [
      (initialBalance + 5n).toString(),
    ]);
    await other.close();
  });
  it('reads a thousand balances, in order', async () => {
    const chain = deployed();
    const many = Array.from({ length: 1000 }, (_, i) => ({
      address: `0x${i.toString(16).padStart(40, '0')}`,
      asset: i % 2 === 0 ? native : erc20,
    }));
    const block = chain.mine(many.map(({ address }, i) => ({ from: anna, to: address, value: BigInt(i) })));
    const balances = await (await connect()).balances(many, block);
    assert.deepEqual(
      balances,
      many.map(({ address, asset }) => chain.balance(address, asset, block).toString()),
    );
    assert.deepEqual(await (await connect()).balances([], block), []);
  });

  const noAnswers: Record<string, string | typeof reverted> = {
    reverts: reverted,
    'reverts with a misleading message': {
      code: 3,
      message: 'execution reverted: rate limit exceeded, header not found',
    },
    'runs out of gas': { code: -32000, message: 'out of gas' },
    'runs an invalid opcode': { code: -32000, message: 'invalid opcode: INVALID' },
    'answers too little': '0x01',
    'answers garbage': `0x${'z'.repeat(64)}`,
  };
  for (const [name, answer] of Object.entries(noAnswers))
    it(`reads the balance as null if a contract ${name}`, async () => {
      const chain = deployed();
      chain.deploy(token, { standard: 'erc20', answers: { [balanceOf]: answer } });
      const balances = await (await connect()).balances(holdings.slice(0, 3), chain.head());
      assert.deepEqual(balances, [initialBalance.toString(), null, '0']);
    });
  it('reads the balance as 0 if there is no contract, as after a reorganization', async () => {
    const chain = deployed();
    chain.deploy(token, { standard: 'erc20', answers: { [balanceOf]: '0x' } });
    const balances = await (await connect()).balances(holdings.slice(0, 3), chain.head());
    assert.deepEqual(balances, [initialBalance.toString(), '0', '0']);
  });
  it('reads the balance as null if the owner is not an address or the token id is not a number', async () => {
    const chain = deployed();
    chain.deploy(vault, { standard: 'erc721', answers: { [ownerOf]: `0x${'f'.repeat(64)}` } });
    const odd = ['7', '-1', 'x', '', (2n ** 256n).toString(), '9'.repeat(1_000_000)];
    const asked = odd.map((tokenId) => ({ address: anna, asset: { ...erc721, tokenId } }));
    const balances = await (await connect()).balances(asked, chain.head());
    assert.deepEqual(balances, [null, null, null, null, null, null]);
  });
  it('reads the balance of a burnt token as 0', async () => {
    const chain = deployed();
    const block = chain.mine([
      { from: anna, to: vault, tokens: [{ asset: erc721, from: anna, to: `0x${'0'.repeat(40)}` }] },
    ]);
    assert.deepEqual(await (await connect()).balances([{ address: anna, asset: erc721 }], block), ['0']);
  });
});

describe('a token contract behind the EVM connector', () => {
  const { node, connect } = evmFixture();
  const described = async (contract: Parameters<ReturnType<typeof node>['chain']['deploy']>[1]) => {
    node().chain.deploy(token, contract);
    return (await connect()).contract(token, contract.standard ?? 'erc20');
  };
  const refusal = (text: RegExp) => (error: unknown) =>
    error instanceof Failure && error.code === 'FAILED_PRECONDITION' && text.test(error.message);

  it('is described by its name, symbol and decimals', async () => {
    const named = { name: 'Token', symbol: 'TKN' };
    assert.deepEqual(await described({ standard: 'erc20', ...named, decimals: 6 }), { ...named, decimals: 6 });
    assert.deepEqual(await described({ standard: 'erc721', ...named }), named);
    assert.deepEqual(await described({ standard: 'erc1155' }), {});
  });
  const names: Record<string, [string | typeof reverted, string | undefined]> = {
    'a word of 32 bytes': [bytes32('Maker'), 'Maker'],
    nothing: ['0x', undefined],
    'a revert': [reverted, undefined],
    'an empty text': [abiText(''), undefined],
    'bytes that are not UTF-8': [abiText(Uint8Array.from([0x41, 0xff, 0x42])), 'A\ufffdB'],
    'a text with NULs': [abiText('\0A\0B\0'), 'AB'],
    'a text of a megabyte': [abiText('x'.repeat(1_000_000)), 'x'.repeat(200)],
    'many wide characters': [abiText('🦊'.repeat(1000)), '🦊'.repeat(200)],
    'a length beyond the end': [`0x${word(32)}${word(100)}${word(1)}`, undefined],
    'an absurd length': [`0x${word(32)}${word(2n ** 256n - 1n)}${word(1)}`, undefined],
    'an absurd offset': [`0x${word(2n ** 256n - 1n)}${word(1)}${word(1)}`, undefined],
    garbage: ['hello', undefined],
  };
  for (const [name, [answer, expected]] of Object.entries(names))
    it(`may return ${name} as its name`, async () => {
      const read = await described({
        standard: 'erc20',
        answers: { [selectors.name]: answer, [selectors.symbol]: answer },
      });
      assert.deepEqual(read, expected === undefined ? {} : { name: expected, symbol: expected });
    });
  const decimals: [string | typeof reverted, number | undefined][] = [
    [`0x${word(0)}`, 0],
    [`0x${word(255)}`, 255],
    [`0x${word(256)}`, undefined],
    [`0x${word(2n ** 256n - 1n)}`, undefined],
    ['0x', undefined],
    [reverted, undefined],
  ];
  for (const [answer, expected] of decimals)
    it(`may return ${JSON.stringify(answer)} as its decimals`, async () => {
      const read = await described({ standard: 'erc20', answers: { [selectors.decimals]: answer } });
      assert.equal(read.decimals, expected);
    });
  it('may return any bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 3, maxLength: 3 }), async (bytes) => {
        const [name = '', symbol = '', digits = ''] = bytes.map((some) => `0x${Buffer.from(some).toString('hex')}`);
        const answers = Object.fromEntries([
          [selectors.name, name],
          [selectors.symbol, symbol],
          [selectors.decimals, digits],
        ]);
        const read = await described({ standard: 'erc20', answers });
        assert((read.name ?? '').length <= 400 && (read.decimals ?? 0) <= 255);
      }),
      { numRuns: 50 },
    ));

  it('is rejected if there is no code', async () => {
    const connector = await connect();
    for (const standard of ['erc20', 'erc721', 'erc1155'] as const)
      await assert.rejects(connector.contract(anna, standard), refusal(/No contract found/));
  });
  it('is rejected under another standard than its own', async () => {
    const connector = await connect();
    for (const [standard, others] of Object.entries({
      erc20: ['erc721', 'erc1155'],
      erc721: ['erc20', 'erc1155'],
      erc1155: ['erc20', 'erc721'],
    } as const)) {
      node().chain.deploy(token, { standard: standard as 'erc20' });
      for (const other of others) await assert.rejects(connector.contract(token, other), refusal(/ERC/));
    }
  });
  it('that predates ERC-721 is recognized as ERC-721 and not as ERC-20', async () => {
    const connector = await connect();
    node().chain.deploy(token, { standard: 'erc721', interfaceId: '9a20483d', name: 'CryptoKitties', symbol: 'CK' });
    assert.deepEqual(await connector.contract(token, 'erc721'), { name: 'CryptoKitties', symbol: 'CK' });
    for (const other of ['erc20', 'erc1155'] as const)
      await assert.rejects(connector.contract(token, other), refusal(/ERC/));
  });
  it('is rejected when it claims every interface', async () => {
    node().chain.deploy(token, { standard: 'erc721', answers: { [supports]: `0x${word(1)}` } });
    await assert.rejects((await connect()).contract(token, 'erc721'), refusal(/ERC-721/));
  });
  for (const selector of [selectors.supply, balanceOf])
    it(`is rejected as ERC-20 when it does not answer ${selector}`, async () => {
      node().chain.deploy(token, { standard: 'erc20', answers: { [selector]: '0x' } });
      await assert.rejects((await connect()).contract(token, 'erc20'), refusal(/ERC-20/));
    });
  it('is found on the node that has it', async () => {
    const { chain } = node();
    chain.mine();
    chain.deploy(token, { standard: 'erc20', symbol: 'NEW' });
    node().faults.lag = 1;
    const other = await startEvmNode({ chain });
    assert.deepEqual(await (await connect([node().url, other.url])).contract(token, 'erc20'), { symbol: 'NEW' });
    await other.close();
  });

  const uris: Record<string, [string | typeof reverted, string]> = {
    'a text': [abiText('ipfs://x/7'), 'ipfs://x/7'],
    'a text with {id}': [abiText('https://x/{id}.json'), 'https://x/{id}.json'],
    'a revert': [reverted, ''],
    nothing: ['0x', ''],
    'a text of one byte too many': [abiText('x'.repeat(16 * 1024 + 1)), ''],
    'a text of the greatest length': [abiText('x'.repeat(16 * 1024)), 'x'.repeat(16 * 1024)],
  };
  for (const [name, [answer, expected]] of Object.entries(uris))
    it(`may return ${name} as the URI of a token`, async () => {
      node().chain.deploy(vault, { standard: 'erc721', answers: { [tokenUri]: answer } });
      assert.equal(await (await connect()).tokenUri(erc721), expected);
    });
  it('of ERC-1155 has {id} in its URI replaced by the token id', async () => {
    node().chain.deploy(carl, { standard: 'erc1155', uri: 'https://x/{id}/{id}.json' });
    const connector = await connect();
    assert.equal(await connector.tokenUri({ ...erc1155, tokenId: '10' }), `https://x/${word(10)}/${word(10)}.json`);
    assert.equal(await connector.tokenUri(erc20), '');
    assert.equal(await connector.tokenUri(native), '');
  });
  it('cannot be described when no node answers', async () => {
    const connector = await connect();
    node().faults.status = 500;
    await assert.rejects(connector.tokenUri(erc721), (error: Failure) => error.code === 'NODE_ERROR');
    await assert.rejects(connector.contract(token, 'erc20'), (error: Failure) => error.code === 'NODE_ERROR');
  });
});
