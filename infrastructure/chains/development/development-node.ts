import type { Node, RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { readCount, readOptions } from './parameters.js';
import { toRpcError } from './rpc-error.js';

/** What can be asked of a development chain beside the EVM; refuses with an RpcError. */
export type DevelopmentControls = {
  transfer(options: Readonly<Record<string, unknown>>): Promise<object>;
  /** Where tokens have to be deployed. */
  deployToken?(options: Readonly<Record<string, unknown>>): Promise<object>;
  mine(blocks: number): Promise<void>;
};

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const answered = (work: Promise<unknown>): Promise<RpcAnswer> =>
  work.then(
    (result) => ({ result: bytes(result) }),
    (error: unknown) => {
      const { code, message } = toRpcError(error);
      return { error: bytes({ code, message }) };
    },
  );

/** What is asked of the chain of one variant. */
const named: Readonly<Record<string, 'transfer' | 'deployToken'>> = {
  dev_transfer: 'transfer',
  dev_deployToken: 'deployToken',
};

/** The EVM's node with the faucets of the development chains beside it, by variant; what is mined is mined on all. */
export const developmentNode = (node: Node, beside: ReadonlyMap<string, DevelopmentControls>): Node => {
  const controlFor = ({ method, params }: RpcCall) => {
    const { variant } = (params[0] ?? {}) as { variant?: unknown };
    const name = named[method];
    return name && beside.get(String(variant).toUpperCase())?.[name];
  };
  return {
    ...node,
    answer: async (call, waiter) => {
      const control = controlFor(call);
      if (control) return answered(control(readOptions(call.params[0])));
      const answer = await node.answer(call, waiter);
      if (call.method === 'dev_mine' && 'result' in answer)
        for (const { mine } of beside.values()) await mine(readCount('blocks', call.params[0] ?? 1));
      return answer;
    },
  };
};
