import assert from 'node:assert/strict';
import type { Examined } from '../../../application/maintenance/finding.js';
import { addressOf, createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const [ann, other, token] = ['ann', 'other', 'token'].map(addressOf) as [string, string, string];
const erc20 = { standard: 'erc20', contract: token } as const;
const others = { CHAIN_T_URL: 'off', CHAIN_S_URL: 'off', CHAIN_P_URL: 'off', CHAIN_Q_URL: 'off' };
const finalDepth = 4;

describe('reconciliation over HTTP and at the command line', () => {
  const chain = createEvmChain('reconciled service');
  let node: EvmNode;
  let service: Service;
  let walletId = '';
  const env = () => ({ ...others, CHAIN_C_URL: node.url });
  const followed = async () => {
    for (let n = 0; n < finalDepth + 2; n++) chain.mine();
    await eventually(async () => {
      const { followers } = await jsonOf(service.home, ['projections', 'status']);
      assert.equal(followers[0]?.height, chain.head().number);
    });
  };
  const drift = (value: bigint) =>
    chain.mine([{ from: other, to: token, silentTokens: [{ asset: erc20, from: other, to: ann, value }] }]);

  before(async () => {
    chain.deploy(token, { standard: 'erc20' } as never);
    chain.finalDepth = finalDepth;
    node = await startEvmNode({ chain });
    service = await startService({ on: embedded, env: env() });
    const { c } = clientOf(service);
    walletId = (await c.registerWallet({ name: 'treasury', address: ann, confirmation: 1 })).wallet_id;
    await c.registerContract({ contract_address: token, contract_type: 'CONTRACT_TYPE_ERC20' });
    await c.refreshAssetBalances({ wallet_id: walletId, asset_type: 'ASSET_TYPE_ERC20' });
    await followed();
  });
  after(async () => {
    await service?.stop();
    await node.close();
  });

  it('compare a wallet with ReconcileWallet, and correct the balance that differs', async () => {
    const { c } = clientOf(service);
    assert.deepEqual(await c.reconcileWallet({ wallet_id: walletId }), { differences: [] });
    drift(7n);
    await followed();
    const { differences } = await c.reconcileWallet({ wallet_id: walletId });
    assert.equal(differences.length, 1);
    const [{ address, asset_type, expected, found, block } = assert.fail()] = differences;
    assert.deepEqual({ address, asset_type }, { address: ann, asset_type: 'ASSET_TYPE_ERC20' });
    assert.equal(BigInt(found) - BigInt(expected), 7n);
    assert.ok(block <= chain.head().number - finalDepth);
    const { assets } = await c.listAssets({ wallet_id: walletId, asset_type: 'ASSET_TYPE_ERC20' });
    assert.equal(assets[0]?.balance, found);
  });

  it('compare an organization with audit reconcile, which ends with 1 if a balance differed', async () => {
    const args = ['audit', 'reconcile', '--organization', demoOf(service.home).domain, '--json'];
    const equal = await runCommand(service.home, args, env());
    assert.equal(equal.code, 0, equal.stderr);
    drift(2n);
    await followed();
    const { code, stdout } = await runCommand(service.home, args, env());
    assert.equal(code, 1);
    const [difference, { summary }] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(difference.wallet_id, walletId);
    assert.deepEqual(summary, { wallets: 1, addresses: 1, differences: 1 });
  });

  it('are reported by doctor and by the metrics', async () => {
    const { stdout } = await runCommand(service.home, ['doctor', '--json'], env());
    const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
    const found = checks.filter(({ check }) => check === 'reconciliation');
    assert.deepEqual(
      found.map(({ level }) => level),
      ['warn'],
    );
    assert.match(found[0]?.found ?? '', /^2 balances of C differed/);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, /chainfold_balance_drifts\{chain="C"\} 2/);
  });
});
