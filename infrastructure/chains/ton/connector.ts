import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Chain, Header, Interest, Movement, TokenAccount, Touch } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { fail } from '../../../domain/failure.js';
import { createHeadRecord } from '../../nodes/impossible-head.js';
import { createPace } from '../../pace.js';
import { readBalances, type SeenAt } from './balances.js';
import type { Node } from './http-transport.js';
import { createIdentities, type Identities } from './jettons/jetton-identity.js';
import { createJettons } from './jettons/jettons.js';
import { createMasterBlocks, type MasterBlocks } from './master-blocks.js';
import { lastBlock, type MasterBlock, mainNetwork, networkOf } from './masterchain.js';
import { accountIn, readMovements, touchOf } from './movements.js';
import { createNodes, type NodeOptions, type Nodes } from './nodes.js';
import { readTransactions, type Transaction } from './transactions.js';

const defaults = { deadlineMs: 10_000, timeoutMs: 5000, maxBytes: 64 * 1024 * 1024 };
/**
 * Factor on the timeouts for whole blocks, because a block takes several pages and an index may throttle between them.
 */
const blockTimeoutFactor = 4;
/**
 * Number of masterchain blocks (about 15 seconds) by which an index may lag behind a backup before the backup is used.
 */
const backupLead = 32;
const accountsRemembered = 200_000;
/** Account states in which an account has no code to query. */
const codeless: readonly unknown[] = ['uninit', 'frozen', 'nonexist'];

/** Empty stream of notifications, because TON indexes do not push new blocks. */
const noHints: AsyncIterable<void> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/**
 * Creates a reader of the movements in blocks, which remembers the last transaction of each account of interest.
 */
const createReader = (identities: Identities) => {
  const seen = createBoundedCache<string, SeenAt>(accountsRemembered);
  const note = (account: string, { lt, end_status }: Transaction, { seqno }: MasterBlock) => {
    // A destroyed account has no state that could be outdated, so its last transaction is forgotten.
    if (end_status === 'nonexist') seen.delete(account);
    // Blocks are read concurrently, so the last transaction of a later block may already be stored.
    else if ((seen.get(account)?.lt ?? -1n) < BigInt(lt)) seen.set(account, { lt: BigInt(lt), seqno });
  };

  /**
   * Sorts the token imports that name an account into three lists. For `confirmed` imports, movements are read. For
   * `doubtful` imports, only the balance is read again. For `unverified` imports, which are also doubtful, the block
   * must be read again. All imports of an account that is not deployed or was destroyed are doubtful.
   */
  const tokensOf = (transaction: Transaction, interest: Interest) => {
    const account = accountIn(transaction);
    const claims = interest.tokenAccounts(account);
    const hasCode = !codeless.includes(transaction.end_status);
    const unverified = hasCode && identities.isUnverified(account) ? claims : [];
    return {
      confirmed: identities.remembered(account, claims),
      doubtful: hasCode ? unverified : claims,
      unverified,
    };
  };
  const claimedIn = (transactions: readonly Transaction[], interest: Interest) => {
    const active = transactions.filter(({ end_status }) => !codeless.includes(end_status));
    return new Set(active.map(accountIn).filter((account) => interest.tokenAccounts(account).length > 0));
  };

  const read = async (transactions: readonly Transaction[], master: MasterBlock, interest: Interest) => {
    const pace = createPace();
    const movements: Movement[] = [];
    const touches: Touch[] = [];
    const unverified = new Set<TokenAccount>();
    await identities.queryAll(claimedIn(transactions, interest));
    for (const transaction of transactions) {
      const tokens = tokensOf(transaction, interest);
      const found = readMovements(transaction, interest, tokens.confirmed);
      if (found.isOfInterest || tokens.unverified.length > 0) note(found.account, transaction, master);
      movements.push(...found.movements);
      touches.push(...found.touches, ...tokens.doubtful.map(touchOf));
      for (const claim of tokens.unverified) unverified.add(claim);
      if (pace.isDue()) await pace.breathe();
    }
    return { movements, touches, unverified: [...unverified] };
  };
  return { read, lastSeen: seen.get };
};

const readWhole = (nodes: Nodes, blocks: MasterBlocks, master: MasterBlock) => {
  const read = (node: Node) =>
    blocks.withList(node, master, async (whole) => ({
      transactions: await readTransactions(node, whole),
      bytes: node.bytes(),
    }));
  return nodes.use(read, { timeoutFactor: blockTimeoutFactor });
};

/**
 * Creates a function that finds the highest block of all indexes, and a function that returns the last result.
 */
const createHighestBlock = (nodes: Nodes) => {
  /** Highest block at the last query; null before the first query. Final, because an index has only final blocks. */
  let highest: number | null = null;
  const heads = createHeadRecord<Node['can'], Awaited<ReturnType<typeof lastBlock>> & { readonly isBackup: boolean }>();
  return {
    highest: () => highest,
    findHighest: async () => {
      const polled = await nodes.poll(async (node) =>
        heads.note(node.can, { ...(await lastBlock(node)), isBackup: node.isBackup }),
      );
      const found = heads.possible(polled);
      // Indexes lag behind a backup and do not have its newest block yet, so a backup's head counts as `backupLead`
      // lower.
      const lead = found.every(({ isBackup }) => isBackup) ? 0 : backupLead;
      highest = Math.max(...found.map(({ number, isBackup }) => (isBackup ? number - lead : number)));
      return highest;
    },
  };
};

/**
 * Connects to TON through indexes with toncenter's API v3, and through v2 servers while no index is available. A block
 * is a masterchain block with all shard blocks that it commits.
 */
export const tonChain = async (
  urls: readonly string[],
  log: Log,
  options: Partial<NodeOptions> = {},
): Promise<Chain> => {
  const nodes = createNodes(urls, log, { ...defaults, ...options });
  const blocks = createMasterBlocks(nodes);
  const identities = createIdentities(nodes);
  const jettons = createJettons(nodes, identities);
  const { read, lastSeen } = createReader(identities);

  /** Id of the network that the indexes serve; null until the first query. */
  let known: string | null = null;
  const network = async () => {
    known ??= await nodes.use(async (node) => networkOf(await node.get('masterchainInfo')));
    return known;
  };

  const { findHighest, highest } = createHighestBlock(nodes);

  /**
   * Builds the header with number 0 from the network id alone, because an index need not have the oldest blocks.
   */
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
      (await headerAt(await findHighest())) ??
      fail('NODE_ERROR', 'No TON index has the block that it reports as its last.'),
    finalized: async () => highest() ?? findHighest(),
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
      const { transactions, bytes } = await readWhole(nodes, blocks, master);
      return { ...header, ...(await read(transactions, master, interest)), bytes };
    },
    balances: async (holdings, { number }) => {
      const { ltOf } = blocks;
      return readBalances(nodes, jettons, lastSeen, holdings, { seqno: number, lt: await ltOf(number), ltOf });
    },
    contract: jettons.contract,
    tokenUri: async () => '',
    describe: jettons.describe,
    tokens: jettons.find,
    hasTokenAccounts: true,
    close: () => nodes.close(),
  };
};
