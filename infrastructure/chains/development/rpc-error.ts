/** Error codes of JSON-RPC and of Ethereum nodes. */
export const rpcCode = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  node: -32000,
  reverted: 3,
} as const;

/** Error as a JSON-RPC client receives it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalid = (message: string): never => {
  throw new RpcError(rpcCode.params, message);
};

export const toRpcError = (error: unknown) =>
  error instanceof RpcError ? error : new RpcError(rpcCode.internal, `internal error: ${error}`);

type EdrError = { readonly code: number; readonly message: string; readonly data?: unknown };

/**
 * Patterns of EDR's error messages, each with the wording of other nodes, because client libraries search for that
 * wording.
 */
const wordings: readonly (readonly [RegExp, string])[] = [
  [/^Known transaction/, 'already known'],
  [/nonce too low/i, 'nonce too low'],
  [/^Replacement transaction underpriced/, 'replacement transaction underpriced'],
  [/enough funds to send tx/, 'insufficient funds for gas * price + value'],
  [/^Transaction requires at least \d+ gas/, 'intrinsic gas too low'],
  [/exceeds block gas limit/, 'exceeds block gas limit'],
];

const revertOf = (data: unknown) => {
  const { Revert } = (data as { reason?: { Revert?: string } } | undefined)?.reason ?? {};
  return Revert;
};

const reasonIn = (message: string) => {
  const reason = /reverted with (?:reason string '([\s\S]*)'|(panic code .*))$/.exec(message);
  return reason ? `: ${reason[1] ?? reason[2]}` : '';
};

/**
 * Translates an EDR error into the error that other nodes return: with code 3 and the revert data for a reverted call,
 * in the usual wording, and without references to the JSON request.
 */
export const toNodeError = ({ code, message, data }: EdrError): RpcError => {
  const revert = revertOf(data);
  if (revert !== undefined) return new RpcError(rpcCode.reverted, `execution reverted${reasonIn(message)}`, revert);
  if (code === rpcCode.params) return new RpcError(code, message.replace(/ at line \d+ column \d+$/, ''));
  const known = wordings.find(([pattern]) => pattern.test(message));
  return new RpcError(code, known ? `${known[1]}: ${message}` : message);
};
