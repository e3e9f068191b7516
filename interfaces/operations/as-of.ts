import type { App } from '../../application/app.js';
import { momentOf } from '../../application/history/parse-moment.js';
import type { Position } from '../../application/ports/event-store.js';
import { refuse } from '../../domain/failure.js';
import type { AnyOperation, Caller } from './define.js';

/** Which operations can answer as of a moment: the Gets and Lists of the wallet APIs. */
export const takesAsOf = (
  operation: AnyOperation,
): operation is Extract<AnyOperation, { kind: 'query'; surface: 'wallet' }> =>
  operation.kind === 'query' && operation.surface === 'wallet';

/** `name` is what the caller calls the moment, `most` how many events the answer may take. */
type Asked = {
  readonly given: string;
  readonly name: string;
  readonly most: number;
  readonly signal: AbortSignal;
};

/** How things stood: the position that every answer includes, also a refusal. */
type Then = { readonly position: Position; readonly answer: (input: object) => Promise<object> };

/** Finds out first whether there can be an answer at all. */
export const prepareAsOf = (operation: AnyOperation, { given, name, ...bounds }: Asked) => {
  if (!takesAsOf(operation))
    return refuse('INVALID_ARGUMENT', `${name} is for Gets and Lists of the wallet APIs, not for ${operation.name}`);
  const moment = momentOf(given, name);
  return async (app: App, by: Caller): Promise<Then> => {
    const { records, position } = await app.past.at(by.organizationId, moment, bounds);
    return { position, answer: (input) => operation.handle(records, input, by) };
  };
};
