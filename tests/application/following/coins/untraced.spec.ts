import assert from 'node:assert/strict';
import type { Context } from '../../../../application/commands/handle.js';
import { ok, warn } from '../../../../application/maintenance/finding.js';
import { storeChecks } from '../../../../application/maintenance/store-checks.js';
import { recordingTraces, tracedChains } from '../../../../application/maintenance/tracing.js';
import type { Chain } from '../../../../application/ports/chain.js';
import { addressOf } from '../../../support/chains/evm-chain.js';
import { addressWord, word } from '../../../support/chains/evm-contracts.js';
import { eventually } from '../../../support/eventually.js';
import { everyAsset, openStores } from '../../../support/following/following.js';
import { startNeighbourhood } from '../../../support/following/neighbours.js';

const [payer, vault, anna, bert] = ['payer', 'vault', 'anna', 'bert'].map(addressOf) as [
  string,
  string,
  string,
  string,
];
const paid = `0x${'5'.repeat(64)}`;

describe('a chain', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
  let by: Context;
  beforeEach(async () => {
    stores = await openStores();
    scene = await startNeighbourhood(stores, 'untraced');
    by = await scene.join('anna', [anna, bert, vault]);
  });
  afterEach(async () => {
    await scene.close();
    await stores.close();
  });

  /**
   * Mines a call of the vault, which pays anna and bert in internal transfers. The log of an unregistered contract
   * names anna in a topic and bert in its data.
   */
  const pay = () => {
    const logs = [
      { address: payer, topics: [paid, `0x${addressWord(anna)}`], data: `0x${addressWord(bert)}${word(5)}` },
    ];
    const internal = [anna, bert].map((to) => ({ from: vault, to, value: 5n }));
    return scene.chain.mine([{ from: payer, to: vault, input: '0xaa', logs, internal }]);
  };
  const shown = async () => {
    const page = { size: 10, token: undefined };
    const { documents } = await scene.app().assets.list(by, { ...everyAsset, standard: 'native' }, page);
    return new Map(documents.map(({ address, balance }) => [address, balance]));
  };
  const expected = () => new Map([anna, bert, vault].map((one) => [one, String(scene.chain.balance(one))]));

  for (const isTraced of [false, true])
    it(`that ${isTraced ? 'a node' : 'no node'} traces has the balances of all parties of a call, and is reported as ${isTraced ? 'traced' : 'untraced'}`, async () => {
      scene.node.faults.noTraces = !isTraced;
      assert.deepEqual(await scene.app().status.traced(), {});
      pay();
      await eventually(async () => assert.deepEqual(await shown(), expected()));
      assert.deepEqual(await scene.app().status.traced(), { C: isTraced });
    });
  it('is reported as traced once a node traces it, and not at all while that is unknown', async () => {
    let known: boolean | null = null;
    const seen = async (isTraced: boolean | null) => {
      known = isTraced;
      await chain.block('', { address: () => true, contract: () => true, tokenAccounts: () => [] });
      return tracedChains(stores.state);
    };
    const made = { block: async () => null, traced: () => known } as Partial<Chain> as Chain;
    const chain = recordingTraces(made, stores.state, 'P');
    const reported = [await seen(null), await seen(false), await seen(null), await seen(true)];
    assert.deepEqual(reported, [{}, { P: false }, { P: false }, { P: true }]);
  });
  it('has a warning of doctor with the consequence and the remedy while no node traces it', async () => {
    let known: boolean | null = null;
    const made = { block: async () => null, traced: () => known } as Partial<Chain> as Chain;
    const chain = recordingTraces(made, stores.state, 'P');
    const nobody = () => assert.fail('not asked');
    const ports = { events: nobody, state: async () => stores.state, status: nobody, roles: nobody, stuck: nobody };
    const check = storeChecks({ ...ports, stuckSeconds: 1, now: Date.now }).find(({ name }) => name === 'traces');
    const found = async (isTraced: boolean | null) => {
      known = isTraced;
      await chain.block('', { address: () => true, contract: () => true, tokenAccounts: () => [] });
      return check?.run();
    };
    assert.deepEqual(await found(null), [ok('no followed block has run code yet')]);
    assert.deepEqual(await found(false), [
      warn(
        'blocks of P are not traced: native transfers made by contracts are not recorded',
        'add a node with debug_traceBlockByHash, or refresh balances; see docs/following.md',
      ),
    ]);
    assert.deepEqual(await found(true), [ok('blocks of P are traced')]);
  });
});
