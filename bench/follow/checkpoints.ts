import { SuiGrpcClient } from '@mysten/sui/grpc';
import { entriesOf } from '../../application/following/block-entries.js';
import type { WatchList } from '../../application/watch-list/watch-list.js';
import { createSuiLedger } from '../../infrastructure/chains/development/sui/ledger.js';
import { blockOf } from '../../infrastructure/chains/sui/block.js';
import { nativeCoinType } from '../../infrastructure/chains/sui/coin-type.js';
import type { Checkpoint } from '../../infrastructure/chains/sui/wire.js';
import { type Figure, median } from '../measure/figures.js';
import { ownNow } from '../measure/own-time.js';
import { hashOf, longAddress } from './generated.js';
import { type Population, sizeOf } from './stores.js';
import { watchedBy } from './watching.js';

const size = { transactions: 2000, concerned: 20 };
const rounds = 15;

const client = new SuiGrpcClient({ network: 'localnet', baseUrl: 'http://localhost' });
const message = client.ledgerService.methods
  .filter(({ name }) => name === 'GetCheckpoint')
  .map(({ O }) => O)[0] as (typeof client.ledgerService.methods)[number]['O'];

/** Builds a Sui checkpoint and encodes it as a node does. */
const bytesOf = (watched: number): Uint8Array => {
  const ledger = createSuiLedger(Date.now);
  for (let i = 0; i < size.transactions; i++) {
    const sender = hashOf('sender', 1, i);
    const isConcerned = i % (size.transactions / size.concerned) === 0;
    const to = isConcerned ? longAddress((i * 104_729) % watched) : hashOf('receiver', 1, i);
    const changes = [
      { address: sender, coinType: nativeCoinType, amount: -5n },
      { address: to, coinType: nativeCoinType, amount: 5n },
    ];
    ledger.execute({ sender, changes });
  }
  return message.toBinary({ checkpoint: ledger.makeCheckpoint() });
};
const parsed = (bytes: Uint8Array) => (message.fromBinary(bytes) as { checkpoint: Checkpoint }).checkpoint;

/** Compares the time to parse a checkpoint with the time to parse it, check it and match it with the watch list. */
export const checkpointFigures = async function* (population: Population): AsyncIterable<Figure> {
  const watched = watchedBy(population, longAddress);
  const interest = { address: watched.isHeld, contract: watched.isFollowed, tokenAccounts: watched.tokenAccounts };
  const bytes = bytesOf(sizeOf(population));
  const [parsing, matching]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const startedAt = ownNow();
    parsed(bytes);
    const between = ownNow();
    const entries = entriesOf(await blockOf(parsed(bytes), interest), watched as unknown as WatchList);
    if (entries.length !== size.concerned)
      throw new Error(`expected ${size.concerned} wallets, found ${entries.length}`);
    parsing.push(between - startedAt);
    matching.push(ownNow() - between);
  }
  yield {
    what: `checkpoint of ${size.transactions} transactions: parsed, checked, matched`,
    measured: median(matching),
    unit: 'ms',
    ceiling: { what: 'parsing it', value: median(parsing) },
    atMost: 2,
  };
};
