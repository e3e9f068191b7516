import type { App } from '../../../application/app.js';
import { supervise } from '../../../application/processes/supervise.js';
import type { Rebuilt } from '../../../application/projecting/rebuild.js';
import { didYouMean } from '../../../domain/nearest-name.js';
import { type AnyProjection, projections as allProjections } from '../../../projections/index.js';
import { UsageError } from '../../usage-error.js';
import { type Command, type Invocation, NegativeResult, table } from '../command/command.js';
import { operator } from '../command/session.js';
import { createRebuildProgress } from './rebuild-progress.js';

const sampledMs = 500;
const seconds = (value: number) => `${value.toFixed(1)} s`;

const tracedWords: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

type Shown = Awaited<ReturnType<App['status']['projections']>>[number] & { readonly rate: number | null };

/** Describes the state of a projection. A rebuild without progress during the sampling counts as paused. */
const stateOf = ({ stopped, stoppedFor, lag, rate, rebuild }: Shown, rebuildRate: number | null) => {
  const states = [
    ...(stopped === null ? [] : [`stopped: ${stopped}`]),
    ...(stoppedFor === null ? [] : [`stopped for ${stoppedFor}`]),
    ...(rebuild ? [`${rebuildRate ? 'rebuilding' : 'rebuild paused at'} ${rebuild.percent} %`] : []),
    ...(stopped === null && lag > 0 && rate === 0 ? ['waiting'] : []),
  ];
  return states.join(', ') || 'live';
};

export const projectionsStatus: Command = {
  words: 'projections status',
  summary: 'Show the lag of read models behind events and of followers behind their chains.',
  options: {},
  run: async ({ open, print }) => {
    const { app, close } = await open();
    try {
      const rates = await app.status.rates(sampledMs);
      const [found, followers] = [await app.status.projections(), await app.status.followers()];
      const projections = found.map((one) => {
        const { live = null, rebuild = null } = rates[one.name] ?? {};
        return { ...one, rate: live, state: stateOf({ ...one, rate: live }, rebuild) };
      });
      const rows = projections.map(({ name, position, lag, lagSeconds, rate, state, generation }) => ({
        projection: name,
        position: String(position),
        behind: `${lag} events`,
        since: seconds(lagSeconds),
        rate: rate === null ? '' : `${rate}/s`,
        state,
        generation: `${generation.number} (version ${generation.version})`,
      }));
      const traced = await app.status.traced();
      const chains = followers.map(({ chain, height, head, lagSeconds, headSeconds }) => ({
        chain,
        height: String(height),
        behind: `${Math.max(0, head - height)} blocks`,
        since: seconds(lagSeconds),
        'newest block': `${seconds(headSeconds)} old`,
        traced: tracedWords[String(traced[chain])] ?? '',
      }));
      print(
        { projections, followers: followers.map((one) => ({ ...one, traced: traced[one.chain] ?? null })) },
        [table(rows, 'No projections'), '', table(chains, 'No chain followed yet')].join('\n'),
      );
    } finally {
      await close();
    }
  },
};

const wantedBy = ({ parameters, options }: Invocation): readonly AnyProjection[] => {
  const known = allProjections.map(({ name }) => name);
  const unknown = parameters.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown projection ${unknown}${didYouMean(unknown, known) || `. Projections: ${known.join(', ')}`}`,
    );
  if (parameters.length > 0 === Boolean(options.all)) throw new UsageError('Specify either projection names or --all');
  return options.all ? allProjections : allProjections.filter(({ name }) => parameters.includes(name));
};

const comparisonText = ({ name, equal, live, built, differing, differences }: Rebuilt['comparisons'][number]) => {
  if (equal) return `${name}: identical, ${built.documents} documents, hash ${built.hash}`;
  const keys = differences.map(({ scope, id }) => `  ${scope} ${id}`);
  return [
    `${name}: DIFFERENT, ${differing} documents differ (live: ${live.documents} documents, hash ${live.hash}; rebuilt: ${built.documents} documents, hash ${built.hash})`,
    ...keys,
  ].join('\n');
};

const endings: Readonly<Record<Rebuilt['outcome'], (names: string) => string>> = {
  swapped: (names) => `Rebuilt and live: ${names}`,
  interrupted: () => 'Interrupted. Run the same command to resume, or add --abandon to discard the rebuild.',
  different: () => 'Nothing was swapped. Run the same command without --compare to swap in the rebuilt read models.',
  failed: () => 'Some read models could not be rebuilt. The live ones are unchanged.',
};

const textOf = (rebuilt: Rebuilt, took: number) => {
  const rate = Math.round(rebuilt.events / took);
  const failures = Object.entries(rebuilt.failures).map(([name, reason]) => `Cannot rebuild ${name}: ${reason}`);
  return [
    ...rebuilt.comparisons.map(comparisonText),
    ...failures,
    `${rebuilt.events} events in ${took.toFixed(1)} s, ${rate} events/s`,
    endings[rebuilt.outcome](rebuilt.names.join(', ')),
  ].join('\n');
};

const rebuild = async (invocation: Invocation, app: App, wanted: readonly AnyProjection[]) => {
  const { options, draw, print, stopped } = invocation;
  const stop = new AbortController();
  void stopped().then(() => stop.abort());
  const compare = options.compare !== undefined;
  const progress = createRebuildProgress(invocation, compare);
  // Runs a projector even if no server does, because the live read models must reach the last event before they are
  // compared with the rebuilt read models.
  const projecting = compare ? supervise('projector', app.projector.run, stop.signal, app.system) : null;
  try {
    const rebuilt = await app.rebuild.run(wanted, { signal: stop.signal, report: progress.update, compare });
    progress.end();
    const took = progress.seconds();
    const answer = { phase: 'done', ...rebuilt, seconds: took, events_per_second: Math.round(rebuilt.events / took) };
    print(answer, draw ? textOf(rebuilt, took) : JSON.stringify(answer));
    if (rebuilt.outcome !== 'swapped') throw new NegativeResult(rebuilt.outcome);
    await app.maintenance.recordRebuild(operator(app), rebuilt.names);
  } finally {
    stop.abort();
    await projecting;
  }
};

export const projectionsRebuild: Command = {
  words: 'projections rebuild',
  summary:
    'Rebuild read models next to the live ones, then swap them. Reads continue; Ctrl-C pauses, the same command resumes.',
  parameters: ['[NAME…]'],
  options: {
    all: { type: 'boolean', summary: 'Rebuild every projection.' },
    compare: { type: 'boolean', summary: 'Compare with the live ones, document by document; swap only if identical.' },
    restart: { type: 'boolean', summary: 'Start over instead of resuming an interrupted rebuild.' },
    abandon: { type: 'boolean', summary: 'Only discard an interrupted rebuild.' },
  },
  candidates: () => ({ '*': allProjections.map(({ name }) => name) }),
  details: () => `Projections: ${allProjections.map(({ name }) => name).join(', ')}`,
  run: async (invocation) => {
    const wanted = wantedBy(invocation);
    const { app, close } = await invocation.open();
    try {
      const { restart, abandon } = invocation.options;
      if (restart !== undefined || abandon !== undefined) await app.rebuild.abandon(wanted);
      if (abandon === undefined) return await rebuild(invocation, app, wanted);
      const names = wanted.map(({ name }) => name);
      invocation.print({ abandoned: names }, `Discarded the rebuild of ${names.join(', ')}`);
    } finally {
      await close();
    }
  },
};
