import assert from 'node:assert/strict';
import type { Chain, Interest } from '../../../../application/ports/chain.js';
import { createSuiLedger, type SuiLedger } from '../../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import { type SuiNode, startSuiNode } from '../../../support/chains/sui-node.js';
import { silent } from '../../../support/silent.js';

const everyone: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
const timeouts = { deadlineMs: 10_000, timeoutMs: 5000 };

describe('checkpoints pruned by the Sui nodes', () => {
  let ledger: SuiLedger;
  let node: SuiNode;
  const closing: (() => Promise<unknown>)[] = [];
  const startNode = async (of: SuiLedger) => {
    const started = await startSuiNode(of);
    closing.push(started.close);
    return started;
  };
  const connect = async (archiveUrls: readonly string[]): Promise<Chain> => {
    const chain = await suiChain([node.url], silent, { ...timeouts, archiveUrls });
    closing.push(chain.close);
    return chain;
  };
  beforeEach(async () => {
    ledger = createSuiLedger(Date.now);
    for (let n = 1; n <= 9; n++) {
      const changes = [{ address: `0x${'a1'.repeat(32)}`, coinType: nativeCoinType, amount: BigInt(n) }];
      ledger.execute({ sender: fullAddress('0xf'), changes });
      ledger.makeCheckpoint();
    }
    node = await startNode(ledger);
    node.faults.lowest = 6;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('are reported, with the lowest available one, if there is no archive', async () => {
    const chain = await connect([]);
    await assert.rejects(chain.headerAt(3), {
      code: 'NODE_ERROR',
      message:
        'Checkpoint 3 was pruned; the lowest available one is 6. Set CHAIN_…_ARCHIVE_URL to a node with older checkpoints.',
    });
    assert.equal((await chain.headerAt(6))?.number, 6);
    assert.equal(await chain.headerAt(10), null);
  });

  it('come from the archive, which receives no other requests', async () => {
    const archive = await startNode(ledger);
    const chain = await connect([archive.url]);
    for (let n = 1; n <= 9; n++) {
      const header = (await chain.headerAt(n)) ?? assert.fail(`there is no header ${n}`);
      const block = await chain.block(header.hash, everyone);
      assert.deepEqual(
        block?.movements.map(({ value }) => value),
        [String(n)],
      );
      assert.equal((await chain.headerOf(header.hash))?.number, n);
    }
    const { calls } = archive;
    assert.equal(calls.of('getCheckpoint'), 2 * 5);
    assert.equal(calls.all(), calls.of('getCheckpoint') + calls.of('getServiceInfo'));
    const asked = calls.all();
    assert.equal((await chain.head()).number, 9);
    assert.equal(await chain.headerAt(10), null);
    assert.equal(calls.all(), asked);
  });

  it('are missing if the archive lacks them too, or belongs to another chain', async () => {
    const archive = await startNode(ledger);
    archive.faults.lowest = 4;
    const chain = await connect([archive.url]);
    assert.equal((await chain.headerAt(4))?.number, 4);
    await assert.rejects(chain.headerAt(3), /lowest available one is 6\. The archive does not have it\./);
    const other = await connect([(await startNode(createSuiLedger(Date.now))).url]);
    await assert.rejects(other.headerAt(3), /The archive \(CHAIN_…_ARCHIVE_URL\) serves another chain/);
  });
});
