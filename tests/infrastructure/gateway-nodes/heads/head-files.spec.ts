import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnnouncedHeads } from '../../../../application/ports/node.js';
import { fileAnnouncedHeads } from '../../../../infrastructure/gateway-nodes/heads/head-files.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { hex } from '../../../support/chains/evm-chain.js';
import { eventually } from '../../../support/eventually.js';
import { linkedNode } from '../../../support/gateway/linked-nodes.js';
import { silent } from '../../../support/silent.js';

const address = 'c/mainnet/1/0xabc';

describe('heads that processes on one data directory announce to each other', () => {
  const open: { close(): Promise<void> }[] = [];
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'heads-'));
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    await rm(directory, { recursive: true });
  });
  const processAt = () => {
    const heads = fileAnnouncedHeads(join(directory, 'heads'), 1);
    open.push(heads);
    return heads;
  };
  const heardBy = async (heads: AnnouncedHeads, at = address) => {
    const heard: number[] = [];
    await heads.listen(at, (height) => heard.push(height));
    return heard;
  };

  it('reach every other process, by address', async () => {
    const [one, other] = [processAt(), processAt()];
    const [heard, strange] = [await heardBy(other), await heardBy(other, 'c/mainnet/1/0xabcd')];
    one.announce(address, 7);
    await eventually(() => assert.deepEqual(heard, [7]));
    one.announce(address, 8);
    await eventually(() => assert.deepEqual(heard, [7, 8]));
    assert.deepEqual(strange, []);
  });

  it('reach a process that starts later', async () => {
    const one = processAt();
    const heard = await heardBy(one);
    one.announce(address, 9);
    await eventually(() => assert.deepEqual(heard, [9]));
    assert.deepEqual(await heardBy(processAt()), [9]);
  });

  it('are not hidden by a lower head of another process', async () => {
    const [one, other] = [processAt(), processAt()];
    one.announce(address, 10);
    await eventually(async () => assert.equal((await readdir(join(directory, 'heads'))).length, 1));
    other.announce(address, 6);
    await eventually(async () => assert.equal((await readdir(join(directory, 'heads'))).length, 2));
    assert.deepEqual(await heardBy(processAt()), [10]);
  });

  it('leave one file for each process, and are ignored a minute after it ended', async () => {
    const one = processAt();
    for (let height = 1; height <= 20; height++) one.announce(address, height);
    const files = () => readdir(join(directory, 'heads'));
    await eventually(async () => assert.deepEqual(await files(), ['c_mainnet_1_0xabc_20']));
    const old = join(directory, 'heads', 'c_mainnet_1_0xabc_99');
    await writeFile(old, '');
    await utimes(old, 0, 0);
    const heard = await heardBy(processAt());
    assert.deepEqual(heard, [20]);
    assert.deepEqual(await files(), ['c_mainnet_1_0xabc_20']);
  });

  it('keep the head of a gateway from going back from one process to the other', async () => {
    const poolAt = (head: number) => {
      const heads = processAt();
      const channel = {
        announce: (chain: string, height: number) => heads.announce(chain, height),
        listen: (chain: string, listener: (height: number) => void) => heads.listen(chain, listener),
      };
      const { link } = linkedNode(head);
      const pool = nodePool(['http://one'], silent, false, { linkTo: () => link, channel });
      open.unshift(pool);
      return pool;
    };
    const [ahead, behind] = [poolAt(101), poolAt(100)];
    assert.equal(await behind.ask('eth_blockNumber', []), hex(100));
    assert.equal(await ahead.ask('eth_blockNumber', []), hex(101));
    await eventually(async () => assert.equal(await behind.ask('eth_blockNumber', []), hex(101)));
  });
});
