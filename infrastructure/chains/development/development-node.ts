import type { Node, RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isOnEvm, readCount, readOptions, refuseVariant } from './parameters.js';
import { toRpcError } from './rpc-error.js';

/** Controls of a development chain other than the EVM; a refusal is an RpcError. */
export type DevelopmentControls = {
  transfer(options: Readonly<Record<string, unknown>>): Promise<object>;
  /** Absent where tokens need no deployment. */
  deployToken?(options: Readonly<Record<string, unknown>>): Promise<object>;
  mine(blocks: number): Promise<void>;
};

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const answered = (work: () => Promise<unknown>): Promise<RpcAnswer> =>
  work().then(
    (result) => ({ result: bytes(result) }),
    (error: unknown) => {
      const { code, message } = toRpcError(error);
      return { error: bytes({ code, message }) };
    },
  );

/** Controls that address the chain of one variant, by JSON-RPC method. */
const named: Readonly<Record<string, 'transfer' | 'deployToken'>> = {
  dev_transfer: 'transfer',
  dev_deployToken: 'deployToken',
};

/** Adds the faucets of the other development chains to the EVM's node, by variant; mining mines on all of them. */
export const developmentNode = (node: Node, beside: ReadonlyMap<string, DevelopmentControls>): Node => {
  /** Returns undefined for calls that the EVM's own node answers. */
  const controlFor = ({ method, params: [options] }: RpcCall) => {
    const name = named[method];
    const { variant } = (options ?? {}) as { variant?: unknown };
    if (!name || variant == null) return undefined;
    const control = beside.get(String(variant).toUpperCase())?.[name];
    if (control) return async () => control(readOptions(options));
    const able = [...beside].flatMap(([tag, controls]) => (controls[name] ? [tag] : []));
    return isOnEvm(variant) ? undefined : async () => refuseVariant(able);
  };
  return {
    ...node,
    answer: async (call, cancellation) => {
      const control = controlFor(call);
      if (control) return answered(control);
      const answer = await node.answer(call, cancellation);
      if (call.method === 'dev_mine' && 'result' in answer)
        for (const { mine } of beside.values()) await mine(readCount('blocks', call.params[0] ?? 1));
      return answer;
    },
  };
};
