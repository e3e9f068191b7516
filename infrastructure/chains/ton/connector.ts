import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Block, Chain, Header, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { createPace } from '../nodes/pace.js';
import { readBalances } from './balances.js';
import type { Node } from './http-transport.js';
import { createJettons } from './jettons.js';
import { createMasterBlocks } from './master-blocks.js';
import { lastSeqno, type MasterBlock, networkOf } from './masterchain.js';
import { readMovements } from './movements.js';
import { createNodes, type NodeOptions } from './nodes.js';
import { readTransactions, type Transaction } from './transactions.js';

const usual = { deadlineMs: 10_000, answerMs: 5000, mostBytes: 64 * 1024 * 1024 };
/** Whole blocks are several pages, and an index may ask for time between them. */
const blockPatience = 4;
const accountsRemembered = 200_000;

/** Indexes do not speak first. */
const noHints: AsyncIterable<void> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/** Reads what a block did to whom, and remembers when last something happened to them. */
const createReader = () => {
  const seen = createBoundedCache<string, bigint>(accountsRemembered);
  const note = (account: string, { lt, end_status }: Transaction) => {
    // An account that is no more has no state to look for.
    if (end_status === 'nonexist') seen.delete(account);
    // Blocks are read side by side, so a later one may have come first.
    else if ((seen.get(account) ?? -1n) < BigInt(lt)) seen.set(account, BigInt(lt));
  };

  const read = async (node: Node, master: MasterBlock, header: Header, interest: Interest): Promise<Block> => {
    const pace = createPace();
    const movements: Movement[] = [];
    const touches: Touch[] = [];
    const transactions = await readTransactions(node, master);
    for (const transaction of transactions) {
      const found = readMovements(transaction, interest);
      if (found.isOfInterest) note(found.account, transaction);
      movements.push(...found.movements);
      touches.push(...found.touches);
      if (pace.isDue()) await pace.breathe();
    }
    return { ...header, movements, touches };
  };
  return { read, lastSeen: seen.get };
};

/** TON behind indexes of the kind of toncenter's version 3. Its blocks are those of the masterchain, with all that they commit. */
export const tonChain = async (
  urls: readonly string[],
  log: Log,
  options: Partial<NodeOptions> = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...usual, ...options });
  const blocks = createMasterBlocks(nodes);
  const jettons = createJettons(nodes);
  const { read, lastSeen } = createReader();

  /** All that an index has is final, so the last one that was asked for is. */
  let highest: number | null = null;
  const findHighest = async () => {
    highest = Math.max(...(await nodes.poll(lastSeqno)));
    return highest;
  };

  /** What comes before the first block is known by the network alone: indexes begin where they like. */
  const genesis = async (): Promise<Header> => {
    const network = await nodes.use(async (node) => networkOf(await node.get('masterchainInfo')));
    return { number: 0, hash: network, parentHash: '', time: 0 };
  };
  const headerFor = async ({ seqno, hash, time }: MasterBlock): Promise<Header> => {
    const parent = seqno === 1 ? await genesis() : await blocks.at(seqno - 1);
    return { number: seqno, hash, parentHash: parent?.hash ?? '', time };
  };
  const headerAt = async (number: number) => {
    if (number === 0) return genesis();
    const found = await blocks.at(number);
    return found && headerFor(found);
  };

  return {
    genesis,
    head: async () =>
      (await headerAt(await findHighest())) ??
      refuse('NODE_ERROR', 'no index knows the block that it says is the last'),
    finalized: async () => highest ?? findHighest(),
    hints: () => noHints,
    headerAt,
    headerOf: async (hash) => {
      const found = await blocks.of(hash);
      return found && headerFor(found);
    },
    block: async (hash, interest) => {
      const master = await blocks.of(hash);
      if (!master) return null;
      const header = await headerFor(master);
      const readFrom = (node: Node) => blocks.withList(node, master, (whole) => read(node, whole, header, interest));
      return nodes.use(readFrom, { patience: blockPatience });
    },
    balances: (holdings, at) => readBalances(nodes, jettons, lastSeen, holdings, at),
    contract: async () => refuse('FAILED_PRECONDITION', 'there are no such contracts on this chain'),
    tokenUri: async () => '',
    tokens: jettons.find,
    close: () => nodes.close(),
  };
};
