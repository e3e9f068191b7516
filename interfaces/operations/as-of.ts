import type { App } from '../../application/app.js';
import { parseAsOf } from '../../application/history/parse-moment.js';
import type { Position } from '../../application/ports/event-store.js';
import { fail } from '../../domain/failure.js';
import type { AnyOperation, Caller } from './define.js';

/** Returns true for operations that can answer as of a moment: the queries of the wallet APIs. */
export const takesAsOf = (
  operation: AnyOperation,
): operation is Extract<AnyOperation, { kind: 'query'; surface: 'wallet' }> =>
  operation.kind === 'query' && operation.surface === 'wallet';

/**
 * Request to answer as of a moment. `given` is the value of the header or option `name`, and `maxEvents` is the maximum
 * number of events to replay.
 */
type AsOfRequest = {
  readonly given: string;
  readonly name: string;
  readonly maxEvents: number;
  readonly signal: AbortSignal;
};

/** Read models as of a moment. `position` is the position of their last event. */
type AsOfView = { readonly position: Position; readonly answer: (input: object) => Promise<object> };

/**
 * Rejects operations that cannot answer as of a moment, and malformed moments. Returns a function that opens the read
 * models as of the given moment.
 */
export const prepareAsOf = (operation: AnyOperation, { given, name, ...bounds }: AsOfRequest) => {
  if (!takesAsOf(operation))
    return fail(
      'INVALID_ARGUMENT',
      `${name} is not supported by ${operation.name}. Only Get and List operations of the wallet APIs support it.`,
    );
  const moment = parseAsOf(given, name);
  return async (app: App, by: Caller): Promise<AsOfView> => {
    const { records, position } = await app.asOf.at(by.organizationId, moment, { ...bounds, touch: by.touch });
    return { position, answer: (input) => operation.handle(records, input, by) };
  };
};
