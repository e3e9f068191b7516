import type { Cancellation } from '../../application/async/cancellation.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';

/** Fetches the answer to a call from the nodes; `params` is the JSON of the call's parameters. */
export type Fetch = (
  call: RpcCall,
  params: string,
  cacheability: Cacheability,
  cancellation: Cancellation,
) => Promise<RpcAnswer>;
