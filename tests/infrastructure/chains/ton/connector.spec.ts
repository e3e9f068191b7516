import assert from 'node:assert/strict';
import type { Interest } from '../../../../application/ports/chain.js';
import { Failure } from '../../../../domain/failure.js';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import type { startTonIndex } from '../../../support/chains/ton-index.js';
import { createTonScript, fee, jettonWalletOf, master } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { silent } from '../../../support/silent.js';
import { createTonScene, inHex, interestInAll, longTimeouts } from '../../../support/ton/scene.js';

const [anna, bert] = ['anna', 'bert'].map(accountOf) as [string, string];
const jettons = { standard: 'token', contract: master } as const;
const native = { standard: 'native' } as const;

const is = (code: Failure['code'], text: RegExp) => (error: unknown) => {
  assert(error instanceof Failure, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, text);
  return true;
};

describe('the TON connector', () => {
  const { keep, index, connect } = createTonScene();
  const scene = async (options: Parameters<typeof startTonIndex>[1] = {}) => {
    const script = createTonScript(-3);
    const served = await index(script, options);
    const first = script.mine([{ from: anna, to: bert, value: 5n }]);
    const second = script.mine([
      { from: bert, to: anna, value: 7n },
      { from: anna, to: bert, value: 3n },
    ]);
    return { script, served, first, second, chain: await connect(served.url) };
  };
  const valuesOf = (block: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['block']>>) =>
    block?.movements.map(({ value, side }) => `${side} ${value}`);

  it('reads blocks by number and hash, linked back to a genesis that identifies the network', async () => {
    const { chain, first, second } = await scene();
    const head = await chain.head();
    assert.deepEqual(head, {
      number: 2,
      hash: inHex(second.hash),
      parentHash: inHex(first.hash),
      time: second.time,
    });
    const genesis = await chain.genesis();
    assert.deepEqual(genesis, { number: 0, hash: 'ton:-3', parentHash: '', time: 0 });
    assert.equal((await chain.headerAt(1))?.parentHash, genesis.hash);
    assert.deepEqual(await chain.headerOf(head.parentHash), await chain.headerAt(1));
    assert.equal(await chain.headerAt(3), null);
    assert.equal(await chain.headerOf(inHex(first.hash).replaceAll('a', 'b')), null);
    assert.equal(await chain.finalized(), 2);
  });

  it('reads every page of a block, in the order of logical time', async () => {
    const { chain } = await scene({ pageSize: 2 });
    const block = await chain.block((await chain.head()).hash, interestInAll);
    assert.deepEqual(valuesOf(block), ['from 7', 'to 7', 'from 3', 'to 3']);
    assert.equal(block?.touches.length, 4);
  });

  it('takes three requests for each block that follows another', async () => {
    const { chain, served, script } = await scene();
    for (let n = 0; n < 10; n++) script.mine([{ from: anna, to: bert, value: 1n }]);
    for (const { seqno } of script.blocks) {
      const { hash } = (await chain.headerAt(seqno)) ?? assert.fail(`there is no block ${seqno}`);
      await chain.block(hash, interestInAll);
      if (seqno === 1) served.asked.length = 0;
    }
    const perBlock = ['blocks', 'masterchainBlockShardState', 'transactionsByMasterchainBlock'];
    assert.deepEqual(
      served.asked.map(({ path }) => path),
      script.blocks.slice(1).flatMap(() => perBlock),
    );
  });

  it('does not accept a block with missing transactions, and rereads it until it is complete', async () => {
    const { chain, served } = await scene();
    const { hash } = await chain.head();
    for (const fault of ['short page', 'empty page', 'skipped item', 'behind', 'reordered page', 'failing'] as const) {
      served.faults.push(fault, fault);
      assert.deepEqual(valuesOf(await chain.block(hash, interestInAll)), ['from 7', 'to 7', 'from 3', 'to 3'], fault);
    }
  });

  for (const noBlocks of [
    { status: 404, body: {} },
    { status: 404, body: { error: 'not found' } },
    { status: 200, body: { blocks: [] } },
  ])
    it(`reads without a list of blocks if an index answers ${JSON.stringify(noBlocks)}`, async () => {
      const { chain } = await scene({ noBlocks });
      const head = await chain.head();
      assert.deepEqual([head.number, head.hash, head.parentHash], [2, 'ton:-3:2', 'ton:-3:1']);
      assert.deepEqual(valuesOf(await chain.block(head.hash, interestInAll)), ['from 7', 'to 7', 'from 3', 'to 3']);
      assert.deepEqual(await chain.headerOf(head.hash), head);
      assert.equal(await chain.headerAt(3), null);
    });

  it('uses the list of blocks of an index that lags at first', async () => {
    const { chain, served, first } = await scene();
    served.faults.push('behind', 'behind');
    await chain.headerAt(2);
    assert.equal((await chain.head()).parentHash, inHex(first.hash));
  });

  it('retries a busy index with increasing delays', async () => {
    const { chain, served } = await scene();
    await chain.genesis();
    served.asked.length = 0;
    served.faults.push('busy', 'busy', 'busy in the body');
    await chain.genesis();
    const [first = 0, second = 0, third = 0, fourth = 0] = served.asked.map(({ at }) => at);
    assert.equal(served.asked.length, 4);
    assert(
      second - first >= 45 && third - second >= 90 && fourth - third >= 180,
      'the connector did not wait long enough',
    );
  });

  it('waits as long as the index requests', async () => {
    const { chain, served } = await scene();
    await chain.genesis();
    served.asked.length = 0;
    served.faults.push('busy for a second');
    await chain.genesis();
    const [first = 0, second = 0] = served.asked.map(({ at }) => at);
    assert(second - first >= 990, 'the connector did not wait long enough');
  });

  it('sends its key as a header and never shows it', async () => {
    const { served } = await scene();
    const url = `${served.url}/?api_key=secret-of-mine`;
    await keep(await tonChain([url], silent, longTimeouts)).head();
    assert(served.asked.some(({ path, key }) => path === 'blocks' && key === 'secret-of-mine'));
    served.faults.push(...Array.from({ length: 20 }, () => 'failing' as const));
    const failing = keep(await tonChain([url], silent, { deadlineMs: 1500, timeoutMs: 1500 }));
    await assert.rejects(failing.headerAt(1), (error: Error) => !error.message.includes('secret-of-mine'));
  });

  it('asks another index when one lags or belongs to another network', async () => {
    const { script, served } = await scene();
    const other = createTonScript(-239);
    other.mine();
    for (let n = 0; n < 5; n++) other.mine();
    const chain = await connect(served.url, (await index(other)).url);
    assert.equal((await chain.head()).number, script.blocks.length);
    const late = await index(script);
    const both = await connect(late.url, served.url);
    const { hash } = await both.head();
    late.faults.push('behind', 'behind', 'behind');
    assert.equal((await both.block(hash, interestInAll))?.movements.length, 4);
  });

  it('reads balances of coins and jettons, and null if there can be none', async () => {
    const { chain, script } = await scene();
    script.mine([{ from: anna, to: bert, value: 70n, kind: 'jetton' }]);
    const at = await chain.head();
    const evm = `0x${'35'.repeat(20)}`;
    const balances = await chain.balances(
      [
        { address: anna, asset: native },
        { address: bert, asset: jettons },
        { address: evm, asset: native },
        { address: anna, asset: { standard: 'token', contract: accountOf('no master') } },
      ],
      at,
    );
    assert.deepEqual(balances, [String(script.balance(anna)), '1000000070', null, null]);
    assert.equal(script.balance(bert), 1_000_000_000n + 5n - 7n + 3n - 3n * fee);
  });

  it('accepts no balance older than a transaction it has seen', async () => {
    const { chain, served, script } = await scene();
    const head = await chain.head();
    await chain.block(head.hash, interestInAll);
    await chain.genesis();
    served.faults.push('behind', 'behind');
    const [balance] = await chain.balances([{ address: anna, asset: native }], head);
    assert.equal(balance, String(script.balance(anna)));
  });

  it('verifies jetton wallets against their master', async () => {
    const impostor = { account: accountOf('impostor'), owner: anna };
    const { chain } = await scene({ impostor });
    const account = jettonWalletOf(anna);
    const found = { owner: anna, asset: jettons, account };
    const none = { owner: undefined, asset: undefined, account: undefined };
    assert.deepEqual(await chain.tokens({ ...none, owner: anna, asset: jettons }), found);
    assert.deepEqual(await chain.tokens({ owner: anna, asset: jettons, account }), found);
    assert.deepEqual(await chain.tokens({ ...none, account }), found);
    const refused = [
      { owner: anna, asset: jettons, account: impostor.account },
      { ...none, account: impostor.account },
      { ...none, owner: anna, account: impostor.account },
      { ...none, owner: bert, account },
      { ...none, owner: anna, asset: { standard: 'token', contract: accountOf('no master') } as const },
      { ...none, account: accountOf('no wallet') },
    ];
    for (const named of refused) await assert.rejects(chain.tokens(named), is('FAILED_PRECONDITION', /jetton|address/));
    await assert.rejects(chain.tokens({ ...none, asset: jettons }), is('INVALID_ARGUMENT', /address/));
  });

  describe('next to an organization that claims accounts of others', () => {
    const [fake, mute] = ['fake master', 'mute master'].map(accountOf) as [string, string];
    const noWallet = accountOf('no wallet');
    const tokenOf = (contract: string) => ({ standard: 'token', contract }) as const;
    const falseMasters = { [fake]: jettonWalletOf(anna), [mute]: noWallet };
    const attack = async () => {
      const { chain, script } = await scene({ falseMasters });
      await chain.tokens({ owner: anna, asset: jettons, account: undefined });
      script.mine([{ from: bert, to: anna, value: 70n, kind: 'jetton' }]);
      return { chain, script, head: await chain.head() };
    };

    it('imports no wallet of another owner, and no contract that is not a jetton wallet', async () => {
      const { chain } = await attack();
      for (const contract of [fake, mute])
        await assert.rejects(
          chain.tokens({ owner: bert, asset: tokenOf(contract), account: undefined }),
          is('FAILED_PRECONDITION', /does not belong to this owner and jetton/),
        );
    });

    it('reads a deposit for the owner confirmed by the wallet, in whatever order the claims were made', async () => {
      const { chain, head } = await attack();
      const claims = [
        { owner: bert, asset: tokenOf(fake) },
        { owner: anna, asset: jettons },
      ];
      for (const made of [claims, claims.toReversed()]) {
        const interest: Interest = {
          address: () => false,
          contract: () => true,
          tokenAccounts: (account) => (account === jettonWalletOf(anna) ? made : []),
        };
        const block = await chain.block(head.hash, interest);
        assert.deepEqual(
          block?.movements.map(({ to, value, asset }) => [to, value, asset]),
          [[anna, '70', jettons]],
        );
        assert.deepEqual(block?.touches, [{ address: anna, asset: jettons, reason: 'fee' }]);
      }
    });

    it('continues past the transactions of a contract that is not a jetton wallet', async () => {
      const { chain, script } = await attack();
      script.mine([{ from: bert, to: noWallet, value: 5n }]);
      const interest: Interest = {
        address: (address) => address === bert,
        contract: () => true,
        tokenAccounts: (account) => (account === noWallet ? [{ owner: anna, asset: tokenOf(mute) }] : []),
      };
      const block = await chain.block((await chain.head()).hash, interest);
      assert.deepEqual(valuesOf(block), ['from 5']);
    });

    it("returns no balance for another owner's wallet, and returns the others of the same request", async () => {
      const { chain, script, head } = await attack();
      const balances = await chain.balances(
        [
          { address: bert, asset: tokenOf(fake) },
          { address: bert, asset: tokenOf(mute) },
          { address: anna, asset: jettons },
          { address: anna, asset: native },
        ],
        head,
      );
      assert.deepEqual(balances, [null, null, '1000000070', String(script.balance(anna))]);
    });
  });

  it('names the unsupported scheme or unreachable host', async () => {
    await assert.rejects(tonChain(['ton+ftp://host'], silent), is('INVALID_ARGUMENT', /ton\+https/));
    const chain = keep(await tonChain(['ton+http://127.0.0.1:9'], silent, { deadlineMs: 1500, timeoutMs: 1500 }));
    await assert.rejects(chain.head(), is('NODE_ERROR', /127\.0\.0\.1:9/));
  });
});
