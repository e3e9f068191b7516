import type { Node, RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { failUnknownVariant, isOnEvm, readCount, readOptions } from './parameters.js';
import { toRpcError } from './rpc-error.js';

/**
 * Controls for a development chain that is not an EVM chain: transfers, tokens and mining. They reject invalid
 * parameters with an RpcError.
 */
export type DevelopmentControls = {
  transfer(options: Readonly<Record<string, unknown>>): Promise<object>;
  /** Deploys a token contract. Absent if the tokens of the chain need no deployment. */
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

/**
 * Control that each JSON-RPC method runs on a development chain that is not an EVM chain. The option `variant` of a
 * call selects the chain.
 */
const controlByMethod: Readonly<Record<string, 'transfer' | 'deployToken'>> = {
  dev_transfer: 'transfer',
  dev_deployToken: 'deployToken',
};

/**
 * Adds the controls of the other development chains, keyed by variant tag, to the node of the development EVM.
 * `dev_mine` mines on all chains.
 */
export const developmentNode = (node: Node, others: ReadonlyMap<string, DevelopmentControls>): Node => {
  /** Returns the control for a call; undefined for calls that the node of the EVM handles. */
  const controlFor = ({ method, params: [options] }: RpcCall) => {
    const name = controlByMethod[method];
    const { variant } = (options ?? {}) as { variant?: unknown };
    if (!name || variant == null) return undefined;
    const control = others.get(String(variant).toUpperCase())?.[name];
    if (control) return async () => control(readOptions(options));
    const able = [...others].flatMap(([tag, controls]) => (controls[name] ? [tag] : []));
    return isOnEvm(variant) ? undefined : async () => failUnknownVariant(able);
  };
  return {
    ...node,
    answer: async (call, cancellation) => {
      const control = controlFor(call);
      if (control) return answered(control);
      const answer = await node.answer(call, cancellation);
      if (call.method === 'dev_mine' && 'result' in answer)
        for (const { mine } of others.values()) await mine(readCount('blocks', call.params[0] ?? 1));
      return answer;
    },
  };
};
