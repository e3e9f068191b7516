import { join } from 'node:path';
import { beginning } from '../application/ports/event-store.js';
import { openDatabase } from '../infrastructure/sqlite/database.js';
import { embedded, type Home } from '../tests/support/engines/engines.js';
import { call } from '../tests/support/service/http.js';
import { clientOf, demoOf, startService } from '../tests/support/service/service.js';
import { type Wallet, writeHistory } from './history/dataset.js';
import { startCompiled } from './measure/compiled.js';
import { type Bench, type Figure, median, megabytes } from './measure/figures.js';
import { maxStallMs, startProbed } from './measure/probed-service.js';
import { inTurn, type Measured } from './measure/rounds.js';
import { until } from './measure/until.js';
import { load } from './operations/load.js';

/** Number of transfers of the largest wallet. docs/performance.md uses the default. */
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
  await writeHistory(home, demoOf(home).organizationId, wallets);
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

const auditFigures = async function* (home: Home): AsyncIterable<Figure> {
  const { organizationId } = demoOf(home);
  const events = await home.events();
  const total = await events.countAfter(beginning);
  await events.close();
  const program = new URL('./history/proving.ts', import.meta.url);
  const { rateOf, close } = await startCompiled(program, [home.directory, organizationId, String(total)]);
  const sides = { raw: rateOf('raw'), replayed: rateOf('replayed'), exported: rateOf('exported') };
  const { raw, replayed, exported } = await inTurn(sides, 3);
  const [first, second] = [megabytes(await rateOf('firstHalf')()), megabytes(await rateOf('secondHalf')())];
  close();
  const row = (what: string, { value: measured, spread }: Measured): Figure => ({
    what: `audit ${what} of ${named(total)} events`,
    measured,
    unit: '/s',
    spread,
    ceiling: { what: 'raw read', ...raw },
    atLeast: 0.3,
  });
  yield row('replay', replayed);
  yield row('export', exported);
  const ceiling = { what: 'first half', value: first };
  yield { what: '  memory while it exports, second half', measured: second, unit: 'MB', ceiling, atMost: 1.1 };
};

const statementFormats = ['csv', 'xlsx', 'pdf'] as const;
const maxStatementMegabytes = 256;

/** Compares the rate of a statement of all transfers of a wallet with the rate of reading the same documents. */
const statementFigures = async function* (home: Home, { walletId, address, transfers }: Wallet): AsyncIterable<Figure> {
  const program = new URL('./history/stating.ts', import.meta.url);
  const args = [home.directory, demoOf(home).organizationId, walletId, address, String(transfers)];
  for (const format of statementFormats) {
    const { rateOf, close } = await startCompiled(program, args);
    const { read, written } = await inTurn({ read: rateOf('read'), written: rateOf(format) }, 3);
    const resident = megabytes(await rateOf('maxResident')());
    close();
    yield {
      what: `audit statement --${format} of ${named(transfers)} movements`,
      measured: written.value,
      unit: '/s',
      spread: written.spread,
      ceiling: { what: 'reading them', ...read },
      atLeast: 0.5,
    };
    yield { what: '  memory while it is written', measured: resident, unit: 'MB', atMost: maxStatementMegabytes };
  }
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

/** Milliseconds of observation, enough for every kind of stall to occur. */
const watchedMs = 15_000;
const asOfPosition = 100_000;

/** Measures stalls of the event loop during a rebuild of the projections and during an as-of query. */
const stallFigures = async function* (home: Home): AsyncIterable<Figure> {
  const db = openDatabase(join(home.directory, 'read-models.db'), 'relaxed');
  db.exec("UPDATE generations SET version = version - 1 WHERE state = 'live'");
  const left = db.prepare("SELECT count(*) AS generations FROM generations WHERE state = 'building'");
  const isBuilding = () => (left.get() as { generations: number }).generations > 0;
  const { service, maxStall } = await startProbed(home);
  await until(isBuilding);
  await maxStall();
  const end = performance.now() + watchedMs;
  await until(() => performance.now() > end || !isBuilding());
  const stall = { unit: 'ms', atMost: maxStallMs };
  yield { what: 'stall of the event loop while projections are rebuilt', measured: await maxStall(), ...stall };
  await until(() => !isBuilding());
  db.close();
  await maxStall();
  const headers = { 'x-as-of': String(asOfPosition) };
  await call(service.url, demoOf(home), '/v1/c/ListWallets', '{}', headers);
  yield {
    what: `stall of the event loop while an answer as of event ${named(asOfPosition)} is made`,
    measured: await maxStall(),
    ...stall,
  };
  await service.stop();
};

/**
 * Measures the cost of a history in which one wallet has `size` transfers: pages, start, replay, export, statements and
 * stalls.
 */
export const history: Bench = async function* () {
  const { home, wallets } = await open();
  yield* pageFigures(home, wallets);
  yield* startFigures(home);
  yield* auditFigures(home);
  yield* statementFigures(home, wallets[0] as Wallet);
  yield* stallFigures(home);
};
