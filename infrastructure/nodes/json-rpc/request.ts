/** Serializes a JSON-RPC request. `params` is already JSON. */
export const requestText = (method: string, params: string, id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
