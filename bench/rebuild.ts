import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../tests/support/run/directories.js';
import { startCompiled } from './measure/compiled.js';
import type { Bench } from './measure/figures.js';
import { hasPeer, startProgram } from './measure/peers.js';
import { inTurn } from './measure/rounds.js';
import type { Replayed } from './rebuild/emmett.js';
import { fill } from './rebuild/history.js';

const events = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const rounds = 2;

/** Number of events that emmett reads within a second or two. */
const emmettEvents = 50_000;
const emmettRate = async (path: string, log: string): Promise<number | null> => {
  if (!hasPeer('@event-driven-io/emmett-sqlite')) return null;
  const args = [path, log, String(emmettEvents)];
  const { firstMessage, close } = await startProgram<Replayed>(new URL('./rebuild/emmett.ts', import.meta.url), args);
  close();
  return firstMessage.perSecond;
};

export const rebuild: Bench = async function* () {
  const directory = freshDirectory();
  const file = (name: string) => join(directory, name);
  try {
    await fill(file('events.db'), events);
    const program = new URL('./rebuild/rebuilding.ts', import.meta.url);
    const { rateOf, close } = await startCompiled(program, [directory, String(events)]);
    const { ours, ceiling } = await inTurn({ ours: rateOf('ours'), ceiling: rateOf('ceiling') }, rounds);
    close();
    const { value: measured, spread } = ours;
    const figure = { what: `rebuild of all projections, ${events} events`, measured, unit: 'events/s', spread };
    const best = { what: 'raw read of the log + bulk write of the documents', ...ceiling };
    yield { ...figure, ceiling: best, atLeast: 0.5 };
    const emmett = await emmettRate(file('emmett.db'), file('events.db'));
    if (emmett) yield { ...figure, ceiling: { what: 'emmett, replay that writes nothing', value: emmett }, atLeast: 2 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
