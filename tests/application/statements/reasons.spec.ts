import type { Block } from '../../../application/ports/chain.js';
import { addressOf, blockReward, gasPrice, initialBalance, plainGas } from '../../support/chains/evm-chain.js';
import { until } from '../../support/eventually.js';
import { person } from '../../support/following/followed-wallet.js';
import { openStores } from '../../support/following/following.js';
import { blocksFor, other, token, tokenOf, traceNothing } from '../../support/statements/payments.js';
import { coin, openStatementScene, type Span, type StatementScene } from '../../support/statements/statement-scene.js';

const withoutAmounts = (block: Block): Block => ({
  ...block,
  touches: block.touches.map(({ fees, ...touch }) => touch),
});

describe('a statement', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: StatementScene;
  let people = 0;
  let ann = '';
  let from = 0;
  let blocks: ReturnType<typeof blocksFor>;
  before(async () => {
    stores = await openStores();
    scene = await openStatementScene('books', stores);
    await scene.registerToken(token);
  });
  beforeEach(async () => {
    ann = addressOf(`ann ${people++}`);
    blocks = blocksFor(ann);
    await scene.register(ann);
    // Has the balances read, because a balance from before the first reading derives from that reading.
    await scene.mine(blocks.coins(1n), blocks.tokens(1n));
    from = await scene.settle();
  });
  after(async () => {
    await scene.close();
    await stores.close();
  });

  afterEach(() => {
    scene.node.lie = (_, answer) => answer;
    scene.script.change = (block) => block;
    scene.script.fails = () => false;
  });

  const leaves = async (standard: 'coins' | 'tokens', amount: bigint, ...reasons: readonly string[]) => {
    const held = { address: ann, asset: standard === 'coins' ? coin : tokenOf(token) };
    await scene.leaves(held, [from, await scene.settle()], amount, ...reasons);
  };

  it('explains coins and tokens that transfers moved', async () => {
    await scene.mine(blocks.coins(5n), blocks.tokens(6n), blocks.coinsByContract(7n, false));
    await scene.mine([{ from: ann, to: other, value: 2n }]);
    await leaves('coins', 0n);
    await leaves('tokens', 0n);
  });

  it('names a rebasing token for tokens that arrived without a transfer', async () => {
    await scene.mine(blocks.silentTokens(7n), blocks.tokens(1n));
    await leaves('tokens', 7n, 'rebasing_token');
    await leaves('coins', 0n);
  });
  it('names the correction of a balance by reconciliation', async () => {
    await scene.mine(blocks.silentTokens(7n));
    await scene.settle();
    await scene.reconcile();
    await leaves('tokens', 7n, 'balance_drifted');
    await leaves('coins', 0n);
  });
  it('names a withdrawal', async () => {
    scene.chain.mine([], { withdrawals: [{ address: ann, amount: '0x3' }] });
    await scene.mine(blocks.coins(1n));
    await leaves('coins', 3n * 10n ** 9n, 'withdrawal');
  });
  it('names a block reward', async () => {
    scene.chain.mine([], { miner: ann });
    await leaves('coins', blockReward, 'block_reward');
  });
  it('names a transaction of the network itself that no node traces', async () => {
    traceNothing(scene.node);
    await scene.mine(blocks.coinsBySystem(7n));
    await leaves('coins', 7n, 'system_transaction');
  });
  it('explains a transaction of the network itself that the nodes trace', async () => {
    await scene.mine(blocks.coinsBySystem(7n));
    await leaves('coins', 0n);
  });
  it('names wrapped coins of a contract that logs them in a form of its own', async () => {
    await scene.mine(blocks.silentTokens(7n, [blocks.wrappedOddly(7n)]));
    await leaves('tokens', 7n, 'wrapped_coins');
  });
  it('explains wrapped coins that the contract logs', async () => {
    await scene.mine(blocks.silentTokens(7n, [blocks.wrapped(7n)]));
    await leaves('tokens', 0n);
  });
  it('names fees whose amounts were not recorded', async () => {
    scene.script.change = withoutAmounts;
    await scene.mine([{ from: ann, to: other, value: 2n }]);
    await leaves('coins', -plainGas * gasPrice, 'fee_not_recorded');
  });
  it('does not know the reason for coins that a node left out of its traces', async () => {
    traceNothing(scene.node);
    await scene.mine(blocks.coinsByContract(7n, false), blocks.coins(1n));
    await leaves('coins', 7n, 'unknown');
  });

  describe('of an address that had coins and tokens before its registration', () => {
    const lateToken = addressOf('late token');
    beforeEach(async () => {
      await scene.remove(ann);
      from = await scene.mine([]);
      await scene.mine(blocks.coins(7n), blocks.tokens(8n));
    });
    it('names the registration', async () => {
      await scene.register(ann);
      await scene.mine(blocks.coins(1n), blocks.tokens(1n));
      await leaves('coins', 7n, 'before_registration');
      await leaves('tokens', 8n, 'before_registration');
    });
    it('names each of several registrations in its period', async () => {
      await scene.register(ann);
      await scene.mine(blocks.coins(1n), blocks.tokens(1n));
      const second: Span = [from, await scene.settle()];
      await scene.remove(ann);
      await scene.mine(blocks.coins(9n), blocks.tokens(9n));
      await scene.register(ann);
      await scene.mine(blocks.coins(1n), blocks.tokens(1n));
      await scene.settle();
      await scene.leaves({ address: ann, asset: coin }, second, 7n, 'before_registration');
      await scene.leaves({ address: ann, asset: tokenOf(token) }, second, 8n, 'before_registration');
    });
    it('explains the coins and tokens once the history is imported', async () => {
      await scene.register(ann);
      await scene.importFrom(ann, from);
      await scene.mine(blocks.coins(1n), blocks.tokens(1n));
      await leaves('coins', 0n);
      await leaves('tokens', 0n);
    });
    it('names the registration of a token', async () => {
      await scene.register(ann);
      await scene.mine(blocks.coins(1n), blocks.tokens(1n, lateToken));
      from = await scene.mine([]);
      await scene.mine([]);
      await scene.registerToken(lateToken);
      await scene.mine(blocks.tokens(4n, lateToken));
      const span: Span = [from, await scene.settle()];
      const before = initialBalance + 1n;
      await scene.leaves({ address: ann, asset: tokenOf(lateToken) }, span, before, 'before_registration');
    });
  });
});

