import type { ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import { TooManyEvents } from '../../application/history/replay.js';
import { fail } from '../../domain/failure.js';
import { prepareAsOf } from '../operations/as-of.js';
import type { Caller } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';

const header = 'x-as-of';

/** Returns a signal that aborts when the response is finished or the client disconnects. */
const goneSignal = (response: ServerResponse) => {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  response.once('close', () => gone.abort());
  return gone.signal;
};

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns the command that runs the same query directly on the stores, without a limit on replayed events. */
const commandFor = ({ variant, operation }: Endpoint, given: string, input: object, { organizationId }: Caller) =>
  `chainfold call ${variant.segment} ${operation.name} ${quoted(JSON.stringify(input))} --as-of ${given} --organization ${organizationId}`;

/**
 * Opens the read models as of the moment in the header `x-as-of`. If too many events would have to be replayed, fails
 * and suggests a command that has no such limit.
 */
export const openAsOf = async (
  app: App,
  endpoint: Endpoint,
  { given, input, response, by }: { given: string; input: object; response: ServerResponse; by: Caller },
) => {
  const bounds = { maxEvents: app.asOf.maxEvents, signal: goneSignal(response) };
  const goTo = prepareAsOf(endpoint.operation, { given, name: header, ...bounds });
  try {
    return await goTo(app, by);
  } catch (error) {
    if (!(error instanceof TooManyEvents)) throw error;
    const command = commandFor(endpoint, given, input, by);
    return fail(
      'UNAVAILABLE',
      `${error.message}. To read without this limit, run on a machine with access to the stores: ${command}`,
    );
  }
};
