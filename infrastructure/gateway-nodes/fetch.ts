import type { Cancellation } from '../../application/async/cancellation.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';

/** Answers a call from the nodes; `params` is the text of its parameters. */
export type Fetch = (
  call: RpcCall,
  params: string,
  cacheability: Cacheability,
  cancellation: Cancellation,
) => Promise<RpcAnswer>;
