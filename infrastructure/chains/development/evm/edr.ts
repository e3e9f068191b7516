import { createRequire } from 'node:module';
import { getBytes } from 'ethers/utils';
import { RpcError, rpcCode, toNodeError } from '../rpc-error.js';

/** Calls a method of EDR, Hardhat's embedded EVM. Rejects with an RpcError. */
export type Evm = <T>(method: string, ...params: readonly unknown[]) => Promise<T>;

type Account = { readonly address: string; readonly balance: bigint };

type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

type Provider = { handleRequest(request: string): Promise<{ readonly data: string | Answer }> };

type Context = {
  registerProviderFactory(chainType: string, factory: object): Promise<void>;
  createProvider(
    chainType: string,
    config: object,
    logger: object,
    subscriptions: object,
    decoder: object,
  ): Promise<Provider>;
};

/** Part of EDR's interface that the development chain uses. No installed package declares its types. */
export type Edr = {
  readonly EdrContext: new () => Context;
  readonly ContractDecoder: new () => object;
  readonly L1_CHAIN_TYPE: string;
  readonly MineOrdering: { readonly Fifo: unknown };
  l1ProviderFactory(): object;
  l1HardforkFromString(name: string): unknown;
  l1GenesisState(hardfork: unknown): readonly object[];
};

export const chainId = 31_337n;
const hardfork = 'Prague';
const blockGasLimit = 100_000_000n;
const coinbase = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e';
const abi: Readonly<Record<string, string>> = { linux: '-gnu', win32: '-msvc' };

/** Loads EDR's native addon from the package of this platform. Throws if the package is not installed. */
export const loadEdr = (): Edr =>
  createRequire(import.meta.url)(
    `@nomicfoundation/edr-${process.platform}-${process.arch}${abi[process.platform] ?? ''}`,
  );

const configure = (edr: Edr, accounts: readonly Account[], keys: readonly string[]) => ({
  allowBlocksWithSameTimestamp: true,
  allowUnlimitedContractSize: false,
  bailOnCallFailure: true,
  bailOnTransactionFailure: false,
  chainId,
  networkId: chainId,
  coinbase: getBytes(coinbase),
  defaultTransactionGasLimit: 16_777_216n,
  genesisState: [
    ...edr.l1GenesisState(edr.l1HardforkFromString(hardfork)),
    ...accounts.map(({ address, balance }) => ({ address: getBytes(address), balance, code: new Uint8Array() })),
  ],
  hardfork,
  initialBaseFeePerGas: 1_000_000_000n,
  minGasPrice: 0n,
  // Automatic mining is off: blocks.ts mines all blocks, because it takes a snapshot before each block.
  mining: { autoMine: false, blockGasLimit, memPool: { order: edr.MineOrdering.Fifo } },
  network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(Math.floor(Date.now() / 1000)) },
  observability: {},
  ownedAccounts: keys,
  precompileOverrides: [],
});

const quiet = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined };
const notSupported = -32004;
/** Parameter list longer than any method accepts, so that every existing method rejects it as invalid. */
const tooManyParams = Array.from({ length: 9 }, () => null);

/** EDR context. A process may have only one. */
let shared: Promise<Context> | undefined;

const openContext = async (edr: Edr) => {
  const context = new edr.EdrContext();
  await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
  return context;
};

/** Opens a new chain that funds `accounts` and signs with `keys`. */
export const openEvm = async (edr: Edr, accounts: readonly Account[], keys: readonly string[]): Promise<Evm> => {
  shared ??= openContext(edr);
  const context = await shared;
  const provider = await context.createProvider(
    edr.L1_CHAIN_TYPE,
    configure(edr, accounts, keys),
    quiet,
    { subscriptionCallback: () => undefined },
    new edr.ContractDecoder(),
  );
  const ask = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return typeof data === 'string' ? JSON.parse(data) : data;
  };
  /**
   * Returns whether EDR lacks a method. EDR reports "not supported" for unreadable parameters too, but not for too many
   * parameters.
   */
  const lacks = async (method: string) => (await ask(method, tooManyParams)).error?.code === notSupported;
  return async <T>(method: string, ...params: readonly unknown[]) => {
    const { result, error } = await ask(method, params);
    if (!error) return result as T;
    if (error.code !== notSupported) throw toNodeError(error);
    throw (await lacks(method))
      ? new RpcError(rpcCode.method, `the method ${method} does not exist/is not available`)
      : new RpcError(rpcCode.params, `invalid parameters for ${method}`);
  };
};
