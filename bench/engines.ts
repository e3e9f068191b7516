import { randomBytes } from 'node:crypto';
import { startCompiled } from './measure/compiled.js';
import type { Bench, Figure } from './measure/figures.js';
import { inTurn } from './measure/rounds.js';

const { EVENTSTORE_URL, MONGODB_URL } = process.env;
const eventsOfRebuild = 20_000;
const roundsOfRebuild = 2;

type Server = 'EVENTSTORE_URL' | 'MONGODB_URL';
/**
 * Row of the report: one program measures the adapter (`side`) and the bare client (`bare`). `atLeast` is the minimum
 * ratio of the adapter's rate to the rate of the bare client.
 */
type Row = {
  readonly what: string;
  readonly unit: string;
  readonly side: string;
  readonly bare: string;
  readonly does: string;
  readonly atLeast: number;
  readonly needs: readonly Server[];
  readonly rounds?: number;
};

const appended = { unit: '/s', needs: ['EVENTSTORE_URL'] } as const;
const read = { unit: 'events/s', needs: ['EVENTSTORE_URL'] } as const;
const onEventServer: readonly Row[] = [
  {
    what: 'append to the event server, one at a time',
    side: 'oneAtATime',
    bare: 'bareOneAtATime',
    does: 'bare client',
    atLeast: 0.8,
    ...appended,
  },
  {
    what: 'append to the event server, 64 callers',
    side: 'atOnce',
    bare: 'bareAtOnce',
    does: 'bare client',
    atLeast: 0.8,
    ...appended,
  },
  {
    what: 'command over 100 streams of the event server',
    side: 'command',
    bare: 'bareCommand',
    does: '100 appends of the bare client',
    atLeast: 0.5,
    ...appended,
  },
  {
    what: 'feed of the event server',
    side: 'feed',
    bare: 'bareFeed',
    does: 'filtered subscription of the bare client',
    atLeast: 0.8,
    ...read,
  },
  {
    what: 'readAll of the event server',
    side: 'readAll',
    bare: 'bareReadAll',
    does: 'bare client',
    atLeast: 0.8,
    ...read,
  },
];
const onBoth: readonly Row[] = [
  {
    what: 'rebuild of all projections from the event server into MongoDB',
    unit: 'events/s',
    side: 'rebuild',
    bare: 'readAndWrite',
    does: 'bare read of the log + bare insert of the documents',
    atLeast: 0.5,
    needs: ['EVENTSTORE_URL', 'MONGODB_URL'],
    rounds: roundsOfRebuild,
  },
  {
    what: 'page of 100 read models of MongoDB',
    unit: 'pages/s',
    side: 'page',
    bare: 'barePage',
    does: 'bare driver',
    atLeast: 0.8,
    needs: ['MONGODB_URL'],
  },
];

type Program = Awaited<ReturnType<typeof startCompiled>>;

const isSet = (server: Server) => Boolean(process.env[server]);
const absent = ({ what, unit, needs }: Row): Figure => ({
  what,
  unit,
  measured: Number.NaN,
  absent: `no server: ${needs.filter((server) => !isSet(server)).join(' and ')} not set`,
});

const measure = async (row: Row, { rateOf }: Program): Promise<Figure> => {
  const { ours, bare } = await inTurn({ ours: rateOf(row.side), bare: rateOf(row.bare) }, row.rounds);
  return {
    what: row.what,
    measured: ours.value,
    unit: row.unit,
    spread: ours.spread,
    ceiling: { what: row.does, ...bare },
    atLeast: row.atLeast,
  };
};

const figuresOf = async function* (rows: readonly Row[], start: () => Promise<Program>): AsyncIterable<Figure> {
  const program = rows.some(({ needs }) => needs.every(isSet)) ? await start() : null;
  for (const row of rows) yield program && row.needs.every(isSet) ? measure(row, program) : absent(row);
  await program?.rateOf('end')();
  program?.close();
};

const startEventServer = () =>
  startCompiled(new URL('./engines/event-server.ts', import.meta.url), [EVENTSTORE_URL ?? '']);
const startReadModels = () => {
  const database = `chainfold-bench-${randomBytes(6).toString('hex')}`;
  const url = (MONGODB_URL ?? '').replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/${database}`);
  const program = new URL('./engines/read-models.ts', import.meta.url);
  return startCompiled(program, [url, EVENTSTORE_URL ?? '', String(eventsOfRebuild)]);
};

/** Compares the adapters for the servers at EVENTSTORE_URL and MONGODB_URL with their bare clients. */
export const engines: Bench = async function* () {
  yield* figuresOf(onEventServer, startEventServer);
  yield* figuresOf(onBoth, startReadModels);
};
