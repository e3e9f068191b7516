import type { App } from '../../application/app.js';
import { parseAsOf } from '../../application/history/parse-moment.js';
import type { Position } from '../../application/ports/event-store.js';
import { fail } from '../../domain/failure.js';
import type { AnyOperation, Caller } from './define.js';

/** Accepts the operations that can answer as of a moment: the Gets and Lists of the wallet APIs. */
export const takesAsOf = (
  operation: AnyOperation,
): operation is Extract<AnyOperation, { kind: 'query'; surface: 'wallet' }> =>
  operation.kind === 'query' && operation.surface === 'wallet';

/** `name` is the header or option that holds the moment, `most` the number of events that the answer may read. */
type Asked = {
  readonly given: string;
  readonly name: string;
  readonly most: number;
  readonly signal: AbortSignal;
};

/** Read models as of a moment; `position` is that of the last event in them. */
type Then = { readonly position: Position; readonly answer: (input: object) => Promise<object> };

/** Refuses operations and moments that cannot be answered before any store is opened. */
export const prepareAsOf = (operation: AnyOperation, { given, name, ...bounds }: Asked) => {
  if (!takesAsOf(operation))
    return fail('INVALID_ARGUMENT', `${name} is for Gets and Lists of the wallet APIs, not for ${operation.name}`);
  const moment = parseAsOf(given, name);
  return async (app: App, by: Caller): Promise<Then> => {
    const { records, position } = await app.asOf.at(by.organizationId, moment, { ...bounds, touch: by.touch });
    return { position, answer: (input) => operation.handle(records, input, by) };
  };
};
