import { refusalBounds } from '../../../application/ports/tracing/requests.js';
import { printable } from '../../../application/tracing/key-form.js';
import type { Trace } from '../../../application/tracing/tracing.js';
import { type Command, type Invocation, NegativeResult } from '../command/command.js';
import { withApp } from '../command/session.js';
import { type Entry, entriesOf } from './entries.js';
import { hintOf, readLogLines } from './log-lines.js';

const kindLength = 'delivery'.length;
const timeLength = new Date(0).toISOString().length;

const lineOf = ({ time, kind, text }: Entry) => `${time.padEnd(timeLength)}  ${kind.padEnd(kindLength)}  ${text}`;

const days = refusalBounds.retentionMs / 86_400_000;
const timeOf = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : 'the beginning');

/** Lists in words the places that were searched for traces of the request. */
const placesOf = ({ ranges }: Trace, log: string | undefined): readonly string[] => [
  `refused requests of the last ${days} days, at most ${refusalBounds.perGroup} for each caller and code`,
  ...ranges.map(
    ({ owner, from, until }) =>
      `events of ${owner === null ? 'all organizations' : owner} from ${timeOf(from)} to ${timeOf(until)}`,
  ),
  log === undefined ? 'no log; give one with --log FILE' : `the log ${log === '-' ? 'on standard input' : log}`,
];

const explainNothing = (requestId: string, places: readonly string[]) =>
  [
    `No trace of request ${printable(requestId)}. Searched:`,
    ...places.map((place) => `  ${place}`),
    'A read that succeeded is only in the request log. Use --organization to search one whole history.',
  ].join('\n');

const traceOf = (invocation: Invocation, requestId: string) =>
  withApp(invocation, async (app) => {
    const { log, organization } = invocation.options;
    const logged = log === undefined ? [] : await readLogLines(log, requestId);
    const organizationId = organization === undefined ? undefined : await app.organizations.idOf(organization);
    const hints = logged.flatMap((line) => hintOf(line) ?? []);
    const trace = await app.trace({ requestId, organizationId, hints });
    return { entries: entriesOf(trace, logged), searched: placesOf(trace, log) };
  });

export const trace: Command = {
  words: 'trace',
  summary: 'Show what happened to a request: its refusal, its events and the deliveries that follow.',
  parameters: ['REQUEST_ID'],
  options: {
    log: {
      type: 'string',
      value: 'FILE',
      summary: 'Log of the service, for its lines about the request; - reads standard input.',
    },
    organization: {
      type: 'string',
      value: 'ID|DOMAIN',
      summary: 'Search the whole history of this organization for events.',
    },
  },
  details: () =>
    'REQUEST_ID is the x-request-id of the response. Exit code 1 means that nothing was found; the output lists the places that were searched.',
  run: async (invocation) => {
    const { parameters, print } = invocation;
    const [requestId = ''] = parameters;
    const { entries, searched } = await traceOf(invocation, requestId);
    const found = entries.length > 0;
    print(
      {
        request_id: requestId,
        found,
        entries: entries.map(({ time, kind, fields }) => ({ time, kind, ...fields })),
        searched,
      },
      found ? entries.map(lineOf).join('\n') : explainNothing(requestId, searched),
    );
    if (!found) throw new NegativeResult();
  },
};
