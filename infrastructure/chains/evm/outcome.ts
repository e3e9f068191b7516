import { faultOf } from '../../nodes/json-rpc/rpc-fault.js';
import { NodeFault } from '../../nodes/node-fault.js';
import { isRaw } from '../../nodes/raw.js';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };
export type Outcome = { readonly result: unknown } | { readonly fault: NodeFault };

export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new NodeFault('failing', 'answered with something that is not JSON');
  }
};

/** Returns the fault of a response whose status is not 200. */
export const faultOfResponse = (status: number, text: string): NodeFault => {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRaw(answer) && answer.error) return faultOf(answer.error);
  } catch {
    // Ignores a body that is not JSON, such as the HTML page of a proxy.
  }
  return new NodeFault('refused', `answered with status ${status}`);
};

export const outcome = (answer: unknown): Outcome => {
  if (!isRaw(answer)) throw new NodeFault('failing', 'answered with something that is not JSON-RPC');
  if (answer.error) return { fault: faultOf(answer.error) };
  if (answer.result === undefined) throw new NodeFault('failing', 'answered without a result');
  return { result: answer.result };
};

export const resultOf = (outcome: Outcome | undefined): unknown => {
  if (!outcome) throw new NodeFault('failing', 'left a request of a batch unanswered');
  if ('fault' in outcome) throw outcome.fault;
  return outcome.result;
};

/** Returns the result of a contract call; null if the contract itself failed. Throws if the node failed. */
export const answerOf = (outcome: Outcome | undefined): unknown => {
  const isContractFailure = outcome && 'fault' in outcome && ['reverted', 'refused'].includes(outcome.fault.kind);
  return isContractFailure ? null : resultOf(outcome);
};
