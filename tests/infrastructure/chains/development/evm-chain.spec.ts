import assert from 'node:assert/strict';
import { Contract, parseEther, WebSocketProvider } from 'ethers';
import { artifacts } from '../../../../infrastructure/chains/development/evm/contracts/artifacts.js';
import {
  type Block,
  hex,
  type Named,
  type Reorganized,
  someone,
  useDevelopmentChain,
} from '../../../support/chains/development-chain.js';

type Receipt = { transactionHash: string; blockHash: string; status: string };
type Trace = { txHash: string; result: Record<string, string> };

const nowhere = `0x${'11'.repeat(32)}`;

describe('the development EVM', () => {
  const { start, ask, chain, provider, closeLater, account, deploy, blockAt, refused } = useDevelopmentChain();

  it('starts with ten funded accounts that have sent nothing, and a new genesis block', async () => {
    assert.equal(await ask('eth_chainId'), '0x7a69');
    assert.equal(await ask('eth_blockNumber'), '0x0');
    const accounts = await ask<string[]>('eth_accounts');
    assert.equal(accounts.length, 10);
    assert.equal(accounts[0], account(0).address.toLowerCase());
    await ask('dev_transfer', { to: someone, value: '1' });
    for (const address of accounts) {
      assert.equal(await provider().getTransactionCount(address), 0);
      assert.equal(await provider().getBalance(address), parseEther('10000'));
    }
    const other = await start(0);
    const genesis = (await other.request('eth_getBlockByNumber', ['0x0', false])) as Block;
    assert.notEqual(genesis.hash, (await blockAt(0)).hash);
  });

  it('mines a transaction immediately, over HTTP and WebSocket', async () => {
    const receipt = await (await account(0).sendTransaction({ to: someone, value: 5n })).wait();
    assert.equal(receipt?.status, 1);
    const overSocket = new WebSocketProvider(chain().wsUrl);
    closeLater(() => overSocket.destroy());
    const sent = await account(1).connect(overSocket).sendTransaction({ to: someone, value: 6n });
    await sent.wait();
    assert.equal(await overSocket.getBalance(someone), 11n);
    assert.equal(await provider().getBlockNumber(), 2);
  });

  it('rejects transactions with the same messages as other nodes', async () => {
    const transaction = { chainId: 31337, to: someone, gasLimit: 21_000, gasPrice: 10n ** 10n };
    const sign = (fields: object) => account(0).signTransaction({ ...transaction, ...fields });
    const ahead = await sign({ nonce: 1 });
    await ask('eth_sendRawTransaction', ahead);
    assert.equal(await ask('eth_blockNumber'), '0x0');
    await refused(-32000, /already known/, 'eth_sendRawTransaction', ahead);
    await refused(-32000, /underpriced/, 'eth_sendRawTransaction', await sign({ nonce: 1, value: 1 }));
    await refused(-32000, /insufficient funds/, 'eth_sendRawTransaction', await sign({ nonce: 0, value: 10n ** 24n }));
    assert.deepEqual(Object.keys((await ask<{ queued: object }>('txpool_content')).queued), [
      account(0).address.toLowerCase(),
    ]);
    await ask('eth_sendRawTransaction', await sign({ nonce: 0 }));
    assert.equal((await blockAt('latest')).transactions.length, 2);
    await refused(-32000, /nonce too low/, 'eth_sendRawTransaction', ahead);
  });

  it('deploys tokens of each type, mints them to any address and lets them be transferred', async () => {
    const [owner, to] = [account(0), account(1).address];
    const erc20 = new Contract(await deploy('ERC-20'), artifacts.TestErc20.abi, owner);
    await ask('dev_transfer', { variant: 'c', to: owner.address, value: '1000', token: erc20.target });
    await (await erc20.transfer?.(to, 400))?.wait();
    assert.deepEqual([await erc20.balanceOf?.(owner), await erc20.balanceOf?.(to)], [600n, 400n]);
    assert.deepEqual([await erc20.symbol?.(), await erc20.decimals?.()], ['TEST', 18n]);

    const erc721 = new Contract(await deploy('erc721'), artifacts.TestErc721.abi, owner);
    const token = { to: owner.address, token: erc721.target };
    const minted = [await ask('dev_transfer', token), await ask('dev_transfer', { ...token, value: '2' })];
    minted.push(await ask('dev_transfer', token));
    assert.deepEqual(
      (minted as { token_id: string }[]).map(({ token_id }) => token_id),
      ['1', '2', '3'],
    );
    await (await erc721['safeTransferFrom(address,address,uint256)']?.(owner, to, 2))?.wait();
    assert.equal(await erc721.ownerOf?.(2), to);
    assert.deepEqual(await (await fetch(await erc721.tokenURI?.(3))).json(), { name: 'Test Collectible 3' });
    await refused(3, /exists already/, 'dev_transfer', { ...token, value: '2' });

    const erc1155 = new Contract(await deploy('CONTRACT_TYPE_ERC1155'), artifacts.TestErc1155.abi, owner);
    await ask('dev_transfer', { to: owner.address, token: erc1155.target, value: '9' });
    await ask('dev_transfer', { to: owner.address, token: erc1155.target, value: '8', tokenId: '7' });
    await (await erc1155.safeBatchTransferFrom?.(owner, to, [1, 7], [4, 5], '0x'))?.wait();
    const balances = await erc1155.balanceOfBatch?.([owner, to, to], [1, 1, 7]);
    assert.deepEqual([...balances], [5n, 4n, 5n]);
    assert.match(await erc1155.uri?.(7), /\{id\}/);
    // The transfer is rejected, because a contract without the receiver interface could never pass ERC-1155 tokens on.
    await refused(3, /reverted/, 'dev_transfer', { to: erc20.target, token: erc1155.target, value: '1' });
  });

  it('answers calls that revert as other nodes do', async () => {
    const to = await deploy('ERC-20');
    const data = `0xa9059cbb${'0'.repeat(62)}aa${'0'.repeat(63)}5`;
    await refused(3, /^execution reverted: ERC20: balance exceeded$/, 'eth_call', { to, data }, 'latest');
    const erc20 = new Contract(to, artifacts.TestErc20.abi, account(0));
    await assert.rejects(async () => erc20.transfer?.(someone, 5), { reason: 'ERC20: balance exceeded' });
  });

  for (const depth of [1, 2, 7, 20])
    it(`replaces ${depth} blocks with others that have the same transactions`, async () => {
      await ask('dev_mine', 3);
      const [signer, from] = [account(0), account(1).address];
      const sent: string[] = [];
      for (let i = 0; i < 25; i++)
        sent.push(
          i % 2
            ? await ask<string>('eth_sendTransaction', { from, to: someone, value: '0x1' })
            : (await signer.sendTransaction({ to: someone, value: 1n })).hash,
        );
      const before = await Promise.all(sent.map((_, i) => blockAt(i + 4)));
      const { blocks, replaced, dropped_transaction_hashes } = await ask<Reorganized>('dev_reorg', depth);
      const after = await Promise.all(sent.map((_, i) => blockAt(i + 4)));

      const first = 25 - depth;
      assert.deepEqual(after.slice(0, first), before.slice(0, first));
      assert.equal(await provider().getBlockNumber(), 28);
      for (const [i, block] of after.slice(first).entries()) {
        const old = before[first + i] ?? assert.fail();
        assert.notEqual(block.hash, old.hash);
        assert.deepEqual(block.transactions, old.transactions);
        assert.equal(block.parentHash, after[first + i - 1]?.hash);
        assert.equal(await ask('eth_getBlockByHash', old.hash, false), null);
        const [receipt] = await ask<Receipt[]>('eth_getBlockReceipts', block.hash);
        assert.deepEqual([receipt?.status, receipt?.blockHash], ['0x1', block.hash]);
        assert.equal(blocks[i]?.block_hash, block.hash);
        assert.equal(replaced[i]?.block_hash, old.hash);
      }
      assert.deepEqual([blocks.length, dropped_transaction_hashes], [depth, []]);
      assert.equal(await provider().getBalance(someone), 25n);
    });

  it('drops the transactions of replaced blocks, even from the pool, and accepts them again', async () => {
    const kept = await account(0).sendTransaction({ to: someone, value: 1n });
    const raw = await account(0).signTransaction({
      chainId: 31337,
      to: someone,
      value: 2n,
      nonce: 1,
      gasLimit: 21_000,
      gasPrice: 10n ** 10n,
    });
    const hash = await ask<string>('eth_sendRawTransaction', raw);
    await ask('dev_mine', 4);
    const answer = await ask<Reorganized>('dev_reorg', 5, 'drop');
    assert.deepEqual([answer.transaction_hashes, answer.dropped_transaction_hashes], [[], [hash]]);
    assert.equal(await provider().getBlockNumber(), 6);
    assert.equal(await provider().getTransaction(hash), null);
    assert.deepEqual(await ask('txpool_content'), { pending: {}, queued: {} });
    assert.equal((await provider().getTransactionReceipt(kept.hash))?.blockNumber, 1);
    assert.equal(await provider().getBalance(someone), 1n);
    assert.equal(await ask('eth_sendRawTransaction', raw), hash);
    assert.equal(await provider().getBalance(someone), 3n);
  });

  it('replaces blocks repeatedly, however they were mined, and keeps clock and pool', async () => {
    await ask('hardhat_mine', '0x1f4');
    await ask('evm_mine');
    await ask('evm_setAutomine', false);
    const { hash } = await account(0).sendTransaction({ to: someone, value: 1n });
    for (const depth of [256, 3, 40, 1]) await ask('dev_reorg', depth);
    const { pending } = await ask<{ pending: Record<string, Record<string, { hash: string }>> }>('txpool_content');
    assert.equal(pending[account(0).address.toLowerCase()]?.[0]?.hash, hash);
    const before = Number((await blockAt('latest')).timestamp);
    await ask('dev_mine');
    assert.ok(Number((await blockAt('latest')).timestamp) - before < 5);
    assert.equal((await provider().getTransactionReceipt(hash))?.blockNumber, 502);
    await refused(-32602, /from 1 to 256/, 'dev_reorg', 257);
  });

  it('has receipts and traces of whole blocks that agree with the blocks', async () => {
    const token = await deploy('ERC-20');
    await ask('evm_setAutomine', false);
    const [transfer, failing] = [
      await account(0).sendTransaction({ to: someone, value: 3n }),
      await account(1).sendTransaction({ to: token, data: '0x12345678', gasLimit: 100_000 }),
    ];
    const { block_hash, block_number } = await ask<Named>('dev_mine');
    for (const id of [block_hash, hex(block_number), 'latest', { blockHash: block_hash }]) {
      const receipts = await ask<Receipt[]>('eth_getBlockReceipts', id);
      assert.deepEqual(
        receipts.map((one) => [one.transactionHash, one.status, one.blockHash]),
        [[transfer.hash, '0x1', block_hash] as const, [failing.hash, '0x0', block_hash] as const],
      );
    }
    const tracer = { tracer: 'callTracer' };
    const traces = await ask<Trace[]>('debug_traceBlockByHash', block_hash, tracer);
    assert.deepEqual(await ask('debug_traceBlockByNumber', hex(block_number), tracer), traces);
    assert.deepEqual(
      traces.map(({ txHash, result: { type, to, value, error } }) => ({ txHash, type, to, value, error })),
      [
        { txHash: transfer.hash, type: 'CALL', to: someone, value: '0x3', error: undefined },
        { txHash: failing.hash, type: 'CALL', to: token, value: '0x0', error: 'execution reverted' },
      ],
    );
    assert.equal(await ask('eth_getBlockReceipts', nowhere), null);
    assert.equal(await ask('eth_getBlockReceipts', '0x999'), null);
    await refused(-32000, /not found/, 'debug_traceBlockByHash', nowhere, tracer);
  });

  it('reports a block as final when 64 blocks are above it', async () => {
    await ask('dev_transfer', { to: someone, value: '1' });
    assert.equal((await blockAt('finalized')).number, '0x0');
    await ask('dev_mine', 64);
    assert.equal((await blockAt('finalized')).number, '0x1');
    assert.equal((await blockAt('safe')).number, '0x1');
    await ask('dev_transfer', { to: someone, value: '1' });
    assert.equal(await ask('eth_getBalance', someone, 'finalized'), '0x1');
    assert.deepEqual(await ask('eth_getLogs', { fromBlock: 'safe', toBlock: 'latest' }), []);
  });

  it('reads the state of any block, by height, by hash and by EIP-1898 object', async () => {
    const token = await deploy('ERC-20');
    const hashes: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { block_hash } = await ask<Named>('dev_transfer', { to: someone, value: '1' });
      await ask('dev_transfer', { to: someone, value: '2', token });
      hashes.push(block_hash);
    }
    await ask('dev_mine', 300);
    for (const [i, blockHash] of hashes.entries()) {
      const height = hex(2 * i + 2);
      for (const id of [height, { blockNumber: height }, { blockHash }, { blockHash, requireCanonical: true }]) {
        assert.equal(await ask('eth_getBalance', someone, id), hex(i + 1));
        const data = `0x70a08231${someone.slice(2).padStart(64, '0')}`;
        assert.equal(BigInt(await ask<string>('eth_call', { to: token, data }, id)), BigInt(2 * i));
      }
    }
    await refused(-32000, /block/, 'eth_getBalance', someone, { blockHash: nowhere });
  });

  it('rejects controls with invalid arguments, and says why', async () => {
    await ask('dev_mine', 3);
    const token = await deploy('ERC-20');
    const nonsense: readonly (readonly [RegExp, string, ...unknown[]])[] = [
      [/depth/, 'dev_reorg'],
      [/depth/, 'dev_reorg', 0],
      [/depth/, 'dev_reorg', -1],
      [/depth/, 'dev_reorg', 1.5],
      [/depth.*current height \(4\)/, 'dev_reorg', 4],
      [/drop/, 'dev_reorg', 1, 'keep'],
      [/blocks/, 'dev_mine', 0],
      [/blocks/, 'dev_mine', 'many'],
      [/blocks/, 'dev_mine', 1_000_000],
      [/object/, 'dev_transfer'],
      [/object/, 'dev_transfer', 'x'],
      [/address/, 'dev_transfer', { value: '1' }],
      [/value/, 'dev_transfer', { to: someone }],
      [/value/, 'dev_transfer', { to: someone, token }],
      [/value/, 'dev_transfer', { to: someone, value: '1.5' }],
      [/value/, 'dev_transfer', { to: someone, value: '-1' }],
      [/contract/, 'dev_transfer', { to: someone, value: '1', token: someone }],
      [/variant/, 'dev_transfer', { to: someone, value: '1', variant: 'T' }],
      [/type/, 'dev_deployToken', { type: 'ERC-777' }],
      [/object/, 'dev_deployToken'],
    ];
    for (const [message, method, ...params] of nonsense) await refused(-32602, message, method, ...params);
    assert.equal(await ask('eth_blockNumber'), '0x4');
  });
});
