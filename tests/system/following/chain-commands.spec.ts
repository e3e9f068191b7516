import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Examined } from '../../../application/maintenance/finding.js';
import { noStream } from '../../../application/ports/event-store.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { type Service, startService } from '../../support/service/service.js';

const others = { CHAIN_T_URL: 'off', CHAIN_S_URL: 'off', CHAIN_P_URL: 'off', CHAIN_Q_URL: 'off' };

const startChain = async (name: string, blocks: number): Promise<EvmNode> => {
  const chain = createEvmChain(name);
  for (let n = 0; n < blocks; n++) chain.mine();
  return startEvmNode({ chain });
};

describe('the chain commands', () => {
  let [first, other]: (EvmNode | undefined)[] = [];
  let service: Service;
  const envOf = (node: EvmNode | undefined) => ({ ...others, CHAIN_C_URL: node?.url ?? '' });
  const start = async (node: EvmNode | undefined) => {
    service = await startService({ on: service?.home ?? embedded, env: envOf(node) });
  };
  const command = (node: EvmNode | undefined, ...args: string[]) => runCommand(service.home, args, envOf(node));
  const heightIs = (wanted: number | undefined) =>
    eventually(async () => {
      const { followers } = await jsonOf(service.home, ['projections', 'status']);
      assert.equal(followers[0]?.height, wanted);
    });
  const blocksIn = async () => {
    const { stdout } = await command(first, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
    return checks.filter(({ check }) => check === 'blocks').map(({ level, found }) => `${level} ${found}`);
  };
  before(async () => {
    [first, other] = await Promise.all([startChain('first', 4), startChain('other', 9)]);
    await start(first);
    await heightIs(4);
  });
  after(async () => {
    await service?.stop();
    await Promise.all([first?.close(), other?.close()]);
  });

  it('make a running service read a skipped block again', async () => {
    assert.deepEqual(await blocksIn(), ['ok none was left out']);
    const [block, genesis] = [first?.chain.at(2), first?.chain.at(0)];
    const about = { organizationId: 'system', variant: 'C', actor: { kind: 'process', id: 'follower' } as const };
    const requestId = `block ${block?.hash}`;
    const metadata = {
      ...about,
      requestId,
      causationId: requestId,
      correlationId: requestId,
      occurredAt: '2026-01-01',
    };
    const data = { block: { number: 2, hash: block?.hash, chain: genesis?.hash }, reason: 'a receipt is missing' };
    const events = await sqliteEventStore(join(service.home.directory, 'events.db'));
    const stream = `system.block-C.${block?.hash}`;
    const unreadable = { id: randomUUID(), type: 'BlockUnreadable', data, metadata };
    await events.append([{ stream, expected: noStream, events: [unreadable] }]);
    await events.close();
    await eventually(async () => assert.match((await blocksIn()).join(), /^warn 1 blocks could not be read: 2 of C/));
    const { code, stderr } = await command(first, 'chain', 'retry', 'c', '3');
    assert.deepEqual([code, stderr.trim()], [1, 'NOT_FOUND: Block 3 is not among the unreadable blocks of chain C.']);
    const asked = await command(first, 'chain', 'retry', 'c', '2');
    assert.match(asked.stdout, /The follower will retry block 2 /);
    await eventually(async () => assert.deepEqual(await blocksIn(), ['ok none was left out']));
  });

  it('show what accepting another chain would change, and apply it with --yes', async () => {
    await service.stop();
    await start(other);
    const shown = await command(other, 'chain', 'accept', 'c', '0');
    assert.equal(shown.code, 1);
    assert.match(shown.stdout, new RegExp(`followed: block 0 is ${first?.chain.at(0)?.hash}`));
    assert.match(shown.stdout, new RegExp(`nodes: +block 0 is ${other?.chain.at(0)?.hash}`));
    await heightIs(4);
    const accepted = await command(other, 'chain', 'accept', 'c', '0', '--yes');
    assert.equal(accepted.code, 0, accepted.stderr);
    await heightIs(9);
  });
});
