import type { ServerResponse } from 'node:http';
import type { App } from '../../application/app.js';
import { TooManyEvents } from '../../application/history/replay.js';
import { refuse } from '../../domain/failure.js';
import { prepareAsOf } from '../operations/as-of.js';
import type { Caller } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';

const header = 'x-as-of';

/** Fires when whoever asked is gone, or has the answer. */
const goneSignal = (response: ServerResponse) => {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  response.once('close', () => gone.abort());
  return gone.signal;
};

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What answers it all the same, where there is time and memory. */
const commandFor = ({ variant, operation }: Endpoint, given: string, input: object, { organizationId }: Caller) =>
  `chainfold call ${variant.segment} ${operation.name} ${quoted(JSON.stringify(input))} --as-of ${given} --organization ${organizationId}`;

/** What can answer a request as of the moment that its header names. */
export const openPast = async (
  app: App,
  endpoint: Endpoint,
  { given, input, response, by }: { given: string; input: object; response: ServerResponse; by: Caller },
) => {
  const bounds = { most: app.past.most, signal: goneSignal(response) };
  const goTo = prepareAsOf(endpoint.operation, { given, name: header, ...bounds });
  try {
    return await goTo(app, by);
  } catch (error) {
    if (!(error instanceof TooManyEvents)) throw error;
    const command = commandFor(endpoint, given, input, by);
    return refuse('UNAVAILABLE', `${error.message}; where its stores are at hand this has no such limit: ${command}`);
  }
};
