import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import { slicesOf } from '../../../../application/async/slices.js';
import type { Chain } from '../../../../application/ports/chain.js';
import type { Holding } from '../../../../domain/aggregates/ledger/ledger-data.js';
import { assetKey } from '../../../../domain/asset.js';
import { NodeFault } from '../../../nodes/node-fault.js';
import { list, record } from '../../../nodes/raw.js';
import { addressWord, numberIn } from '../abi.js';
import { maxGas } from '../balances.js';
import type { Node, Nodes } from '../nodes.js';
import { answerOf, type RpcCall, resultOf } from '../outcome.js';
import { readTokenLog, receiptTopics, transferTopics } from '../token-logs.js';
import { supportsCall } from '../tokens.js';
import { address, inHex } from '../wire.js';

type Search = NonNullable<Chain['tokensReceived']>;
type Asked = Parameters<Search>[0];

/** Maximum number of blocks per call. Hosted nodes rarely allow more. */
const maxBlocks = 2000;
const contractsPerCall = 100;
const timeoutFactor = 3;
const rememberedContracts = 10_000;

/**
 * Pattern of the error messages with which nodes reject a call that covers too many blocks or finds too many logs.
 */
const tooWide = /range|too (large|many|big|wide|long)|exceed|limit|results?|bytes|time.?out|timed out|took too long/i;
const rateLimited = /\brate\b|requests|per (second|minute|day)/i;
const isTooWide = ({ kind, message }: NodeFault) =>
  kind === 'refused' || (kind !== 'missing' && tooWide.test(message) && !rateLimited.test(message));

/**
 * Creates a function that returns the calls for the logs of a range of blocks. Asks each ERC-721 contract once whether
 * it is older than the standard, and reads all its transfers unless it denies that, because a filter by receiver would
 * omit those of an older contract.
 */
const createCalls = () => {
  const early = createBoundedCache<string, boolean>(rememberedContracts);
  const learn = async (node: Node, contracts: readonly string[]) => {
    const unknown = contracts.filter((contract) => !early.has(contract));
    const calls = unknown.map((to) => ({ to, data: supportsCall('earlyErc721'), gas: maxGas }));
    const outcomes = await node.batch(calls.map((call) => ({ method: 'eth_call', params: [call, 'latest'] })));
    for (const [i, contract] of unknown.entries()) {
      const claim = numberIn(answerOf(outcomes[i]));
      if (claim !== null) early.set(contract, claim === 1n);
    }
  };
  return async (node: Node, { contracts, standard, addresses, from }: Asked, to: number): Promise<RpcCall[]> => {
    if (standard === 'erc721') await learn(node, contracts);
    const isIndexed = (contract: string) => standard !== 'erc721' || early.get(contract) === false;
    const receivers = addresses.map((one) => `0x${addressWord(one)}`);
    const callsFor = (some: readonly string[], topics: readonly unknown[]) =>
      [...slicesOf(some, contractsPerCall)].map((address) => ({
        method: 'eth_getLogs',
        params: [{ address, topics, fromBlock: inHex(from), toBlock: inHex(to) }],
      }));
    return [
      ...callsFor(contracts.filter(isIndexed), receiptTopics[standard](receivers)),
      ...callsFor(
        contracts.filter((contract) => !isIndexed(contract)),
        transferTopics,
      ),
    ];
  };
};

/**
 * Reads the logs of a range of blocks. Fails if the node lacks the first or the last block, because such a node would
 * omit logs silently. Block 0 has no logs, and nodes keep it when they prune the blocks after it.
 */
const logsIn = async (node: Node, calls: readonly RpcCall[], { from }: Asked, to: number) => {
  const ends = [Math.min(Math.max(1, from), to), to];
  const headers = ends.map((number) => ({ method: 'eth_getBlockByNumber', params: [inHex(number), false] }));
  const [first, last, ...answers] = (await node.batch([...headers, ...calls])).map(resultOf);
  if (last === null) throw new NodeFault('missing', 'does not have the block yet');
  if (first === null) throw new NodeFault('missing', 'does not have the block any more');
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
 * Creates a search for received tokens. The search halves a block range that is too wide for all nodes, and doubles the
 * range after each success.
 */
export const createTokenSearch = (nodes: Nodes): Search => {
  const callsFor = createCalls();
  let blocks = maxBlocks;
  return async (asked) => {
    for (;;) {
      const to = Math.min(asked.to, asked.from + blocks - 1);
      const attempt = async (node: Node) => {
        try {
          return await logsIn(node, await callsFor(node, asked, to), asked, to);
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
