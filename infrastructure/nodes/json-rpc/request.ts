/** Writes a call; `params` is JSON already. */
export const requestText = (method: string, params: string, id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
