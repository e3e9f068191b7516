import { type FaultKind, NodeFault, reasonOf } from '../node-fault.js';

/** Number of leading characters of an error message that are classified. A contract may control the text after them. */
const classifiedLength = 160;
/**
 * Classification by code or text; the first match wins. Node software agrees on few codes, so most rows match the text.
 */
const rows: readonly { readonly kind: FaultKind; readonly codes?: readonly number[]; readonly text?: RegExp }[] = [
  // Reverts come first, because the contract controls the text after "reverted".
  { kind: 'reverted', codes: [3, -32015], text: /\brevert/i },
  { kind: 'unsupported', codes: [-32601, -32004] },
  // A range that ends above the newest block is not too wide: another node may have these blocks.
  { kind: 'missing', text: /\bbeyond (the )?(current )?head\b/i },
  { kind: 'refused', text: /\binvalid block range\b/i },
  // Rows of kind `oversized` come before `busy`, because some nodes use the rate-limit code for oversized answers.
  {
    kind: 'oversized',
    text: /returned more than \d|\bmore than \d+ (results|logs|blocks)|\b(block|log|query|max(imum)?) range|\bresponse size|\binit.?code size|\btoo (large|big|wide)/i,
  },
  {
    kind: 'oversized',
    text: /\btoo many (results|logs|blocks)|\blogs matched\b|\bmax results\b|\blimited to .{0,30}\brange\b|\bquery timeout exceeded|\blarger than \d+ bytes/i,
  },
  // Limits of a call, such as gas and memory, are the same on any node, in contrast to rate limits and quotas.
  {
    kind: 'refused',
    text: /\b(gas|stack|memory|depth|code size)\b.{0,40}\b(limit|exceed)|\bexceed.{0,40}\bgas limit\b/i,
  },
  {
    kind: 'oversized',
    text: /\b(range|blocks|block count|addresses)\b.{0,40}\bexceed|\bexceed.{0,30}\b(range|blocks|addresses)\b/i,
  },
  // The node rejected the key in its URL, which says nothing about the request.
  { kind: 'failing', text: /\b(unauthori[sz]ed|not authori[sz]ed|account suspended)\b|\bauthenticat|\bapi.?key\b/i },
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
  {
    kind: 'missing',
    codes: [4444],
    text: /\bpruned\b|\bdue to pruning\b|\bno state found\b|\barchive\b|\bmaximum proof window\b|\bhistor(y|ical)\b.*\b(not (found|available)|unavailable)/i,
  },
  // Contract failures other than a revert are the same on any node.
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
    message: typeof message === 'string' ? message : 'no reason given',
  };
};

/** Classifies a node's error object. */
export const faultOf = (error: unknown): NodeFault => {
  const { code, message } = read(error);
  const beginning = message.slice(0, classifiedLength);
  const row = rows.find(({ codes, text }) => codes?.includes(code) || text?.test(beginning));
  return new NodeFault(row?.kind ?? 'refused', `${reasonOf(message)} (${code})`);
};

/** Parses the bytes of an error object; null if the bytes are not JSON. */
export const readError = (error: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(error).toString());
  } catch {
    return null;
  }
};
