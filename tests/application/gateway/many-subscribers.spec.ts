import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createChainFeed } from '../../../application/gateway/chain-feed.js';
import type { Node } from '../../../application/ports/node.js';
import { until } from '../../support/eventually.js';
import { silent, testSystem } from '../../support/silent.js';

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
const [subscribers, notifiedPerTurn] = [5000, 500];

describe('a feed with thousands of subscribers', () => {
  let head: number;
  let isSyncing: boolean;
  let newHead: () => void;
  let newPending: (hash: string) => void;
  let heard: number;
  let maxInOneTurn: number;
  let ending: AbortController;
  let feed: ReturnType<typeof createChainFeed>;

  beforeEach(() => {
    [head, isSyncing, heard, maxInOneTurn, ending] = [1, false, 0, 0, new AbortController()];
    const blockOf = (hash: string) => {
      const number = Number.parseInt(hash.slice(2), 16);
      const parentHash = hashOf(number - 1);
      return { number: `0x${number.toString(16)}`, hash, parentHash, logsBloom: '0x0', transactions: [] };
    };
    const node: Partial<Node> = {
      ask: async (method, [hash]) => (method === 'eth_syncing' ? isSyncing && {} : blockOf(String(hash))),
      head: async () => ({ number: head, hash: hashOf(head) }),
      watchHeads: (notice) => {
        newHead = notice;
      },
      watchPending: async (notice) => {
        newPending = notice;
      },
      closed: ending.signal,
    };
    let inThisTurn = 0;
    const breathe = async () => {
      maxInOneTurn = Math.max(maxInOneTurn, heard - inThisTurn);
      inThisTurn = heard;
      await turn();
    };
    // Sleeps take no time, so that the nodes are polled for their state repeatedly.
    feed = createChainFeed(node as Node, { ...testSystem, breathe, sleep: () => turn(), log: silent });
  });
  afterEach(() => ending.abort());

  const subscribe = async (one: (hear: () => void) => Promise<unknown>) => {
    for (let n = 0; n < subscribers; n++) await one(() => void heard++);
  };
  const allHave = async (times: number) => {
    await until('all are notified', () => heard >= times * subscribers);
    assert.equal(heard, times * subscribers);
    assert.ok(maxInOneTurn > 0 && maxInOneTurn <= notifiedPerTurn, `${maxInOneTurn} were notified in one turn`);
  };

  it('notifies only some of them of a block in one turn of the event loop', async () => {
    await subscribe(feed.onHeads);
    head++;
    newHead();
    await allHave(1);
  });
  it('notifies only some of them of a pending transaction in one turn', async () => {
    await subscribe(feed.onPending);
    newPending(hashOf(7));
    newPending(hashOf(8));
    await allHave(2);
  });
  it('notifies only some of them in one turn that nodes are syncing', async () => {
    await subscribe(feed.onSyncing);
    isSyncing = true;
    await allHave(1);
  });
});
