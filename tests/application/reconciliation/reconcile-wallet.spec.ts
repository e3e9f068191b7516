import assert from 'node:assert/strict';
import { readReached } from '../../../application/following/progress/cursor-store.js';
import type { Chain } from '../../../application/ports/chain.js';
import type { Line } from '../../../application/statements/lines.js';
import type { Drifted } from '../../../domain/aggregates/ledger/drift.js';
import { Failure } from '../../../domain/failure.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { addressOf, createEvmChain, type ScriptedTransaction } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { eventually, until } from '../../support/eventually.js';
import {
  allEvents,
  contextOf,
  everyAsset,
  openStores,
  type Running,
  startFollowing,
} from '../../support/following/following.js';
import { silent } from '../../support/silent.js';

const [ann, ben, token] = ['ann', 'ben', 'token'].map(addressOf) as [string, string, string];
const erc20 = { standard: 'erc20', contract: token } as const;
const by = contextOf('org_reconciled');
const finalDepth = 4;

describe('ReconcileWallet', () => {
  const chain = createEvmChain('reconcile');
  let node: EvmNode;
  let connected: Awaited<ReturnType<typeof evmChain>>;
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;
  let walletId = '';
  /** Failure that begins with the next read of token balances. */
  let failing: 'nothing' | 'the contract' | 'the nodes' = 'nothing';
  let isAway = false;

  /** Mines a block and waits until it is final for the follower. */
  const mine = async (...transactions: ScriptedTransaction[]) => {
    chain.mine(transactions);
    for (let n = 0; n < finalDepth + 2; n++) chain.mine();
    await until('the blocks are followed', async () => {
      const reached = await readReached(stores.state, by.variant.tag);
      return reached?.tip.number === chain.head().number;
    });
  };
  const tokens = async () => {
    const filter = { ...everyAsset, standard: 'erc20' as const, walletId };
    const { documents } = await running.app.assets.list(by, filter, { size: 10, token: undefined });
    return new Map(documents.map(({ address, balance }) => [address, BigInt(balance)]));
  };
  const reconcile = async () => {
    const { answer, position } = await running.app.reconciliation.reconcile(by, walletId);
    await running.app.progress.reached(position, 5000);
    return answer;
  };
  const drifts = async () =>
    (await allEvents(stores.events)).filter(({ type }) => type === 'BalanceDrifted').map(({ data }) => data as Drifted);

  before(async () => {
    chain.deploy(token, { standard: 'erc20' } as never);
    chain.finalDepth = finalDepth;
    node = await startEvmNode({ chain });
    connected = await evmChain([node.url], silent);
    stores = await openStores();
    const failingChain: Chain = {
      ...connected,
      balances: async (holdings, at) => {
        const isOfTokens = holdings.some(({ asset }) => asset.standard !== 'native');
        if (isOfTokens) isAway = failing === 'the nodes';
        if (isAway || (isOfTokens && failing === 'the contract')) throw new Failure('UNAVAILABLE', 'no answer');
        return connected.balances(holdings, at);
      },
    };
    running = startFollowing(stores, failingChain);
    const wallet = { name: 'w', confirmation: 1, address: ann, importAsset: undefined };
    walletId = (await running.app.wallets.register(by, wallet)).answer.wallet_id;
    await running.app.addresses.register(by, { walletId, inputs: [{ text: ben, path: '' }] });
    await running.app.contracts.register(by, token, 'erc20');
    await mine({
      from: addressOf('other'),
      to: token,
      tokens: [ann, ben].map((to) => ({ asset: erc20, from: addressOf('other'), to, value: 100n })),
    });
    await eventually(async () => assert.equal((await tokens()).size, 2));
  });
  after(async () => {
    await running.stop();
    await connected.close();
    await node.close();
    await stores.close();
  });

  it('finds no difference while the stored balances are those of the chain', async () => {
    await mine({ from: ann, to: ben, value: 5n });
    assert.deepEqual(await reconcile(), []);
    assert.deepEqual(await drifts(), []);
  });

  it('records a balance that changed without a transfer once, and corrects it', async () => {
    const before = (await tokens()).get(ann) ?? 0n;
    await mine({
      from: addressOf('other'),
      to: token,
      silentTokens: [{ asset: erc20, from: ben, to: ann, value: 7n }],
    });
    const [first, ...others] = await reconcile();
    assert.equal(others.length, 1);
    assert.ok(first && first.block <= chain.head().number - finalDepth);
    const found = await drifts();
    assert.deepEqual(
      found.map(({ address, asset, expected, found: now }) => ({
        address,
        asset,
        change: BigInt(now) - BigInt(expected),
      })),
      [
        { address: ann, asset: erc20, change: 7n },
        { address: ben, asset: erc20, change: -7n },
      ],
    );
    assert.equal((await tokens()).get(ann), before + 7n);
    assert.deepEqual(await reconcile(), []);
    assert.equal((await drifts()).length, 2);
  });

  it('is the reason in a statement for what movements do not explain, with the correction', async () => {
    const [{ since, block } = assert.fail('no drift')] = await drifts();
    const timeAt = (number: number) => chain.at(number)?.time ?? assert.fail(`There is no block ${number}`);
    const linesOf = async (from: number, to: number) => {
      const assets = { standard: 'erc20', contract: undefined, token: undefined } as const;
      const request = { walletId, address: ann, ...assets, startTime: timeAt(from), endTime: timeAt(to) };
      const { lines } = await running.app.statements.page(by, request, { size: 10, token: undefined });
      return (lines as readonly Line[]).map(({ unexplained, reasons, corrections }) => ({
        ...{ unexplained, reasons },
        corrections: corrections.map((one) => ({ block: one.block, amount: one.found - one.expected })),
      }));
    };
    assert.deepEqual(await linesOf(since, block.number), [
      { unexplained: 7n, reasons: ['balance_drifted'], corrections: [{ block: block.number, amount: 7n }] },
    ]);
    assert.deepEqual(await linesOf(block.number, chain.head().number), [
      { unexplained: 0n, reasons: [], corrections: [] },
    ]);
  });

  it('records a difference once when two reconciliations run at the same time', async () => {
    await mine({
      from: addressOf('other'),
      to: token,
      silentTokens: [{ asset: erc20, from: ben, to: ann, value: 1n }],
    });
    const count = (await drifts()).length;
    await Promise.all([reconcile(), reconcile()]);
    assert.equal((await drifts()).length, count + 2);
  });

  it('shows the number of differences and the last one to operators', async () => {
    await eventually(async () => assert.equal((await running.app.status.drifts())[0]?.count, 4));
    const [found] = await running.app.status.drifts();
    assert.equal(found?.chain, by.variant.tag);
    assert.equal(found?.last.wallet_id, walletId);
  });

  it('does not compare a balance that the follower is about to read', async () => {
    const { app } = running;
    const other = (
      await app.wallets.register(by, {
        name: 'deep',
        confirmation: 3,
        address: addressOf('cid'),
        importAsset: undefined,
      })
    ).answer.wallet_id;
    await mine({ from: addressOf('other'), to: addressOf('cid'), value: 3n });
    const { answer } = await app.reconciliation.reconcile(by, other);
    assert.deepEqual(answer, []);
  });

  it('leaves out a contract whose balances cannot be read, but fails if the nodes are away', async () => {
    failing = 'the contract';
    assert.deepEqual(await reconcile(), []);
    failing = 'the nodes';
    await assert.rejects(reconcile(), { code: 'UNAVAILABLE' });
    failing = 'nothing';
    isAway = false;
    assert.deepEqual(await reconcile(), []);
  });

  it('rejects a wallet of another organization', async () => {
    await assert.rejects(running.app.reconciliation.reconcile(contextOf('org_other'), walletId), {
      code: 'NOT_FOUND',
    });
  });
});
