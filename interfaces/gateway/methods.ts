/** SPEC 4.5 over HTTP, and what real clients need besides; `evm_` stands for the chain's own prefix. */
const chainMethods = [
  'protocolVersion',
  'syncing',
  'gasPrice',
  'blockNumber',
  'getBalance',
  'getStorageAt',
  'getTransactionCount',
  'getBlockTransactionCountByHash',
  'getBlockTransactionCountByNumber',
  'getUncleCountByBlockHash',
  'getUncleCountByBlockNumber',
  'getCode',
  'sendRawTransaction',
  'call',
  'estimateGas',
  'getBlockByHash',
  'getBlockByNumber',
  'getTransactionByHash',
  'getTransactionByBlockHashAndIndex',
  'getTransactionByBlockNumberAndIndex',
  'getTransactionReceipt',
  'getUncleByBlockHashAndIndex',
  'getUncleByBlockNumberAndIndex',
  'getLogs',
  'chainId',
  'feeHistory',
  'maxPriorityFeePerGas',
  'getBlockReceipts',
];
const otherMethods = ['web3_clientVersion', 'net_version', 'net_peerCount', 'net_listening'];
/** Only on the development chain. */
const developmentMethods = ['dev_mine', 'dev_reorg', 'dev_transfer', 'dev_deployToken'];

const nodeNames = new Map([
  ...chainMethods.flatMap((name): [string, string][] => [
    [`evm_${name}`, `eth_${name}`],
    [`eth_${name}`, `eth_${name}`],
  ]),
  ...otherMethods.map((name): [string, string] => [name, name]),
]);

/** What the node calls a method; null when the gateway does not have it. */
export const nodeMethod = (name: string, isDevelopment: boolean): string | null => {
  if (isDevelopment && developmentMethods.includes(name)) return name;
  return nodeNames.get(name) ?? null;
};
