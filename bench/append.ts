import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { embedded } from '../tests/support/engines/engines.js';
import { freshDirectory } from '../tests/support/run/directories.js';
import { clientOf, startService } from '../tests/support/service/service.js';
import type { AppendRequest } from './append/peer.js';
import { bareDatabase, data, write } from './append/rows.js';
import { startCompiled } from './measure/compiled.js';
import type { Bench, Figure } from './measure/figures.js';
import { hasPeer, startProgram } from './measure/peers.js';
import { inTurn, perSecond } from './measure/rounds.js';

const alone = { count: 150, atOnce: 1 };
const inHundreds = { count: 5000, atOnce: 100 };
const inMemory = { count: 1000, atOnce: 1 };
const addresses = 1000;
const batches = 5;

/** Starts another event store in a separate process; null when it is not installed. */
const startPeer = (name: string, needs: string) =>
  hasPeer(needs)
    ? startProgram(new URL('./append/peer.ts', import.meta.url), [name, join(freshDirectory(), 'peer.db')])
    : null;
const rateOf = (peer: Awaited<ReturnType<typeof startPeer>>, request: Omit<AppendRequest, 'data'>) => {
  if (!peer) return null;
  const ended = once(peer.child, 'exit').then(() => [Number.NaN]);
  return async () => {
    peer.child.send({ ...request, data: data() } satisfies AppendRequest);
    return ((await Promise.race([once(peer.child, 'message'), ended])) as [number])[0];
  };
};

const appendFigures = async function* (): AsyncIterable<Figure> {
  const stores = await startCompiled(new URL('./append/appending.ts', import.meta.url), [freshDirectory()]);
  const emmett = await startPeer('emmett', '@event-driven-io/emmett-sqlite');
  const castore = await startPeer('castore', '@castore/event-storage-adapter-in-memory');
  const eventstore = await startPeer('eventstore', 'eventstore');
  const found = await inTurn({
    sqlite: stores.rateOf('sqlite'),
    ours: stores.rateOf('ours'),
    emmettAlone: rateOf(emmett, alone),
    emmettInHundreds: rateOf(emmett, inHundreds),
    castore: rateOf(castore, inMemory),
    eventstore: rateOf(eventstore, inMemory),
  });
  const { value: measured, spread } = found.ours;
  const figure = { what: 'append of one event, 64 callers, on disk before the answer', measured, unit: '/s', spread };
  yield { ...figure, ceiling: { what: 'SQLite, commits of 64 rows', ...found.sqlite }, atLeast: 0.7 };
  if (emmett) {
    yield { ...figure, ceiling: { what: 'emmett, one at a time', ...found.emmettAlone }, atLeast: 24 };
    yield { ...figure, ceiling: { what: 'emmett, in hundreds', ...found.emmettInHundreds }, atLeast: 2 };
  }
  if (castore) yield { ...figure, ceiling: { what: 'castore in memory, nothing on disk', ...found.castore } };
  if (eventstore) yield { ...figure, ceiling: { what: 'eventstore in memory, nothing on disk', ...found.eventstore } };
  for (const one of [stores, emmett, castore, eventstore]) one?.close();
};

const batchFigures = async function* (): AsyncIterable<Figure> {
  const service = await startService({ on: embedded });
  const api = clientOf(service).c;
  const { wallet_id } = await api.registerWallet({ name: 'measured' });
  const bare = bareDatabase(join(freshDirectory(), 'bare.db'));
  const some = () => Array.from({ length: addresses }, () => `0x${randomBytes(20).toString('hex')}`);
  const found = await inTurn({
    sqlite: () =>
      perSecond(batches, async () => {
        for (let n = 0; n < batches; n++) bare.commit(Array.from({ length: addresses }, write), true);
      }),
    ours: () =>
      perSecond(batches, async () => {
        for (let n = 0; n < batches; n++) await api.batchRegisterAddresses({ wallet_id, addresses: some() });
      }),
  });
  yield {
    what: 'BatchRegisterAddresses of 1000, answered with the read models up to date',
    measured: found.ours.value,
    unit: 'batches/s',
    spread: found.ours.spread,
    ceiling: { what: 'one SQLite transaction of 1000 events and documents', ...found.sqlite },
    atLeast: 0.5,
  };
  bare.close();
  await service.stop();
};

/** Compares appends and batches with plain SQLite and with other event stores. */
export const append: Bench = async function* () {
  yield* appendFigures();
  yield* batchFigures();
};
