import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Examined } from '../../../application/maintenance/finding.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { runCommand } from '../../support/service/command.js';
import { type Service, startService } from '../../support/service/service.js';

const others = { CHAIN_T_URL: 'off', CHAIN_S_URL: 'off', CHAIN_P_URL: 'off', CHAIN_Q_URL: 'off' };

describe('a process with the role follower and without the role api', () => {
  let node: EvmNode;
  let service: Service;
  let env: Record<string, string>;
  before(async () => {
    const chain = createEvmChain('health');
    for (let n = 0; n < 3; n++) chain.mine();
    node = await startEvmNode({ chain });
    env = { ...others, CHAIN_C_URL: node.url, CHAIN_C_HEAD_AGE_SECONDS: '0', CHAINFOLD_HEALTH_PORT: '0' };
    service = await startService({ on: embedded, role: 'follower,projector', env });
  });
  after(async () => {
    await service?.stop();
    await node?.close();
  });
  const get = (path: string) => {
    const [, url] = /"health_url":"([^"]+)"/.exec(service.output()) ?? [];
    return fetch(`${url}${path}`);
  };

  it('serves its health and its metrics on a port of its own, and nothing else', async () => {
    assert.equal((await get('/health/live')).status, 200);
    await eventually(async () => {
      const { chains, ...rest } = (await (await get('/health/ready')).json()) as {
        chains: { head_age_seconds: number }[];
      };
      assert.deepEqual(rest, { status: 'ready', reasons: [] });
      const [{ head_age_seconds: age, ...chain } = { head_age_seconds: 0 }] = chains;
      assert.deepEqual(chain, { chain: 'C', height: 3, head: 3, alarm: false });
      assert.ok(age > 300, 'the blocks of the node are years old');
    });
    assert.equal((await get('/health/ready?role=follower')).status, 200);
    assert.equal((await get('/health/ready?role=api')).status, 503);
    assert.equal((await get('/docs')).status, 404);
    await eventually(async () => {
      const text = await (await get('/metrics')).text();
      assert.match(text, /chainfold_follower_lag_blocks\{chain="C"\} 0/);
      assert.match(text, /chainfold_follower_alarm\{chain="C"\} 0/);
    });
  });

  it('is reported missing by doctor after more than 45 s, and so are new blocks of its nodes', async () => {
    const examined = async (more = {}) => {
      const { stdout } = await runCommand(service.home, ['doctor', '--json'], { ...env, ...more });
      const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
      return checks.filter(({ check }) => check === 'follower of C').map(({ level, found }) => `${level} ${found}`);
    };
    const lastFollowedAt = async (turnedAt: number) => {
      const state = await sqliteState(join(service.home.directory, 'state.db'));
      const pulse = await state.get('processes', 'pulse:C');
      const value = JSON.stringify({ ...JSON.parse(pulse?.value ?? ''), turnedAt });
      await state.put('processes', 'pulse:C', value, pulse?.revision ?? 0);
      await state.close();
    };
    await service.stop();
    // A time in the future counts as the present, so that this check passes on a slow machine too.
    await lastFollowedAt(Date.now() + 3_600_000);
    assert.match((await examined()).join(), /^ok is at \d+ of \d+/);
    const bounded = await examined({ CHAIN_C_HEAD_AGE_SECONDS: '' });
    assert.match(bounded.join(), /^fail is at \d+ of .* the newest block of its nodes is \d+ s old/);
    await lastFollowedAt(Date.now() - 46_000);
    assert.match((await examined()).join(), /^fail is at \d+, and the chain was not followed for \d+ s/);
  });
});
