import assert from 'node:assert/strict';
import type { Chain, Interest } from '../../../../application/ports/chain.js';
import type { Holding } from '../../../../domain/aggregates/ledger/ledger-data.js';
import type { Asset } from '../../../../domain/asset.js';
import { createSuiLedger, type SuiLedger } from '../../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import { type SuiNode, startSuiNode } from '../../../support/chains/sui-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const [ann, ben] = ['a1', 'b2'].map((pair) => `0x${pair.repeat(32)}`) as [string, string];
const usd = `${fullAddress('0x5')}::usd::USD`;
const coin: Asset = { standard: 'native' };
const token: Asset = { standard: 'token', contract: usd };
const everyone: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
/** Timeouts longer than any stall of the process. Every node in these tests answers or fails immediately. */
const timeouts = { deadlineMs: 60_000, timeoutMs: 20_000 };

describe('the Sui connector', () => {
  let ledger: SuiLedger;
  let nodes: SuiNode[];
  let chain: Chain;
  const closing: (() => Promise<unknown>)[] = [];
  const start = async (count: number) => {
    ledger = createSuiLedger(Date.now);
    nodes = await Promise.all(Array.from({ length: count }, () => startSuiNode(ledger)));
    for (const node of nodes) closing.push(node.close);
    chain = await suiChain(
      nodes.map(({ url }) => url),
      silent,
      timeouts,
    );
    closing.push(chain.close);
  };
  beforeEach(() => start(2));
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const pay = (value: bigint, coinType = nativeCoinType): string => {
    const changes = [
      { address: ann, coinType, amount: -value },
      { address: ben, coinType, amount: value },
    ];
    return ledger.execute({ sender: ann, changes });
  };
  const fund = () => {
    for (const coinType of [nativeCoinType, usd])
      ledger.execute({ sender: fullAddress('0xf'), changes: [{ address: ann, coinType, amount: 10n ** 10n }] });
    ledger.makeCheckpoint();
  };
  const headerAt = async (number: number) =>
    (await chain.headerAt(number)) ?? assert.fail(`there is no header ${number}`);
  const first = () => nodes[0] as SuiNode;

  it('links checkpoints from the first one, whose digest identifies the chain', async () => {
    for (let n = 0; n < 3; n++) ledger.makeCheckpoint();
    const genesis = await chain.genesis();
    assert.equal(genesis.hash, ledger.chainId);
    let before = genesis.hash;
    for (let n = 1; n <= 3; n++) {
      const header = await headerAt(n);
      assert.equal(header.parentHash, before);
      assert.deepEqual(await chain.headerOf(header.hash), header);
      before = header.hash;
    }
    assert.equal((await chain.head()).hash, before);
    assert.equal(await chain.headerAt(4), null);
    assert.equal(await chain.headerOf('4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'), null);
    assert.equal(await chain.block('4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi', everyone), null);
  });

  it('uses the highest head, and reads missing data from the other node', async () => {
    fund();
    const digest = pay(5n);
    for (let n = 0; n < 4; n++) ledger.makeCheckpoint();
    first().faults.lag = 4;
    const head = await chain.head();
    assert.equal(head.number, ledger.height());
    const { hash } = await headerAt(2);
    const block = (await chain.block(hash, everyone)) ?? assert.fail();
    assert.deepEqual(
      block.movements.map(({ transaction, value }) => [transaction, value]),
      [[digest, '5']],
    );
    assert.deepEqual(await chain.balances([{ address: ben, asset: coin }], head), ['5']);
  });

  for (const fault of ['unavailable', 'busy', 'broken', 'skips', 'repeats', 'truncated'] as const)
    it(`reads the correct chain while a node has the fault "${fault}"`, async () => {
      fund();
      for (let n = 1; n <= 6; n++) {
        pay(BigInt(n));
        ledger.makeCheckpoint();
      }
      Object.assign(first().faults, { [fault]: true });
      const values: string[] = [];
      for (let n = 2; n <= ledger.height(); n++) {
        const block = await chain.block((await headerAt(n)).hash, everyone);
        assert.equal(block?.number, n);
        values.push(...(block?.movements.map(({ value }) => value) ?? []));
      }
      assert.deepEqual(values, ['1', '2', '3', '4', '5', '6']);
    });

  it('rejects a node of another chain', async () => {
    const other = await startSuiNode(createSuiLedger(Date.now));
    closing.push(other.close);
    ledger.makeCheckpoint();
    const mixed = await suiChain([first().url, other.url], silent, timeouts);
    closing.push(mixed.close);
    assert.equal((await mixed.genesis()).hash, ledger.chainId);
    for (let n = 0; n < 3; n++) assert.equal((await mixed.head()).number, 1);
  });

  it('reads the balances at every checkpoint, although nodes have only the newest', async () => {
    fund();
    const expected: string[][] = [];
    for (let n = 0; n < 8; n++) {
      if (n % 3 !== 2) pay(BigInt(n + 1), n % 2 ? usd : nativeCoinType);
      ledger.makeCheckpoint();
      expected.push(
        [ben, ann].flatMap((who) => [nativeCoinType, usd].map((type) => String(ledger.balance(who, type)))),
      );
    }
    const holdings = [ben, ann].flatMap((address) => [coin, token].map((asset) => ({ address, asset })));
    for (const [n, balances] of expected.entries())
      assert.deepEqual(await chain.balances(holdings, await headerAt(n + 2)), balances);
    assert.deepEqual(await chain.balances([], await headerAt(2)), []);
  });

  it('describes coins that exist on the chain', async () => {
    fund();
    const described = (contract: string) =>
      chain.describe?.({ standard: 'token', contract }, async () => assert.fail('a coin has no document'));
    assert.deepEqual(await described(usd), {
      uri: '',
      description: { name: 'Coin USD', symbol: 'USD', decimals: 9 },
    });
    assert.deepEqual(await described('0x9::none::NONE'), { uri: '', description: {} });
  });

  it('reads the balances at a checkpoint while they change, and the newest if they never stop changing', async () => {
    await start(1);
    fund();
    pay(5n);
    ledger.makeCheckpoint();
    const at = await chain.head();
    const holdings = [{ address: ben, asset: coin }];
    const changeWhenRead = (times: number) => {
      first().whenRead(() => {
        if (times-- <= 0) return;
        pay(1n);
        ledger.makeCheckpoint();
      });
    };
    changeWhenRead(100);
    assert.deepEqual(await chain.balances(holdings, at), [String(ledger.balance(ben, nativeCoinType) - 1n)]);
    changeWhenRead(2);
    assert.deepEqual(await chain.balances(holdings, at), ['5']);
  });

  describe('with many balances to read', () => {
    const holdings = Array.from({ length: 150 }, (_, n) => ({ address: fullAddress(`0x${n + 16}`), asset: coin }));
    const expected = holdings.map((_, n) => String(n + 1));
    const fundAll = async () => {
      await start(1);
      for (const [n, { address }] of holdings.entries())
        ledger.execute({
          sender: fullAddress('0xf'),
          changes: [{ address, coinType: nativeCoinType, amount: BigInt(n + 1) }],
        });
      ledger.makeCheckpoint();
      return chain.head();
    };

    /** Connects with a timeout of 30 s per request, so that a slow machine requests no balance twice. */
    const connectPatiently = async () => {
      const patient = await suiChain([first().url], silent, { deadlineMs: 60_000, timeoutMs: 30_000 });
      closing.push(patient.close);
      return patient;
    };

    it('resumes where a node failed, and reads nothing twice', async () => {
      const at = await fundAll();
      const patient = await connectPatiently();
      first().limitBalances(100);
      await assert.rejects(patient.balances(holdings, at), /No chain node/);
      first().limitBalances(Number.POSITIVE_INFINITY);
      assert.deepEqual(await patient.balances(holdings, at), expected);
      const left = first().limitBalances(Number.POSITIVE_INFINITY);
      const underWay = 16;
      assert.ok(left <= holdings.length - 64 + underWay, `${left} balances were read after the failure`);
    });

    it('keeps each answer of a read that failed, even as of a later checkpoint', async () => {
      const at = await fundAll();
      const patient = await connectPatiently();
      const answered = 100;
      first().limitBalances(answered);
      await assert.rejects(patient.balances(holdings, at), /No chain node/);
      const [{ address }] = holdings as [Holding];
      ledger.execute({ sender: fullAddress('0xf'), changes: [{ address, coinType: nativeCoinType, amount: 5n }] });
      ledger.makeCheckpoint();
      const later = await patient.head();
      first().limitBalances(Number.POSITIVE_INFINITY);
      assert.deepEqual(await patient.balances(holdings, later), ['6', ...expected.slice(1)]);
      assert.equal(first().limitBalances(Number.POSITIVE_INFINITY), holdings.length - answered);
    });

    it('ends for several readers, although the node answers none of them within the deadline', async () => {
      const at = await fundAll();
      const hasty = await suiChain([first().url], silent, { deadlineMs: 2000, timeoutMs: 1000 });
      closing.push(hasty.close);
      first().limit(16);
      const readers = [0, 50, 100];
      const read = (from: number) => hasty.balances(holdings.slice(from, from + 50), at);
      await Promise.all(readers.map((from) => assert.rejects(read(from), /No chain node/)));
      const answers = await Promise.all(readers.map((from) => eventually(() => read(from))));
      assert.deepEqual(answers.flat(), expected);
    });

    it('reads them all from a rate-limited node', async () => {
      const at = await fundAll();
      first().faults.maxInTenth = 10;
      const patient = await connectPatiently();
      assert.deepEqual(await patient.balances(holdings, at), expected);
    });
  });

  it('reports that no node answers, and continues when one does', async () => {
    ledger.makeCheckpoint();
    for (const node of nodes) node.faults.unavailable = true;
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => chain.head()));
    for (const answer of answers)
      if (answer.status === 'rejected') assert.match(String(answer.reason), /No chain node/);
    for (const node of nodes) node.heal();
    assert.equal((await chain.head()).number, 1);
  });

  it('signals new checkpoints', async () => {
    const stop = new AbortController();
    const hints = chain.hints(stop.signal)[Symbol.asyncIterator]();
    const hinted = hints.next();
    const ticking = setInterval(() => ledger.makeCheckpoint(), 10);
    closing.push(async () => clearInterval(ticking));
    assert.equal((await hinted).done, false);
    stop.abort();
    await hints.return?.();
  });
});
