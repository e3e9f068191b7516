import type { Node, RpcAnswer } from '../../../application/ports/node.js';
import { readCount, readOptions } from './parameters.js';
import { toRpcError } from './rpc-error.js';

/** What can be asked of a development chain beside the EVM; refuses with an RpcError. */
export type DevelopmentControls = {
  transfer(options: Readonly<Record<string, unknown>>): Promise<object>;
  mine(blocks: number): Promise<void>;
};

type Call = Parameters<Node['call']>[0][number];

const firstOf = ({ params }: Call) => (Array.isArray(params) ? params[0] : undefined);
const answered = (work: Promise<unknown>): Promise<RpcAnswer> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => {
      const { code, message } = toRpcError(error);
      return { error: { code, message } };
    },
  );

/** The EVM's node with the faucets of the development chains beside it, by variant; what is mined is mined on all. */
export const developmentNode = (node: Node, beside: ReadonlyMap<string, DevelopmentControls>): Node => {
  const faucetFor = (call: Call) => {
    const { variant } = (firstOf(call) ?? {}) as { variant?: unknown };
    return call.method === 'dev_transfer' ? beside.get(String(variant).toUpperCase()) : undefined;
  };
  const one = async (call: Call): Promise<RpcAnswer> => {
    const faucet = faucetFor(call);
    if (faucet) return answered(faucet.transfer(readOptions(firstOf(call))));
    const [answer] = await node.call([call]);
    if (call.method === 'dev_mine' && answer && 'result' in answer)
      for (const { mine } of beside.values()) await mine(readCount('blocks', firstOf(call) ?? 1));
    return answer as RpcAnswer;
  };
  return {
    ...node,
    call: async (calls) => {
      if (!calls.some(({ method }) => method.startsWith('dev_'))) return node.call(calls);
      const answers: RpcAnswer[] = [];
      for (const call of calls) answers.push(await one(call));
      return answers;
    },
  };
};
