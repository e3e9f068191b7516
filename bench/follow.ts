import { openStores } from '../tests/support/following/following.js';
import { checkpointFigures } from './follow/checkpoints.js';
import { longAddress } from './follow/generated.js';
import { largeWalletFigures } from './follow/large-wallet.js';
import { liveFigures } from './follow/live.js';
import { matchingFigures } from './follow/matching.js';
import type { ChainPlan } from './follow/node.js';
import { type Population, populate, sizeOf } from './follow/stores.js';
import { loadFigures, setFigures } from './follow/watching.js';
import type { Bench } from './measure/figures.js';

const few: Population = { organizations: 100, wallets: 1000, addresses: 10, confirmation: 10 };
const many: Population = { organizations: 1000, wallets: 1000, addresses: 1, confirmation: 10 };

const seconds = 20;
const busy: ChainPlan = {
  chain: Date.now() % 100_000,
  past: 64,
  pastTransactions: 4,
  blocks: seconds * 5,
  transactions: 400,
  logs: 3,
  concerned: 4,
  watched: sizeOf(few),
  blockIntervalMs: 200,
  finalDepth: 64,
  traces: true,
};
/** Chain with late finality, as on rollups: 15 minutes of blocks that a reorg may still replace. */
const lateFinality: ChainPlan = { ...busy, chain: busy.chain + 1, past: 4500, finalDepth: 4500 };

/** Measures the watch list, the matching of blocks with it, and following a busy chain. */
export const follow: Bench = async function* () {
  yield* setFigures(few);
  yield* setFigures(many);
  yield* setFigures(few, longAddress);
  yield* setFigures(many, longAddress);
  yield* matchingFigures(few);
  yield* checkpointFigures(few);
  const stores = await openStores();
  await populate(stores, few);
  yield* loadFigures(stores, few);
  yield* liveFigures(stores, '5 blocks/s of 400 transactions', busy);
  yield* liveFigures(stores, 'the same, final after 4,500 blocks', lateFinality);
  await stores.close();
  yield* largeWalletFigures();
};