describe('a statement on a chain that no node traces', () => {
  const ann = addressOf('ann');
  const blocks = blocksFor(ann);
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: StatementScene;
  let from = 0;
  before(async () => {
    stores = await openStores();
    scene = await openStatementScene('untraced books', stores);
    scene.node.faults.noTraces = true;
    await scene.register(ann);
    await scene.mine(blocks.coins(1n));
    from = await scene.settle();
  });
  after(async () => {
    await scene.close();
    await stores.close();
  });

  it('names a payment by a contract that a log names', async () => {
    await scene.mine(blocks.coinsByContract(7n, true));
    await scene.leaves({ address: ann, asset: coin }, [from, await scene.settle()], 7n, 'untraced_internal_transfer');
  });
  it('does not know the reason for a payment by a contract that no log names', async () => {
    from = await scene.mine([]);
    await scene.mine(blocks.coinsByContract(7n, false), blocks.coins(1n));
    await scene.leaves({ address: ann, asset: coin }, [from, await scene.settle()], 7n, 'unknown');
  });
  it('explains coins that transactions moved', async () => {
    from = await scene.mine([]);
    await scene.mine(blocks.coinsByContract(0n, true), blocks.coins(5n));
    await scene.leaves({ address: ann, asset: coin }, [from, await scene.settle()], 0n);
  });
});

describe('a statement with a block that no node can return', () => {
  const ann = addressOf('ann');
  const blocks = blocksFor(ann);
  const held = { address: ann, asset: coin };
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: StatementScene;
  let from = 0;
  let skipped = '';
  const open = async (name: string, address: string) => {
    scene = await openStatementScene(name, stores);
    await scene.register(address);
    await scene.mine(blocksFor(address).coins(1n));
    from = await scene.settle();
  };
  beforeEach(async () => {
    stores = await openStores();
    await open('unreadable books', ann);
    skipped = scene.chain.mine(blocks.coins(7n)).hash;
    scene.script.fails = (asked) => asked === skipped;
    scene.chain.mine(blocks.coins(1n));
    await until('the block fails', () => /receipts/.test(scene.app.followers[0]?.alarm() ?? ''));
    scene.script.passed += 601;
    await scene.followed();
  });
  afterEach(async () => {
    await scene.close();
    await stores.close();
  });

  it('names the block', async () => {
    await scene.leaves(held, [from, await scene.settle()], 7n, 'unreadable_block');
  });
  it('explains the coins once the block is read after all', async () => {
    scene.script.fails = () => false;
    await scene.app.chainBlocks.retry(person, scene.by.variant, skipped);
    await until('the block is read', async () => {
      scene.script.passed += 1;
      return (await scene.app.status.unreadBlocks()).length === 0;
    });
    await scene.leaves(held, [from, await scene.settle()], 0n);
  });
  it('does not name the block on a chain that replaced that of the block', async () => {
    await scene.close();
    const bob = addressOf('bob');
    await open('books of another chain', bob);
    traceNothing(scene.node);
    await scene.mine(blocksFor(bob).coinsByContract(7n, false), blocksFor(bob).coins(1n));
    await scene.leaves({ address: bob, asset: coin }, [from, await scene.settle()], 7n, 'unknown');
  });
});
