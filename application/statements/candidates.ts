import type { Asset } from '../../domain/asset.js';
import { canReorg } from '../../domain/variant.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import { type DropDocument, drops, readings } from '../../projections/statements/readings.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { CutOff } from './cut-off.js';
import { documentsBy } from './documents-by.js';

export type Holder = { readonly walletId: string; readonly address: string };

/** Balance that a node returned for a block. */
export type Candidate = {
  readonly number: number;
  readonly position: number;
  readonly balance: bigint;
  /**
   * True if the reading is always valid. A reading that is not certain is invalid if a change in its block, or in a
   * lower block, was recorded after the reading.
   */
  readonly isCertain: boolean;
};

/**
 * Yields the readings of an asset (balances read from a node): readings at or before a cut-off, newest first, or
 * readings after the cut-off, oldest first.
 */
export type Candidates = (asset: Asset, direction: 'before' | 'after') => AsyncGenerator<Candidate>;

type Ports = { readonly readModels: ReadModels; readonly chains: Pick<Chains, 'familyOf'> };

/** Maximum depth of a reorg in blocks: a follower keeps no more headers. */
const maxReplaced = 8192;
const readAtOnce = 5;

/**
 * Creates a function that reads the replaced blocks of a wallet, newest first and only as far as needed. Each block is
 * read once.
 */
const createReplacedBlocks = (readModels: ReadModels, context: Context, walletId: string, chain: string) => {
  const unread = documentsBy(readModels, context, drops, { index: 'byWallet', equal: [walletId, chain] });
  const known: DropDocument[] = [];
  let isComplete = false;
  return async (lowest: number): Promise<readonly DropDocument[]> => {
    while (!isComplete && (known.at(-1)?.block_number ?? lowest) >= lowest) {
      const next = await unread.next();
      if (next.done) isComplete = true;
      else known.push(next.value);
    }
    return known;
  };
};

/**
 * Creates a function that finds the readings of one address. Readings of blocks that were replaced after the reading
 * was stored are left out.
 */
export const createCandidates =
  ({ readModels, chains }: Ports) =>
  (context: Context, { walletId, address }: Holder, at: CutOff): Candidates => {
    const chain = at.chain ?? '';
    const replacedBlocks = createReplacedBlocks(readModels, context, walletId, chain);
    const isReplaced = async (number: number, position: number) => {
      const lowest = number - maxReplaced;
      return (await replacedBlocks(lowest)).some(
        (drop) => drop.block_number <= number && drop.block_number > lowest && drop.position > position,
      );
    };
    const isFinal = !canReorg(chains.familyOf(context.variant));
    return async function* (asset, direction) {
      const id = assetDocumentId(walletId, address, asset);
      const bounds = { after: [at.number + 1, ''] as const, oldestFirst: direction === 'after' };
      const query = { index: 'byHolding', equal: [id, chain], limit: readAtOnce, ...bounds };
      const newest = await readModels.get(assets, { scope: scopeFor(context), id });
      for await (const { block_number: number, position, balance } of documentsBy(
        readModels,
        context,
        readings,
        query,
      )) {
        // The reading that ListAssets shows is always valid: replaced blocks without a change of this asset leave it
        // valid.
        const isCertain = isFinal || position === newest?.read_position;
        if (isCertain || !(await isReplaced(number, position)))
          yield { number, position, balance: BigInt(balance), isCertain };
      }
    };
  };
