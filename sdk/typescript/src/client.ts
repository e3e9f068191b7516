import { type Apis, operations } from './generated.js';
import type { CallOptions, ClientOptions, OperationRow } from './options.js';
import { eachItem } from './pages.js';
import { createTransport } from './transport.js';

export type Client = Apis & {
  /** Calls an operation by its name. The operation may be one that this version of the client does not know. */
  readonly call: (api: string, operation: string, request: object, options?: CallOptions) => Promise<object>;
};

const camel = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

/** Creates a client with a typed method for each operation, such as `client.c.registerWallet({ name })`. */
export const createClient = (options: ClientOptions): Client => {
  const send = createTransport(options);
  const methodsOf = (api: string, [name, kind, iterator, items]: OperationRow) => {
    const method = (request: object, call?: CallOptions) => send(`/v1/${api}/${name}`, kind, request, call);
    const each = (request: object, call?: CallOptions) => eachItem((page) => method(page, call), request, items ?? '');
    return [[camel(name), method] as const, ...(iterator ? [[camel(iterator), each] as const] : [])];
  };
  const apis = Object.entries<readonly OperationRow[]>(operations).map(([api, rows]) => [
    api,
    Object.fromEntries(rows.flatMap((row) => methodsOf(api, row))),
  ]);
  return {
    ...(Object.fromEntries(apis) as Apis),
    // Sends every operation as a command, because commands get an idempotency key: the key makes retries of a command
    // safe, and queries ignore the key.
    call: (api, name, request, call) => send(`/v1/${api}/${name}`, 'command', request, call),
  };
};
