import { entriesOf } from '../../application/following/block-entries.js';
import type { WatchList } from '../../application/watch-list/watch-list.js';
import { blockOf } from '../../infrastructure/chains/evm/block.js';
import { checkBody, checkReceipts } from '../../infrastructure/chains/evm/checked-block.js';
import { evmChain } from '../../infrastructure/chains/evm/connector.js';
import { createPace } from '../../infrastructure/pace.js';
import { silent } from '../../tests/support/silent.js';
import { startCompiled } from '../measure/compiled.js';
import { type Figure, largest, median } from '../measure/figures.js';
import { ownNow } from '../measure/own-time.js';
import { watchStalls } from '../measure/stall.js';
import { answersAbout, blockHash, envelopeOf } from './answers.js';
import { startNode } from './node-process.js';
import { type Population, sizeOf } from './stores.js';
import { maxStallMs, watchedBy } from './watching.js';

const size = { transactions: 2000, logs: 3, concerned: 20 };
const rounds = 15;

type Watched = ReturnType<typeof watchedBy>;
type Texts = { readonly hash: string; readonly block: string; readonly receipts: string };

const textsOf = (watched: number): Texts => {
  const concerned = Array.from({ length: size.concerned }, (_, i) => (i * 104_729) % watched);
  const plan = { ...size, chain: 1, number: 1, concerned };
  const { block, receipts } = answersAbout(plan);
  return { hash: blockHash(plan), block: envelopeOf(block), receipts: envelopeOf(receipts) };
};
const parsed = ({ block, receipts }: Texts) => ({
  block: (JSON.parse(block) as { result: unknown }).result,
  receipts: (JSON.parse(receipts) as { result: unknown[] }).result,
});
const interestOf = (watched: Watched) => ({
  address: watched.isHeld,
  contract: watched.isFollowed,
  tokenAccounts: watched.tokenAccounts,
});

const matched = async (texts: Texts, watched: Watched) => {
  const pace = createPace();
  const { block, receipts } = parsed(texts);
  const checked = await checkReceipts(await checkBody(block, texts.hash, pace), receipts, pace);
  return entriesOf(await blockOf(checked, [], interestOf(watched), pace), watched as unknown as WatchList);
};

const timed = async (work: () => unknown) => {
  const startedAt = ownNow();
  await work();
  return ownNow() - startedAt;
};

/** Measures parsing and matching in turn, so that other load on the machine affects both equally. */
export const compareMatching = async (population: Population) => {
  const watched = watchedBy(population);
  const texts = textsOf(sizeOf(population));
  const touched = (await matched(texts, watched)).length;
  if (touched !== size.concerned) throw new Error(`expected ${size.concerned} wallets, found ${touched}`);
  const [parsing, matching]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    parsing.push(await timed(() => parsed(texts)));
    matching.push(await timed(() => matched(texts, watched)));
  }
  return { parsing: median(parsing), matching: median(matching) };
};

/**
 * Measures the time to read the block of `compareMatching` from a node through the connector, as a follower reads it.
 */
const fetched = async (watched: Watched, population: Population) => {
  const past = { past: 0, pastTransactions: 0, blockIntervalMs: 1, finalDepth: 64, watched: sizeOf(population) };
  const node = await startNode({ ...size, ...past, chain: 1, blocks: 1, traces: false });
  const chain = await evmChain([node.url], silent);
  await node.start();
  const times: number[] = [];
  const worst: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const stalls = watchStalls();
    times.push(await timed(() => chain.block(blockHash({ chain: 1, number: 1 }), interestOf(watched))));
    worst.push(largest(stalls.stop()));
  }
  await chain.close();
  node.close();
  return { times, worst };
};

export const matchingFigures = async function* (population: Population): AsyncIterable<Figure> {
  const compared = await startCompiled(new URL('./matched.ts', import.meta.url), [JSON.stringify(population)]);
  const ceiling = { what: 'JSON.parse', value: await compared.rateOf('parsing')() };
  const measured = await compared.rateOf('matching')();
  compared.close();
  const what = `block of ${size.transactions} transactions, ${size.logs} logs each`;
  yield { what: `${what}: parsed, checked, matched`, measured, unit: 'ms', ceiling, atMost: 2 };
  const { times, worst } = await fetched(watchedBy(population), population);
  yield { what: '  over HTTP from a node', measured: median(times), unit: 'ms', ceiling };
  yield { what: '  stall, median of rounds', measured: median(worst), unit: 'ms', atMost: maxStallMs };
  yield { what: '  stall, worst of rounds', measured: largest(worst), unit: 'ms', atMost: maxStallMs };
};
