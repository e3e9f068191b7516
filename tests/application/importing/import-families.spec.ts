import assert from 'node:assert/strict';
import type { Chain } from '../../../application/ports/chain.js';
import type { Variant } from '../../../domain/variant.js';
import { createSuiLedger } from '../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../infrastructure/chains/sui/connector.js';
import { tonChain } from '../../../infrastructure/chains/ton/connector.js';
import { startSuiNode } from '../../support/chains/sui-node.js';
import { startTonIndex } from '../../support/chains/ton-index.js';
import { createTonScript } from '../../support/chains/ton-script.js';
import { accountOf } from '../../support/chains/ton-transactions.js';
import { eventually, until } from '../../support/eventually.js';
import { contextOf, openStores, startFollowing, transfersOf, variantOf } from '../../support/following/following.js';
import { silent } from '../../support/silent.js';

/** Chain of one family on which two people pay each other, and a node that serves the chain. */
type Family = {
  readonly variant: Variant;
  readonly people: readonly [string, string];
  pay(value: bigint): void;
  /** Makes an empty block. */
  mine(): void;
  height(): number;
  connect(): Promise<Chain>;
  close(): Promise<void>;
};

const ton = async (): Promise<Family> => {
  const people = ['anna', 'bert'].map(accountOf) as [string, string];
  const script = createTonScript(-3);
  script.mine();
  const index = await startTonIndex(script);
  return {
    variant: variantOf('t'),
    people,
    pay: (value) => script.mine([{ from: people[1], to: people[0], value }]),
    mine: () => script.mine(),
    height: () => script.blocks.length,
    connect: () => tonChain([index.url], silent, { deadlineMs: 20_000, timeoutMs: 10_000, maxRestMs: 200 }),
    close: index.close,
  };
};

const sui = async (): Promise<Family> => {
  const people = ['a1', 'b2'].map((pair) => `0x${pair.repeat(32)}`) as [string, string];
  const ledger = createSuiLedger(Date.now);
  for (const address of people)
    ledger.execute({
      sender: fullAddress('0xf'),
      changes: [{ address, coinType: nativeCoinType, amount: 10n ** 12n }],
    });
  ledger.makeCheckpoint();
  const node = await startSuiNode(ledger);
  return {
    variant: variantOf('s'),
    people,
    pay: (value) => {
      const [to, from] = people;
      const changes = [
        { address: from, coinType: nativeCoinType, amount: -value },
        { address: to, coinType: nativeCoinType, amount: value },
      ];
      ledger.execute({ sender: from, changes });
      ledger.makeCheckpoint();
    },
    mine: () => ledger.makeCheckpoint(),
    height: ledger.height,
    connect: () => suiChain([node.url], silent, { deadlineMs: 20_000, timeoutMs: 10_000 }),
    close: node.close,
  };
};

for (const [name, open] of Object.entries({ TON: ton, Sui: sui }))
  describe(`ImportHistory on ${name}`, () => {
    let family: Family;
    const closing: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    it('records what was paid before the registration', async () => {
      family = await open();
      closing.push(family.close);
      const { variant, people } = family;
      const by = contextOf('org_a', variant);
      const stores = await openStores();
      closing.push(stores.close);
      const chain = await family.connect();
      closing.push(chain.close);
      const from = family.height() + 1;
      for (const value of [5n, 6n]) family.pay(value);
      family.mine();
      const { app, stop } = startFollowing(stores, chain, { variant, fromGenesis: false });
      closing.push(stop);
      await until('the chain is followed', () => app.followers[0]?.status()?.height === family.height());
      const wallet = { name: 'a', address: people[0], confirmation: 1, importAsset: undefined };
      const { answer, position } = await app.wallets.register(by, wallet);
      await app.progress.reached(position, 5000);
      assert.deepEqual(await transfersOf(app, by, answer.wallet_id), []);
      const requested = await app.requestImport(by, { address: people[0], fromBlock: from });
      await app.progress.reached(requested.position, 5000);
      const found = () => app.historyImports.find(by, requested.answer.import_id);
      await until('the import ends', async () => (await found()).state !== 'RUNNING');
      assert.equal((await found()).state, 'COMPLETED', (await found()).reason);
      await eventually(async () => {
        const transfers = await transfersOf(app, by, answer.wallet_id);
        assert.deepEqual(transfers.map(({ state, transfer: { value } }) => `${state} ${value}`).toSorted(), [
          'SUCCESS 5',
          'SUCCESS 6',
        ]);
      });
      assert.equal((await app.addresses.find(by, people[0])).complete_since_block, from);
    });
  });
