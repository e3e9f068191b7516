import assert from 'node:assert/strict';
import type { Block, Chain } from '../../../application/ports/chain.js';
import type { System } from '../../../application/ports/system.js';
import type { Line } from '../../../application/statements/lines.js';
import type { Activity, Holding, Imported } from '../../../domain/aggregates/ledger/ledger-data.js';
import { type Asset, assetKey } from '../../../domain/asset.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { createEvmChain, type EvmChain, initialBalance, type ScriptedTransaction } from '../chains/evm-chain.js';
import { startEvmNode } from '../chains/evm-node.js';
import { eventually, until } from '../eventually.js';
import { allEvents, contextOf, type openStores, startFollowing } from '../following/following.js';
import { silent, testSystem } from '../silent.js';

export const coin: Asset = { standard: 'native' };
/** Heights of the blocks that a period begins after and ends with. */
export type Span = readonly [number, number];
const by = contextOf('org_books');
const everything = { standard: undefined, contract: undefined, token: undefined } as const;
const finalDepth = 4;
const maxPauseMs = 20;
/** Number of blocks after which a block is final and every balance that it may have changed was read. */
const settledDepth = 6;

export type StatementScene = Awaited<ReturnType<typeof openStatementScene>>;

/**
 * Starts a chain, a node and a service that follows the chain for one wallet. The
 * clock of the service shows the time of the newest block, so that a period is before or after a registration whenever
 * its blocks are. `script.change` replaces the blocks that the follower reads, and `script.fails` makes reads fail.
 */
export const openStatementScene = async (
  name: string,
  stores: Awaited<ReturnType<typeof openStores>>,
  { confirmation = 1, initial = initialBalance } = {},
) => {
  const chain = createEvmChain(name, initial);
  chain.finalDepth = finalDepth;
  const node = await startEvmNode({ chain });
  const connected = await evmChain([node.wsUrl], silent);
  const script = { passed: 0, change: (block: Block): Block => block, fails: (_: string): boolean => false };
  const scripted: Chain = {
    ...connected,
    block: async (hash, interest) => {
      if (script.fails(hash)) throw new Error('receipts do not fit the block');
      const block = await connected.block(hash, interest);
      return block && script.change(block);
    },
  };
  const system: System = {
    ...testSystem,
    now: () => (chain.head().time + script.passed) * 1000,
    sleep: (ms, signal) => testSystem.sleep(Math.min(ms, maxPauseMs), signal),
  };
  const running = startFollowing(stores, scripted, { system, unreadableBlockSeconds: 600 });
  const { app } = running;
  const wallet = { name: 'w', confirmation, address: undefined, importAsset: undefined };
  const walletId = (await app.wallets.register(by, wallet)).answer.wallet_id;

  const followed = () =>
    until('the chain is followed', () => app.followers[0]?.status()?.height === chain.head().number);
  const reached = ({ position }: { readonly position: number }) => app.progress.reached(position, 5000);
  /** Returns whether the balances of every block with activity were read, and are in the read models. */
  const areRead = async () => {
    const events = await allEvents(stores.events);
    const blocksOf = (...types: readonly string[]) =>
      events.flatMap(({ type, data }) => {
        const { block, imported } = data as Activity & Imported;
        return types.includes(type) && !imported ? [block.hash] : [];
      });
    const settled = new Set(blocksOf('ActivitySettled'));
    await reached({ position: events.at(-1)?.position ?? 0 });
    return blocksOf('TransferObserved', 'BalanceTouched').every((hash) => settled.has(hash));
  };
  const linesOf = async (address: string, span: Span) => {
    const [startTime, endTime] = span.map((number) => blockAt(chain, number).time) as [number, number];
    const request = { walletId, address, ...everything, startTime, endTime };
    return (await app.statements.page(by, request, { size: 100, token: undefined })).lines as readonly Line[];
  };
  return {
    by,
    app,
    chain,
    node,
    script,
    walletId,
    followed,
    /** Returns the whole statement of the wallet for a period that begins and ends at times in Unix seconds. */
    whole: (startTime: number, endTime: number) =>
      app.statements.whole(by, { walletId, address: undefined, ...everything, startTime, endTime }),
    /** Mines one block after another, and waits until the service has read them. Returns the height of the last one. */
    mine: async (...blocks: readonly (readonly ScriptedTransaction[])[]) => {
      for (const transactions of blocks) chain.mine(transactions);
      await followed();
      return chain.head().number;
    },
    /**
     * Mines empty blocks until the last block is final, and waits until every balance that a block may have changed was
     * read. Returns the height of the last block.
     */
    settle: async () => {
      for (let n = 0; n < settledDepth; n++) chain.mine();
      await followed();
      await until('all balances are read', areRead);
      return chain.head().number;
    },
    register: async (address: string) =>
      reached(await app.addresses.register(by, { walletId, inputs: [{ text: address, path: '' }] })),
    remove: async (address: string) =>
      reached(await app.addresses.remove(by, { walletId, inputs: [{ text: address, path: '' }] })),
    registerToken: async (contract: string) => {
      chain.deploy(contract, { standard: 'erc20' });
      await reached(await app.contracts.register(by, contract, 'erc20'));
    },
    importFrom: async (address: string, fromBlock: number) => {
      const requested = await app.requestImport(by, { address, fromBlock });
      await reached(requested);
      const found = () => app.historyImports.find(by, requested.answer.import_id);
      await until('the import ends', async () => (await found()).state !== 'RUNNING');
      const { state, reason } = await found();
      assert.equal(state, 'COMPLETED', reason);
    },
    reconcile: async () => reached(await app.reconciliation.reconcile(by, walletId)),
    /**
     * Checks that the line of an asset adds up, ends with the balance of the chain, and leaves exactly this amount
     * unexplained for these reasons.
     */
    leaves: (held: Holding, [from, to]: Span, amount: bigint, ...named: readonly string[]) =>
      eventually(async () => {
        const { address, asset } = held;
        const line = (await linesOf(address, [from, to])).find((one) => assetKey(one.asset) === assetKey(asset));
        const { opening, incoming, outgoing, fees, closing, unexplained, reasons } = line ?? assert.fail('no line');
        assert.deepEqual([unexplained, reasons], [amount, named]);
        assert.equal(closing, chain.balance(address, asset, blockAt(chain, to)));
        assert.equal(unexplained, closing - opening - incoming + outgoing + fees);
      }),
    close: async () => {
      await running.stop();
      await connected.close();
      await node.close();
    },
  };
};

const blockAt = (chain: EvmChain, number: number) => chain.at(number) ?? assert.fail(`There is no block ${number}`);
