import { evmChain } from '../../infrastructure/chains/evm/connector.js';
import { openStores, startFollowing } from '../../tests/support/following/following.js';
import { silent } from '../../tests/support/silent.js';
import { type Figure, largest, median } from '../measure/figures.js';
import { watchStalls } from '../measure/stall.js';
import { until } from '../measure/until.js';
import { startNode } from './node-process.js';
import { createRecorder } from './recorder.js';
import { type Population, populate, sizeOf } from './stores.js';
import { maxStallMs } from './watching.js';

const population: Population = { organizations: 1, wallets: 1, addresses: 100_000, confirmation: 1 };
const touched = 1000;
const rounds = 5;
/** Interval between blocks, long enough for each block to be finished before the next one appears. */
const blockIntervalMs = 2000;
const maxMs = 1000;

/**
 * Returns, for each block, the time in ms from the appearance of the block until events about it were stored. `noted`
 * has the times of storage by height, in Unix ms.
 */
const delays = (startedAt: number, noted: ReadonlyMap<number, number>) =>
  Array.from(
    { length: rounds },
    (_, i) => (noted.get(i + 1) ?? Number.POSITIVE_INFINITY) - startedAt - (i + 1) * blockIntervalMs,
  );

const followed = async () => {
  const given = await openStores();
  await populate(given, population);
  const past = { past: 0, pastTransactions: 0, finalDepth: 64, watched: sizeOf(population) };
  const size = { transactions: touched, logs: 3, concerned: touched };
  const node = await startNode({
    ...size,
    ...past,
    chain: 1,
    blocks: rounds,
    blockIntervalMs,
    traces: true,
  });
  const chain = await evmChain([node.url], silent);
  const { stores, ...recorder } = createRecorder(given);
  const { app, stop } = startFollowing(stores, chain);
  await until(() => app.followers[0]?.status() !== null);
  const stalls = watchStalls();
  const startedAt = await node.start();
  await until(() => recorder.settledAt.size === rounds);
  await app.progress.reached(await given.events.head(), blockIntervalMs);
  const worst = largest(stalls.stop());
  await stop();
  await chain.close();
  node.close();
  await given.close();
  return { ...recorder, startedAt, worst };
};

export const largeWalletFigures = async function* (): AsyncIterable<Figure> {
  const { observedAt, settledAt, counts, startedAt, worst } = await followed();
  const [observed, settled] = [delays(startedAt, observedAt), delays(startedAt, settledAt)];
  const isAll = counts.observed === touched * rounds && counts.confirmed === counts.observed;
  if (!isAll || counts.balances !== counts.observed) throw new Error(`Events are missing: ${JSON.stringify(counts)}`);
  yield {
    what: `block touching ${touched} of one wallet's ${sizeOf(population).toLocaleString('en')} addresses: to recorded`,
    measured: median(observed),
    unit: 'ms',
  };
  yield { what: '  to settled, with balances', measured: median(settled), unit: 'ms', atMost: maxMs };
  yield { what: '  appends a block', measured: counts.appends / rounds, unit: 'appends', atMost: 2 };
  yield { what: '  stall, worst', measured: worst, unit: 'ms', atMost: maxStallMs };
};
