import { type FaultKind, NodeFault } from '../nodes/node-fault.js';

const mostCharacters = 160;
/** Node software agrees on few codes, so most kinds are told by the text. */
const rows: readonly { readonly kind: FaultKind; readonly codes?: readonly number[]; readonly text?: RegExp }[] = [
  // First, for what stands after "reverted" is up to the contract.
  { kind: 'reverted', codes: [3, -32015], text: /\brevert/i },
  { kind: 'unsupported', codes: [-32601, -32004] },
  {
    kind: 'busy',
    codes: [-32005, -32029, 429],
    text: /rate.?limit|too many requests|limit (exceeded|reached)|exceed.*(limit|quota|capacity|credits)|throttl/i,
  },
  {
    kind: 'unsupported',
    text: /\bmethod\b.{0,60}\b(not (exist|found|available|supported|allowed|enabled|whitelisted|permitted)|unsupported|disabled)/i,
  },
  {
    kind: 'unsupported',
    text: /\b(eth|debug|trace|txpool)_\w+\W? (is |does )?(not|unsupported|disabled)|tracer not found/i,
  },
  {
    kind: 'missing',
    codes: [-32001, -39001],
    text: /\b(header|block|transaction|state|receipts?|trie node)\b.*\b(not (found|available)|unavailable|missing|pruned)|missing trie node|unknown block|could not find block/i,
  },
  // A contract may fail in other ways as well; on another node it would fail the same.
  { kind: 'refused', text: /\b(opcode|out of gas|gas required|jump|evm|vm)\b|\bstack\b.*flow/i },
  {
    kind: 'failing',
    codes: [-32002, -32603],
    text: /time.?out|timed out|unavailable|overload|try again|tracing failed|internal error/i,
  },
];

const read = (error: unknown) => {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, mostCharacters) : 'no reason given',
  };
};

/** A node's own error object, understood. */
export const faultOf = (error: unknown): NodeFault => {
  const { code, message } = read(error);
  const row = rows.find(({ codes, text }) => codes?.includes(code) || text?.test(message));
  return new NodeFault(row?.kind ?? 'refused', `${message} (${code})`);
};
