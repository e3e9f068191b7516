import type { App } from '../../../application/app.js';
import { supervise } from '../../../application/processes/supervise.js';
import type { Rebuilt } from '../../../application/projecting/rebuild.js';
import { didYouMean } from '../../../domain/nearest-name.js';
import { type AnyProjection, projections as allProjections } from '../../../projections/index.js';
import { UsageError } from '../../usage-error.js';
import { AnswerIsNo, type Command, type Invocation, table } from '../command/command.js';
import { createRebuildProgress } from './rebuild-progress.js';

const sampledMs = 500;
const seconds = (value: number) => `${value.toFixed(1)} s`;

const tracedWords: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

type Shown = Awaited<ReturnType<App['status']['projections']>>[number] & { readonly rate: number | null };

/** Words for the state of a projection; a rebuild that did not move while it was sampled counts as paused. */
const stateOf = ({ stopped, lag, rate, rebuild }: Shown, rebuildRate: number | null) => {
  const states = [
    ...(stopped === null ? [] : [`stopped: ${stopped}`]),
    ...(rebuild ? [`${rebuildRate ? 'rebuilding' : 'rebuild paused at'} ${rebuild.percent} %`] : []),
    ...(stopped === null && lag > 0 && rate === 0 ? ['waiting'] : []),
  ];
  return states.join(', ') || 'live';
};

export const projectionsStatus: Command = {
  words: 'projections status',
  summary: 'Show how far the read models are behind the events, and the followers behind their chains.',
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
        [table(rows, 'there are no projections'), '', table(chains, 'no chain was followed yet')].join('\n'),
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
      `there is no projection ${unknown}${didYouMean(unknown, known) || `; there are ${known.join(', ')}`}`,
    );
  if (parameters.length > 0 === Boolean(options.all))
    throw new UsageError('name some projections or give --all, not both');
  return options.all ? allProjections : allProjections.filter(({ name }) => parameters.includes(name));
};

const comparisonText = ({ name, equal, live, built, differing, differences }: Rebuilt['comparisons'][number]) => {
  if (equal) return `${name}: the same, ${built.documents} documents, hash ${built.hash}`;
  const keys = differences.map(({ scope, id }) => `  ${scope} ${id}`);
  return [
    `${name}: NOT the same, ${differing} documents differ (live ${live.documents} documents, hash ${live.hash}; rebuilt ${built.documents}, ${built.hash})`,
    ...keys,
  ].join('\n');
};

const endings: Readonly<Record<Rebuilt['outcome'], (names: string) => string>> = {
  swapped: (names) => `rebuilt, and live now: ${names}`,
  interrupted: () => 'interrupted; what is built is kept: the same command goes on, with --abandon it is removed',
  different: () => 'nothing was swapped; without --compare the same command puts what is built in place',
  failed: () => 'some could not be rebuilt; the live ones stay',
};

const textOf = (rebuilt: Rebuilt, took: number) => {
  const rate = Math.round(rebuilt.events / took);
  const failures = Object.entries(rebuilt.failures).map(([name, reason]) => `${name} cannot be rebuilt: ${reason}`);
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
  const progress = createRebuildProgress(invocation);
  const compare = options.compare !== undefined;
  // The live read models are compared at the head of the events, so a projector runs even when no server does.
  const projecting = compare ? supervise('projector', app.projector.run, stop.signal, app.system) : null;
  try {
    const rebuilt = await app.rebuild.run(wanted, { signal: stop.signal, tell: progress.tell, compare });
    progress.end();
    const took = progress.seconds();
    const answer = { phase: 'done', ...rebuilt, seconds: took, events_per_second: Math.round(rebuilt.events / took) };
    print(answer, draw ? textOf(rebuilt, took) : JSON.stringify(answer));
    if (rebuilt.outcome !== 'swapped') throw new AnswerIsNo(rebuilt.outcome);
  } finally {
    stop.abort();
    await projecting;
  }
};

export const projectionsRebuild: Command = {
  words: 'projections rebuild',
  summary: 'Build read models anew beside the live ones and swap them; reads go on, Ctrl-C and the same again goes on.',
  parameters: ['[NAME…]'],
  options: {
    all: { type: 'boolean', summary: 'Rebuild every projection.' },
    compare: { type: 'boolean', summary: 'Compare with the live ones, document for document; swap only if the same.' },
    restart: { type: 'boolean', summary: 'Begin anew instead of going on with what was begun.' },
    abandon: { type: 'boolean', summary: 'Only remove what was begun.' },
  },
  details: () => `projections: ${allProjections.map(({ name }) => name).join(', ')}`,
  run: async (invocation) => {
    const wanted = wantedBy(invocation);
    const { app, close } = await invocation.open();
    try {
      const { restart, abandon } = invocation.options;
      if (restart !== undefined || abandon !== undefined) await app.rebuild.abandon(wanted);
      if (abandon === undefined) return await rebuild(invocation, app, wanted);
      const names = wanted.map(({ name }) => name);
      invocation.print({ abandoned: names }, `nothing is built any more of ${names.join(', ')}`);
    } finally {
      await close();
    }
  },
};
