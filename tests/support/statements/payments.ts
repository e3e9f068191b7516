import { addressOf, type ScriptedLog, zeroAddress } from '../chains/evm-chain.js';
import { addressWord, word } from '../chains/evm-contracts.js';
import type { EvmNode } from '../chains/evm-node.js';

const vault = addressOf('vault');
export const [other, token] = ['other', 'token'].map(addressOf) as [string, string];
export const tokenOf = (contract: string) => ({ standard: 'erc20', contract }) as const;
const paid = `0x${'5'.repeat(64)}`;
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';

/** Blocks in which `ann` is paid, each with one transaction. */
export const blocksFor = (ann: string) => {
  const topic = `0x${addressWord(ann)}`;
  const named = { address: vault, topics: [paid, topic], data: '0x' };
  return {
    coins: (value: bigint) => [{ from: other, to: ann, value }],
    tokens: (value: bigint, contract = token) => [
      { from: other, to: contract, tokens: [{ asset: tokenOf(contract), from: other, to: ann, value }] },
    ],
    /** Tokens that arrive without a log of their transfer. */
    silentTokens: (value: bigint, logs: readonly ScriptedLog[] = []) => [
      {
        from: other,
        to: token,
        input: '0xaa',
        silentTokens: [{ asset: tokenOf(token), from: other, to: ann, value }],
        logs,
      },
    ],
    /** Coins from a contract, whose log names the receiver or nobody. */
    coinsByContract: (value: bigint, isNamed: boolean) => [
      {
        from: other,
        to: vault,
        input: '0xbb',
        internal: [{ from: vault, to: ann, value }],
        logs: isNamed ? [named] : [],
      },
    ],
    coinsBySystem: (value: bigint) => [
      {
        from: zeroAddress,
        to: vault,
        internal: [{ from: vault, to: ann, value }],
        logs: [named],
        receipt: { gasUsed: '0x0' },
      },
    ],
    wrapped: (value: bigint) => ({ address: token, topics: [deposit, topic], data: `0x${word(value)}` }),
    wrappedOddly: (value: bigint) => ({
      address: token,
      topics: [deposit],
      data: `0x${addressWord(ann)}${word(value)}`,
    }),
  };
};

/** Makes the node leave the calls of contracts out of its traces. */
export const traceNothing = (node: EvmNode) => {
  node.lie = (method, answer) =>
    method === 'debug_traceBlockByHash'
      ? (answer as { result: object }[]).map((one) => ({ ...one, result: { ...one.result, calls: [] } }))
      : answer;
};
