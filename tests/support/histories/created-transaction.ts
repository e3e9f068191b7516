/** Data of a command `Create` for a transaction, without the transaction id. */
export const createdTransaction = {
  walletId: 'wal_1',
  chain: '0xchain',
  from: `0x${'1'.repeat(40)}`,
  to: `0x${'2'.repeat(40)}`,
  chainId: 1,
  nonce: 0,
  value: '1',
  gas: '21000',
  gasPrice: '1',
  data: '0x',
  request: 'r',
};
