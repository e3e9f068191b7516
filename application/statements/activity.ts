import { fail } from '../../domain/failure.js';
import type { Collection } from '../../projections/define.js';
import { dropId, drops } from '../../projections/statements/readings.js';
import { type TouchDocument, touches } from '../../projections/statements/touches.js';
import { sortableTime, type TransferDocument, transfers } from '../../projections/transfers.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { CutOff } from './cut-off.js';

/** Transfers and other changes of a wallet, or of one of its addresses, in one block. */
export type ActivityBlock = {
  readonly number: number;
  readonly hash: string;
  readonly time: number;
  readonly transfers: TransferDocument[];
  readonly touches: TouchDocument[];
};

/**
 * Blocks to scan: from the cut-off back to the first block, or from the block after the cut-off to the newest block.
 */
export type Scan = {
  readonly walletId: string;
  /** Address to scan; all addresses of the wallet if absent. */
  readonly address?: string | undefined;
  readonly from: CutOff;
  readonly direction: 'back' | 'forward';
};

export type Activity = (context: Context, scan: Scan) => AsyncGenerator<ActivityBlock>;

type Ports = { readonly readModels: ReadModels; readonly system: Pick<System, 'breathe'> };
type Place = Pick<TouchDocument, 'moment' | 'wallet_id' | 'block_number' | 'block_hash' | 'block_time' | 'chain'>;
type Source<Doc> = {
  /** Returns true if all documents of the last page were taken and another page may follow. */
  isDue(): boolean;
  /** Reads pages until there is a document to take, or no more pages. */
  fill(): Promise<void>;
  peek(): Doc | undefined;
  take(): Doc;
};

const pageSize = 500;

const createSource = <Doc extends Place>(
  { readModels, system }: Ports,
  context: Context,
  scan: Scan,
  of: {
    readonly collection: Collection<Doc>;
    readonly index: string;
    readonly equal: string;
    readonly keep: (documents: readonly Doc[]) => Promise<readonly Doc[]>;
  },
): Source<Doc> => {
  let [documents, place]: [readonly Doc[], number] = [[], 0];
  let after: PageKey | null = [sortableTime(scan.from.time + 1), ''];
  const isOwn = ({ wallet_id, chain }: Doc) => wallet_id === scan.walletId && chain === scan.from.chain;
  const read = async (from: PageKey) => {
    const { collection, index, equal } = of;
    const oldestFirst = scan.direction === 'forward';
    const query = { index, equal: [equal], limit: pageSize, after: from, oldestFirst };
    const page = await readModels.page(collection, scopeFor(context), query);
    context.touch?.(page.documents.length);
    documents = await of.keep(page.documents.filter(isOwn));
    place = 0;
    after = page.next;
  };
  const isDue = () => place === documents.length && after !== null;
  return {
    isDue,
    fill: async () => {
      while (place === documents.length && after) {
        if (context.isCancelled?.()) fail('UNAVAILABLE', 'The request was canceled before the answer was ready.');
        await read(after);
        if (after) await system.breathe();
      }
    },
    peek: () => documents[place],
    take: () => documents[place++] as Doc,
  };
};

const isSame = (a: TransferDocument | undefined, b: TransferDocument) =>
  a?.moment === b.moment && a.transaction === b.transaction && a.transfer.index === b.transfer.index;

type Document = TransferDocument | TouchDocument;

/** Opens the lists of transfers and of other changes that a scan merges. */
const openSources = (ports: Ports, context: Context, scan: Scan): readonly Source<Document>[] => {
  const { walletId, address } = scan;
  const standing = async (found: readonly TouchDocument[]) => {
    const keys = found.map(({ block_hash }) => ({ scope: scopeFor(context), id: dropId(walletId, block_hash) }));
    const dropped = keys.length > 0 ? await ports.readModels.getMany(drops, keys) : [];
    return found.filter(({ position }, i) => (dropped[i]?.position ?? -1) < position);
  };
  const moved = async (found: readonly TransferDocument[]) => found.filter(({ state }) => state !== 'REMOVED');
  const transfersBy = (index: string, equal: string) =>
    createSource(ports, context, scan, { collection: transfers, index, equal, keep: moved });
  const touchesBy = (index: string, equal: string) =>
    createSource(ports, context, scan, { collection: touches, index, equal, keep: standing });
  return address === undefined
    ? [transfersBy('byWallet', walletId), touchesBy('byWallet', walletId)]
    : [transfersBy('byFrom', address), transfersBy('byTo', address), touchesBy('byAddress', address)];
};

/** Takes the next document of all sources in the direction of the scan; undefined at the end. */
const takeNext = (sources: readonly Source<Document>[], direction: Scan['direction']) => {
  let next: Source<Document> | undefined;
  let best = '';
  for (const source of sources) {
    const moment = source.peek()?.moment;
    if (moment === undefined || (next && (direction === 'back' ? moment <= best : moment >= best))) continue;
    [next, best] = [source, moment];
  }
  return next?.take();
};

const emptyBlock = ({ block_number: number, block_hash: hash, block_time: time }: Place): ActivityBlock => ({
  number,
  hash,
  time,
  transfers: [],
  touches: [],
});
const addTo = (block: ActivityBlock, document: Document) => {
  if (!('transfer' in document)) block.touches.push(document);
  else if (!isSame(block.transfers.at(-1), document)) block.transfers.push(document);
};

/**
 * Adds a document to the last block if the document belongs to that block, otherwise to a new block. Returns the block
 * of the document, or undefined if there is no document.
 */
const blockWith = (last: ActivityBlock | undefined, document: Document | undefined) => {
  if (!document) return undefined;
  const block = last?.hash === document.block_hash ? last : emptyBlock(document);
  addTo(block, document);
  return block;
};
const isAnyDue = (sources: readonly Source<Document>[]) => sources.some((source) => source.isDue());
const fillAll = async (sources: readonly Source<Document>[]) => {
  for (const source of sources) await source.fill();
};

/**
 * Creates a function that yields the blocks with activity in the direction of the scan, without removed transfers and
 * replaced blocks.
 */
export const createActivity = (ports: Ports): Activity =>
  async function* (context, scan) {
    const sources = openSources(ports, context, scan);
    let block: ActivityBlock | undefined;
    for (;;) {
      // Skip the wait if no source is due: a wait for each document would take longer than reading the document.
      if (isAnyDue(sources)) await fillAll(sources);
      const document = takeNext(sources, scan.direction);
      const last: ActivityBlock | undefined = block;
      block = blockWith(last, document);
      if (last && last !== block) yield last;
      if (!block) return;
    }
  };
