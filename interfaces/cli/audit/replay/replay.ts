import type { App } from '../../../../application/app.js';
import { before } from '../../../../application/audit/event-pages.js';
import { toEventRecord } from '../../../../application/audit/event-record.js';
import { parseAsOf } from '../../../../application/history/parse-moment.js';
import { beginning, type Moment, now } from '../../../../application/ports/event-store.js';
import { fail } from '../../../../domain/failure.js';
import { UsageError } from '../../../usage-error.js';
import type { Command, Invocation } from '../../command/command.js';
import { momentOption, organizationOption, withApp } from '../../command/session.js';
import { historyOwner } from '../known-organization.js';
import { createSummary, summaryText } from '../summary.js';
import { filterOptions, replayTest } from './filters.js';
import { createCsvLayout, createSentenceLayout, type Layout, wideLayout } from './layouts.js';
import { createNames, type Names } from './names.js';

type Period = { readonly from: Moment; readonly until: Moment };
const start: Moment = { position: beginning };

const isReversed = ({ from, until }: Period) => {
  if ('position' in from && 'position' in until) return from.position > until.position;
  return 'time' in from && 'time' in until && from.time > until.time;
};

const periodOf = ({ from, to, 'as-of': asOf }: Invocation['options']): Period => {
  if (to !== undefined && asOf !== undefined) throw new UsageError('Specify only one of --to and --as-of');
  const [end, name] = to === undefined ? [asOf, '--as-of'] : [to, '--to'];
  const period = {
    from: from === undefined ? start : parseAsOf(from, '--from'),
    until: end === undefined ? now : parseAsOf(end, name),
  };
  return isReversed(period)
    ? fail('INVALID_ARGUMENT', `The period is reversed: --from ${from} is after ${name} ${end}`)
    : period;
};

/** Collects the names that events before the period gave to wallets, keys, webhooks and tokens. */
const learnNames = async (
  app: App,
  organizationId: string,
  from: Moment,
  add: ReturnType<typeof createNames>['add'],
) => {
  if (from === start) return;
  for await (const batch of app.audit.replay(organizationId, start, before(from)))
    for (const event of batch) add(toEventRecord(event));
};

const layoutFor = ({ options: { wide, csv }, paint }: Invocation, names: Names): Layout => {
  if (wide !== undefined && csv !== undefined) throw new UsageError('Specify only one of --wide and --csv');
  if (csv !== undefined) return createCsvLayout(names);
  return wide === undefined ? createSentenceLayout(names, paint) : wideLayout;
};

const emptyText = ({ from, to, 'as-of': asOf, ...rest }: Invocation['options']) => {
  const isFiltered = Object.keys(filterOptions).some((name) => rest[name] !== undefined);
  const period = [from && `from ${from}`, (to ?? asOf) && `to ${to ?? asOf}`].filter(Boolean).join(' ');
  return ['No events', isFiltered && 'that pass the filters', period].filter(Boolean).join(' ');
};

const replay = async (invocation: Invocation, app: App) => {
  const { options, print, printError } = invocation;
  const names = createNames();
  const [layout, period] = [layoutFor(invocation, names), periodOf(options)];
  const passes = replayTest(options, names);
  const organizationId = await historyOwner(app, options.organization ?? '');
  const summary = createSummary(organizationId);
  await learnNames(app, organizationId, period.from, names.add);
  for await (const batch of app.audit.replay(organizationId, period.from, period.until))
    for (const event of batch) {
      const shown = toEventRecord(event);
      names.add(shown);
      if (!passes(shown)) continue;
      summary.add(shown);
      print(shown, layout(shown).join('\n'));
    }
  const result = summary.result();
  if (options.csv === undefined)
    print({ summary: result }, result.events > 0 ? summaryText(result) : emptyText(options));
  else if (result.events === 0) printError(emptyText(options));
};

export const auditReplay: Command = {
  words: 'audit replay',
  summary: 'Print the events of an organization in order, one sentence each, grouped by request, and a summary.',
  options: {
    organization: organizationOption,
    from: momentOption('Start at this event position or ISO time.'),
    to: momentOption('Stop at this event position or ISO time.'),
    'as-of': momentOption('Same as --to.'),
    ...filterOptions,
    wide: { type: 'boolean', summary: 'Print all fields of each event.' },
    csv: { type: 'boolean', summary: 'Print a row of CSV for each event.' },
  },
  run: (invocation) => withApp(invocation, (app) => replay(invocation, app)),
};
