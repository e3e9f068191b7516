import { fail } from '../../../domain/failure.js';
import { chainIdOf, type Node, type Nodes } from './nodes.js';

type Work<T> = (node: Node) => Promise<T | null>;
type Terms = Parameters<Nodes['find']>[1];

const lowestOf = async (node: Node): Promise<number> => {
  const { response } = await node.ask((client, options) => client.ledgerService.getServiceInfo({}, options));
  return Number(response.lowestAvailableCheckpoint ?? 0n);
};

/** Rejects an archive of another chain, whose checkpoints would look like a reorganization. */
const checkArchive = async (nodes: Nodes, archive: Nodes) => {
  const [followed, archived] = await Promise.all([nodes.use(chainIdOf), archive.use(chainIdOf)]);
  if (followed !== archived)
    fail('NODE_ERROR', 'The archive (CHAIN_…_ARCHIVE_URL) serves another chain than the nodes.');
};

/**
 * Creates a reader of checkpoints. It reads from the nodes, or from the archive if every node has pruned the
 * checkpoint.
 */
export const createHistory = (nodes: Nodes, archive: Nodes | null) => {
  /** Number of the lowest checkpoint that any node has. All nodes have pruned the lower ones. */
  let lowest = 0;
  let isChecked = false;
  const findArchived = async <T>(work: Work<T>, terms: Terms): Promise<T | null> => {
    if (!archive) return null;
    if (!isChecked) await checkArchive(nodes, archive);
    isChecked = true;
    return archive.find(work, terms);
  };
  const findOld = async <T>(number: number, work: Work<T>, terms: Terms) => {
    const found = await findArchived(work, terms);
    if (found !== null) return found;
    const pruned = `Checkpoint ${number} was pruned; the lowest available one is ${lowest}.`;
    const advice = archive
      ? 'The archive does not have it.'
      : 'Set CHAIN_…_ARCHIVE_URL to a node with older checkpoints.';
    return fail('NODE_ERROR', `${pruned} ${advice}`);
  };
  return {
    /** Finds a checkpoint by number; null if the chain does not have it yet. */
    at: async <T>(number: number, work: Work<T>, terms?: Terms): Promise<T | null> => {
      if (number < lowest && archive) return findOld(number, work, terms);
      const found = await nodes.find(work, terms);
      if (found !== null) return found;
      lowest = Math.min(...(await nodes.poll(lowestOf)));
      return number < lowest ? findOld(number, work, terms) : null;
    },
    /** Finds a checkpoint by digest; null if no node or archive has it. */
    of: async <T>(work: Work<T>, terms?: Terms): Promise<T | null> =>
      (await nodes.find(work, terms)) ?? (await findArchived(work, terms)),
  };
};
export type History = ReturnType<typeof createHistory>;
