import { slicesOf } from '../../../../application/async/slices.js';
import type { Chain } from '../../../../application/ports/chain.js';
import type { Holding } from '../../../../domain/aggregates/ledger/ledger-data.js';
import { assetKey } from '../../../../domain/asset.js';
import { NodeFault } from '../../../nodes/node-fault.js';
import { list, record } from '../../../nodes/raw.js';
import { addressWord } from '../abi.js';
import type { Node, Nodes } from '../nodes.js';
import { resultOf } from '../outcome.js';
import { readTokenLog, receiptTopics } from '../token-logs.js';
import { address, inHex } from '../wire.js';

type Search = NonNullable<Chain['tokensReceived']>;
type Asked = Parameters<Search>[0];

/** Maximum blocks per call. Hosted nodes rarely allow more. */
const maxBlocks = 2000;
const contractsPerCall = 100;
const timeoutFactor = 3;

/** Messages of nodes for a call that covers too many blocks or finds too many logs. */
const tooWide = /range|too (large|many|big|wide|long)|exceed|limit|results?|bytes|time.?out|timed out|took too long/i;
const rateLimited = /\brate\b|requests|per (second|minute|day)/i;
const isTooWide = ({ kind, message }: NodeFault) =>
  kind === 'refused' || (kind !== 'missing' && tooWide.test(message) && !rateLimited.test(message));

const callsFor = ({ contracts, standard, addresses }: Asked, fromBlock: string, toBlock: string) => {
  const receivers = addresses.map((one) => `0x${addressWord(one)}`);
  return [...slicesOf(contracts, contractsPerCall)].map((some) => ({
    method: 'eth_getLogs',
    params: [{ address: some, topics: receiptTopics[standard](receivers), fromBlock, toBlock }],
  }));
};

/**
 * Reads the logs of a range of blocks. Fails if the node lacks the last block, because such a node would omit logs
 * silently.
 */
const logsIn = async (node: Node, asked: Asked, to: number) => {
  const calls = callsFor(asked, inHex(asked.from), inHex(to));
  const last = { method: 'eth_getBlockByNumber', params: [inHex(to), false] };
  const [block, ...answers] = (await node.batch([last, ...calls])).map(resultOf);
  if (block === null) throw new NodeFault('missing', 'does not have the block yet');
  return answers.flatMap((answer) => list(answer, 'the logs'));
};

/** Returns the tokens of `contracts` that `addresses` received according to the logs, without duplicates. */
const tokensIn = (logs: readonly unknown[], { contracts, standard, addresses }: Asked): readonly Holding[] => {
  const [ofContract, ofAddress] = [new Set(contracts), new Set(addresses)];
  const found = new Map<string, Holding>();
  for (const log of logs) {
    const { address: given, topics, data } = record(log, 'a log');
    const contract = address(given, 'the contract of a log');
    const read = ofContract.has(contract) ? readTokenLog(contract, topics, data) : null;
    if (!read || !ofAddress.has(read.to)) continue;
    for (const { asset } of read.pieces())
      if (asset.standard === standard) found.set(`${read.to} ${assetKey(asset)}`, { address: read.to, asset });
  }
  return [...found.values()];
};

/**
 * Searches for received tokens. Halves a block range that is too wide for all nodes, and doubles the range after each
 * success.
 */
export const createTokenSearch = (nodes: Nodes): Search => {
  let blocks = maxBlocks;
  return async (asked) => {
    for (;;) {
      const to = Math.min(asked.to, asked.from + blocks - 1);
      const attempt = async (node: Node) => {
        try {
          return await logsIn(node, asked, to);
        } catch (error) {
          // Rejecting a wide range counts as an answer, so that the node is not marked unhealthy.
          if (to > asked.from && error instanceof NodeFault && isTooWide(error)) return null;
          throw error;
        }
      };
      const logs = await nodes.find(attempt, { timeoutFactor });
      blocks = logs ? Math.min(maxBlocks, blocks * 2) : Math.max(1, (to - asked.from + 1) >> 1);
      if (logs) return { tokens: tokensIn(logs, asked), to };
    }
  };
};
