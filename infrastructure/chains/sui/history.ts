import { fail } from '../../../domain/failure.js';
import { chainIdOf, type Node, type Nodes } from './nodes.js';

type Work<T> = (node: Node) => Promise<T | null>;
type Terms = Parameters<Nodes['find']>[1];

const lowestOf = async (node: Node): Promise<number> => {
  const { response } = await node.ask((client, options) => client.ledgerService.getServiceInfo({}, options));
  return Number(response.lowestAvailableCheckpoint ?? 0n);
};

/** Refuses an archive of another chain, whose checkpoints would look like a replacement of the followed ones. */
const checkArchive = async (nodes: Nodes, archive: Nodes) => {
  const [followed, archived] = await Promise.all([nodes.use(chainIdOf), archive.use(chainIdOf)]);
  if (followed !== archived) fail('NODE_ERROR', 'the archive serves another chain than the nodes');
};

/** Asks the nodes for checkpoints, and an archive for those that every node has pruned. */
export const createHistory = (nodes: Nodes, archive: Nodes | null) => {
  /** Checkpoints below this one are pruned, and stay so. */
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
    const pruned = `checkpoint ${number} was pruned: the lowest one at hand is ${lowest}`;
    const advice = archive ? 'the archive does not have it' : 'set CHAIN_…_ARCHIVE_URL to a node that has older ones';
    return fail('NODE_ERROR', `${pruned}; ${advice}`);
  };
  return {
    /** Finds a checkpoint by number; null where the chain is shorter. */
    at: async <T>(number: number, work: Work<T>, terms?: Terms): Promise<T | null> => {
      if (number < lowest && archive) return findOld(number, work, terms);
      const found = await nodes.find(work, terms);
      if (found !== null) return found;
      lowest = Math.min(...(await nodes.poll(lowestOf)));
      return number < lowest ? findOld(number, work, terms) : null;
    },
    /** Finds a checkpoint by digest; null where nobody has it. */
    of: async <T>(work: Work<T>, terms?: Terms): Promise<T | null> =>
      (await nodes.find(work, terms)) ?? (await findArchived(work, terms)),
  };
};
export type History = ReturnType<typeof createHistory>;
