import type { ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import { TooManyEvents } from '../../application/history/replay.js';
import { fail } from '../../domain/failure.js';
import { prepareAsOf } from '../operations/as-of.js';
import type { Caller } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';

const header = 'x-as-of';

/** Aborts when the caller has left or has been answered. */
const goneSignal = (response: ServerResponse) => {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  response.once('close', () => gone.abort());
  return gone.signal;
};

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Command that answers the same request from the stores, without a limit on events. */
const commandFor = ({ variant, operation }: Endpoint, given: string, input: object, { organizationId }: Caller) =>
  `chainfold call ${variant.segment} ${operation.name} ${quoted(JSON.stringify(input))} --as-of ${given} --organization ${organizationId}`;

/** Opens the read models as of the moment in the header; too many events name a command to run instead. */
export const openAsOf = async (
  app: App,
  endpoint: Endpoint,
  { given, input, response, by }: { given: string; input: object; response: ServerResponse; by: Caller },
) => {
  const bounds = { most: app.asOf.most, signal: goneSignal(response) };
  const goTo = prepareAsOf(endpoint.operation, { given, name: header, ...bounds });
  try {
    return await goTo(app, by);
  } catch (error) {
    if (!(error instanceof TooManyEvents)) throw error;
    const command = commandFor(endpoint, given, input, by);
    return fail('UNAVAILABLE', `${error.message}; run on the stores, this command has no such limit: ${command}`);
  }
};
