import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Block, Chain, Header, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { fail } from '../../../domain/failure.js';
import { createPace } from '../../pace.js';
import { readBalances, type SeenAt } from './balances.js';
import type { Node } from './http-transport.js';
import { createIdentities, type Identities } from './jettons/jetton-identity.js';
import { createJettons } from './jettons/jettons.js';
import { createMasterBlocks } from './master-blocks.js';
import { lastSeqno, type MasterBlock, mainNetwork, networkOf } from './masterchain.js';
import { accountIn, readMovements, touchOf } from './movements.js';
import { createNodes, type NodeOptions } from './nodes.js';
import { readTransactions, type Transaction } from './transactions.js';

const defaults = { deadlineMs: 10_000, answerMs: 5000, maxBytes: 64 * 1024 * 1024 };
/** Factor on the deadline: a whole block takes several pages, and an index may throttle between them. */
const blockPatience = 4;
/** Masterchain blocks, about a quarter of a minute's, by which an index may be behind a backup that is not yet used. */
const backupLead = 32;
const accountsRemembered = 200_000;
/** States of an account, after a transaction, in which it cannot be asked anything. */
const codeless: readonly unknown[] = ['uninit', 'frozen', 'nonexist'];

/** Indexes push nothing, so there are no hints. */
const noHints: AsyncIterable<void> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/** Reads the movements of blocks and remembers each account's last transaction. */
const createReader = (identities: Identities) => {
  const seen = createBoundedCache<string, SeenAt>(accountsRemembered);
  const note = (account: string, { lt, end_status }: Transaction, { seqno }: MasterBlock) => {
    // A destroyed account has no state to look for.
    if (end_status === 'nonexist') seen.delete(account);
    // Blocks are read concurrently, so a later one may have been read first.
    else if ((seen.get(account)?.lt ?? -1n) < BigInt(lt)) seen.set(account, { lt: BigInt(lt), seqno });
  };

  /**
   * Finds the imports that an account with tokens confirms. One that is not deployed, or was destroyed, confirms none:
   * the balances are then read again, which tells the truth.
   */
  const tokensOf = async (node: Node, transaction: Transaction, interest: Interest) => {
    const account = accountIn(transaction);
    const claims = interest.tokenAccounts(account);
    if (claims.length === 0) return { confirmed: claims, doubtful: claims };
    if (codeless.includes(transaction.end_status))
      return { confirmed: identities.remembered(account, claims), doubtful: claims };
    return { confirmed: await identities.confirmed(node, account, claims), doubtful: [] };
  };

  const read = async (node: Node, master: MasterBlock, header: Header, interest: Interest): Promise<Block> => {
    const pace = createPace();
    const movements: Movement[] = [];
    const touches: Touch[] = [];
    const transactions = await readTransactions(node, master);
    for (const transaction of transactions) {
      const { confirmed, doubtful } = await tokensOf(node, transaction, interest);
      const found = readMovements(transaction, interest, confirmed);
      if (found.isOfInterest) note(found.account, transaction, master);
      movements.push(...found.movements);
      touches.push(...found.touches, ...doubtful.map(touchOf));
      if (pace.isDue()) await pace.breathe();
    }
    return { ...header, movements, touches, bytes: node.bytes() };
  };
  return { read, lastSeen: seen.get };
};

/**
 * Connects TON through indexes like toncenter's version 3, and through servers of version 2 while those are away. A block
 * is one of the masterchain, with all blocks that it commits.
 */
export const tonChain = async (
  urls: readonly string[],
  log: Log,
  options: Partial<NodeOptions> = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...defaults, ...options });
  const blocks = createMasterBlocks(nodes);
  const identities = createIdentities();
  const jettons = createJettons(nodes, identities);
  const { read, lastSeen } = createReader(identities);

  /** Network of the indexes, which was asked for once. */
  let known: string | null = null;
  const network = async () => {
    known ??= await nodes.use(async (node) => networkOf(await node.get('masterchainInfo')));
    return known;
  };

  /** Highest block found so far; it is final, like everything that an index has. */
  let highest: number | null = null;
  const findHighest = async () => {
    const found = await nodes.poll(async (node) => ({ seqno: await lastSeqno(node), isBackup: node.isBackup }));
    // A backup is ahead of every index, which would then never be asked for a block.
    const lead = found.every(({ isBackup }) => isBackup) ? 0 : backupLead;
    highest = Math.max(...found.map(({ seqno, isBackup }) => (isBackup ? seqno - lead : seqno)));
    return highest;
  };

  /** Builds the header before the first block from the network's id alone, because indexes begin at any block. */
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
    isMainNetwork: async () => (await network()) === mainNetwork,
    head: async () =>
      (await headerAt(await findHighest())) ?? fail('NODE_ERROR', 'no index has the block that it reports as the last'),
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
    contract: jettons.contract,
    tokenUri: async () => '',
    describe: jettons.describe,
    tokens: jettons.find,
    hasTokenAccounts: true,
    close: () => nodes.close(),
  };
};
