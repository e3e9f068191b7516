import { join } from 'node:path';
import { writeFile } from '../application/audit-file.js';
import { beginning } from '../application/ports/event-store.js';
import { createNotary } from '../infrastructure/notary.js';
import { openDatabase } from '../infrastructure/sqlite/database.js';
import { embedded, type Home } from '../tests/support/engines.js';
import { call } from '../tests/support/http.js';
import { clientOf, demoOf, startService } from '../tests/support/service.js';
import { testSystem } from '../tests/support/silent.js';
import { type Bench, type Figure, largest, median, megabytes } from './figures.js';
import { type Wallet, writePast } from './history/dataset.js';
import { load } from './operations/load.js';
import { mostStallMs, startProbed } from './probed-service.js';
import { inTurn, type Measured, perSecond } from './rounds.js';
import { until } from './until.js';

/** As DESIGN has it; less where there is no time, which the figures then say. */
const size = Number(process.env.BENCH_SIZE ?? 1_000_000);
const sizes = [size, size / 10, size / 100, size / 1000];
const pages = 300;
const named = (count: number) => count.toLocaleString('en');

const open = async () => {
  const service = await startService({ on: embedded });
  const api = clientOf(service).c;
  const wallets: Wallet[] = [];
  for (const [i, transfers] of sizes.entries()) {
    const address = `0x${String(i + 1).repeat(40)}`;
    const { wallet_id } = await api.registerWallet({ name: 'measured', address });
    wallets.push({ walletId: wallet_id, address, transfers });
  }
  await service.stop();
  const { home } = service;
  await writePast(home, demoOf(home).organizationId, wallets);
  return { home, wallets };
};

const pageFigures = async function* (home: Home, wallets: readonly Wallet[]): AsyncIterable<Figure> {
  const service = await startService({ on: home });
  const pageOf =
    ({ walletId }: Wallet) =>
    async () => {
      const operation = {
        url: service.url,
        path: '/v1/c/ListTransfers',
        credentials: demoOf(home),
        body: () => `{"wallet_id":"${walletId}","page_size":100}`,
      };
      return median((await load(operation, pages, 1)).times);
    };
  const found = await inTurn(Object.fromEntries(wallets.map((wallet) => [String(wallet.transfers), pageOf(wallet)])));
  const little = found[String(size / 100)] as Measured;
  for (const { transfers } of wallets.toReversed()) {
    const { value: measured, spread } = found[String(transfers)] as Measured;
    yield {
      what: `ListTransfers, page of 100 of ${named(transfers)}, p50`,
      measured,
      unit: 'ms',
      spread,
      plotted: { series: 'ListTransfers, a page of 100', points: [{ size: transfers, cost: measured }] },
      ...(transfers === size && { ceiling: { what: `of ${named(size / 100)}`, ...little }, atMost: 1.5 }),
    };
  }
  await service.stop();
};

const rawRead = (home: Home, organizationId: string) => async () => {
  const db = openDatabase(join(home.directory, 'events.db'), 'durable');
  const read = db.prepare(
    'SELECT position, stream, revision, id, type, data, metadata, time FROM events WHERE organization = ? AND position > ? ORDER BY position LIMIT 1000',
  );
  let count = 0;
  const started = performance.now();
  for (let after = 0; ; ) {
    const rows = read.all(organizationId, after) as { position: number }[];
    if (rows.length === 0) break;
    count += rows.length;
    after = rows.at(-1)?.position ?? after;
  }
  const rate = (count * 1000) / (performance.now() - started);
  db.close();
  return rate;
};

