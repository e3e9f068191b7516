import { randomBytes } from 'node:crypto';
import { aggregates } from '../../../domain/aggregates.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { stateVault } from '../../../infrastructure/keys/vault.js';
import { mongoPending } from '../../../infrastructure/mongodb/pending.js';
import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../../infrastructure/mongodb/state.js';
import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import { projections } from '../../../projections/index.js';
import { noRedis, redisDatabase } from '../engines/redis.js';
import { startEventStoreDouble } from '../eventstoredb-double/server.js';
import { startMongoDouble } from '../mongodb-double/server.js';
import { report } from '../run/report.js';
import { byTier, isFull } from '../run/tier.js';
import { silent } from '../silent.js';
import { openStores } from './following.js';

/** Opens stores on doubles of EventStoreDB and MongoDB, except the limiter and the job queue, which use SQLite. */
const openServices: typeof openStores = async () => {
  const [stores, eventStore, mongo] = await Promise.all([openStores(), startEventStoreDouble(), startMongoDouble()]);
  const name = randomBytes(6).toString('hex');
  const url = mongo.url.replace(/^(mongodb:\/\/[^/]+)\/?[^?]*/, `$1/${name}`);
  const events = await eventStoreDb(eventStore.url, aggregates);
  const readModels = await mongoReadModels(url, projections);
  const [state, pending] = [await mongoState(url), await mongoPending(url)];
  const vault = stateVault(state, givenKeyRing(new Uint8Array(32), undefined));
  const close = async () => {
    await Promise.all([events, readModels, state, pending, stores].map((one) => one.close()));
    await Promise.all([eventStore.close(), mongo.close()]);
  };
  return { ...stores, events, readModels, state, pending, vault, close };
};

/** Opens stores on EventStoreDB and MongoDB, with a limiter on Redis if Redis is available. */
const openServicesWithRedis: typeof openStores = async () => {
  const stores = await openServices();
  if (noRedis !== null) return stores;
  const { url, namespace, end } = await redisDatabase();
  const limiter = await redisLimiter(url, silent, namespace);
  const close = async () => {
    await Promise.all([limiter.close(), stores.close()]);
    await end();
  };
  return { ...stores, limiter, close };
};

if (!isFull)
  report('left to npm run test:full: fairness, following, fan-out and refreshes on EventStoreDB and MongoDB');

/**
 * Kinds of stores for an application. Tests use EventStoreDB and MongoDB only in the full tier, because their doubles
 * are slow.
 */
export const storeKinds = byTier(
  [{ name: 'embedded stores', isEmbedded: true, open: openStores }],
  [{ name: 'EventStoreDB, MongoDB and Redis', isEmbedded: false, open: openServicesWithRedis }],
);
