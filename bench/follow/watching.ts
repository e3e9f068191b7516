import { createWatchIndex } from '../../application/watch-list/watch-index.js';
import { createWatchList } from '../../application/watch-list/watch-list.js';
import { followedVariant } from '../../tests/support/following/following.js';
import { testSystem } from '../../tests/support/silent.js';
import { type Figure, largest, megabytes } from '../measure/figures.js';
import { ownNow } from '../measure/own-time.js';
import { watchStalls } from '../measure/stall.js';
import { usedBytes } from '../memory.js';
import { tokenContract, watchedAddress } from './generated.js';
import { holderOf, type Population, type Stores, sizeOf } from './stores.js';

const maxMegabytes = 150;
export const maxStallMs = 20;

export const watchedBy = (population: Population, addressOf = watchedAddress) => {
  const watched = createWatchIndex(followedVariant.tag, 12_345);
  for (let index = 0; index < sizeOf(population); index++) {
    const holder = holderOf(population, index);
    if (index % population.addresses === 0) watched.confirm(holder, population.confirmation);
    watched.hold(holder, addressOf(index));
  }
  for (let organization = 0; organization < population.organizations; organization++) {
    const { organizationId } = holderOf(population, (organization * sizeOf(population)) / population.organizations);
    watched.follow(organizationId, tokenContract(0), 'erc20');
  }
  return watched;
};

const described = (population: Population) =>
  `${sizeOf(population).toLocaleString('en')} addresses of ${(population.organizations * population.wallets).toLocaleString('en')} wallets`;

export const setFigures = function* (population: Population, addressOf = watchedAddress): Iterable<Figure> {
  const before = usedBytes();
  const startedAt = ownNow();
  const watched = watchedBy(population, addressOf);
  const ms = ownNow() - startedAt;
  yield {
    what: `set of ${described(population)}, ${(addressOf(0).length - 2) / 2} bytes each`,
    measured: megabytes(usedBytes() - before),
    unit: 'MB',
    atMost: maxMegabytes,
  };
  yield { what: `  built in memory`, measured: ms, unit: 'ms' };
  // The watch list is used here, so that it is not garbage-collected before its memory is measured.
  if (!watched.isHeld(addressOf(0))) throw new Error('The watch list lacks an address that was added');
};

/** Measures the loading of the watch list when a follower starts. */
export const loadFigures = async function* (stores: Stores, population: Population): AsyncIterable<Figure> {
  const list = createWatchList({ ...stores, system: testSystem }, followedVariant.tag);
  const head = await stores.events.head();
  const stalls = watchStalls();
  const startedAt = ownNow();
  await list.load(head, 0);
  const ms = ownNow() - startedAt;
  const worst = largest(stalls.stop());
  if (!list.interest.address(watchedAddress(sizeOf(population) - 1))) throw new Error('The watch list is incomplete');
  yield { what: `load of the watch list, ${described(population)}`, measured: ms / 1000, unit: 's' };
  yield { what: '  stall, worst', measured: worst, unit: 'ms', atMost: maxStallMs };
};