const auditFigures = async function* (home: Home): AsyncIterable<Figure> {
  const { organizationId } = demoOf(home);
  const events = await home.events();
  const notary = createNotary(new Uint8Array(32));
  const held: number[] = [];
  const total = await events.countAfter(beginning);
  const exported = () =>
    perSecond(total, async () => {
      const past = events.readOrganization(organizationId, beginning);
      const by = { notary, sha256: testSystem.sha256, time: new Date().toISOString() };
      for await (const piece of writeFile(organizationId, past, by))
        if (piece.length > 0) held.push(process.memoryUsage.rss());
    });
  const replayed = () =>
    perSecond(total, async () => {
      for await (const batch of events.readOrganization(organizationId, beginning)) if (batch.length === 0) break;
    });
  const found = await inTurn({ raw: rawRead(home, organizationId), replayed, exported }, 3);
  const ceiling = { what: 'raw read', ...found.raw };
  const of = `of ${named(total)} events`;
  const { replayed: replay, exported: written } = found;
  yield {
    what: `audit replay ${of}`,
    measured: replay.value,
    unit: '/s',
    spread: replay.spread,
    ceiling,
    atLeast: 0.3,
  };
  yield {
    what: `audit export ${of}`,
    measured: written.value,
    unit: '/s',
    spread: written.spread,
    ceiling,
    atLeast: 0.3,
  };
  const half = Math.floor(held.length / 2);
  const [first, second] = [largest(held.slice(0, half)), largest(held.slice(half))].map(megabytes) as [number, number];
  yield {
    what: '  memory while it exports, second half',
    measured: second,
    unit: 'MB',
    ceiling: { what: 'first half', value: first },
    atMost: 1.1,
  };
  await events.close();
};

const startedIn = (home: Home) => async () => {
  const began = performance.now();
  const service = await startService({ on: home });
  const ms = performance.now() - began;
  await service.stop();
  return ms;
};

const startFigures = async function* (home: Home): AsyncIterable<Figure> {
  const empty = await startService({ on: embedded });
  await empty.stop();
  const found = await inTurn({ empty: startedIn(empty.home), full: startedIn(home) });
  yield {
    what: `cold start to ready, ${named(size)} transfers in the store`,
    measured: found.full.value,
    unit: 'ms',
    spread: found.full.spread,
    plotted: {
      series: 'cold start to ready',
      points: [
        { size: 0, cost: found.empty.value },
        { size, cost: found.full.value },
      ],
    },
    ceiling: { what: 'empty store', ...found.empty },
    atMost: 2,
  };
};

/** Long enough for every kind of pause to come. */
const watchedMs = 15_000;
const asOfPosition = 100_000;

/** How long others wait at a time while the service rebuilds its read models by itself, and while it answers of the past. */
const stallFigures = async function* (home: Home): AsyncIterable<Figure> {
  const db = openDatabase(join(home.directory, 'read-models.db'), 'relaxed');
  db.exec("UPDATE generations SET version = version - 1 WHERE state = 'live'");
  const left = db.prepare("SELECT count(*) AS generations FROM generations WHERE state = 'building'");
  const isBuilding = () => (left.get() as { generations: number }).generations > 0;
  const { service, look } = await startProbed(home);
  await until(isBuilding);
  await look();
  const end = performance.now() + watchedMs;
  await until(() => performance.now() > end || !isBuilding());
  const stall = { unit: 'ms', atMost: mostStallMs };
  yield { what: 'stall of the event loop while projections are rebuilt', measured: await look(), ...stall };
  await until(() => !isBuilding());
  db.close();
  await look();
  const headers = { 'x-as-of': String(asOfPosition) };
  await call(service.url, demoOf(home), '/v1/c/ListWallets', '{}', headers);
  yield {
    what: `stall of the event loop while an answer as of event ${named(asOfPosition)} is made`,
    measured: await look(),
    ...stall,
  };
  await service.stop();
};

/** What a long past costs: a page of it, its proof, a start on top of it. */
export const history: Bench = async function* () {
  const { home, wallets } = await open();
  yield* pageFigures(home, wallets);
  yield* startFigures(home);
  yield* auditFigures(home);
  yield* stallFigures(home);
};
