import { HDNodeWallet } from 'ethers/wallet';
import { createMutex } from '../../../../application/async/mutex.js';
import type { Log } from '../../../../application/ports/system.js';
import { createInterval } from '../interval.js';
import { RpcError, rpcCode, toRpcError } from '../rpc-error.js';
import { resolveTags } from './block-tags.js';
import { createBlocks } from './blocks.js';
import { controls } from './controls.js';
import { type Edr, loadEdr, openEvm } from './edr.js';
import { createFaucet, newFaucetKey } from './faucet.js';
import { type Methods, nodeMethods } from './methods.js';
import type { Parts } from './parts.js';
import { createPool } from './pool.js';
import { startServer } from './server.js';
import { createSubscriptions, type Listener } from './subscriptions.js';

export type DevelopmentChain = {
  /** URL of the HTTP endpoint, http://127.0.0.1:<port>. */
  readonly url: string;
  readonly wsUrl: string;
  /** Calls a JSON-RPC method. Rejects with an error that has the JSON-RPC `code` and `data`. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

/** Public test mnemonic of the development accounts. Never use these accounts on another chain. */
const phrase = 'test test test test test test test test test test test junk';
const accountCount = 10;
const ether = 10n ** 18n;
const balance = 10_000n * ether;
const faucetBalance = 10n ** 12n * ether;

const deriveAccounts = () => {
  const root = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0");
  return Array.from({ length: accountCount }, (_, i) => root.deriveChild(i));
};

const openChain = async (edr: Edr, instant: boolean) => {
  const accounts = deriveAccounts();
  const faucetKey = newFaucetKey();
  const funded = accounts.map(({ address }) => ({ address, balance }));
  const evm = await openEvm(
    edr,
    [...funded, { address: faucetKey.address, balance: faucetBalance }],
    accounts.map(({ privateKey }) => privateKey),
  );
  const subscriptions = createSubscriptions(evm);
  const blocks = createBlocks(evm, subscriptions.publish);
  const pool = createPool(evm, blocks, subscriptions.announce, instant);
  const parts: Parts = { evm, subscriptions, blocks, pool };
  return { parts, faucet: createFaucet(parts, faucetKey) };
};

/** Creates a queue that answers requests one at a time, so that no request sees a partial reorganization. */
const createRequest = ({ evm, blocks }: Parts, methods: Methods, log: Log) => {
  const inTurn = createMutex();
  let open = true;
  const run = async (method: string, given: readonly unknown[], listener?: Listener) => {
    if (!open) throw new RpcError(rpcCode.node, 'development chain is closed');
    const params = await resolveTags(blocks, given);
    const own = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return own ? own(params, listener) : evm(method, ...params);
  };
  return {
    request: (method: string, params: readonly unknown[], listener?: Listener) =>
      inTurn(() => run(method, params, listener)).catch((error: unknown) => {
        if (!(error instanceof RpcError)) log.error({ err: error, method }, 'Development chain failed to answer');
        throw toRpcError(error);
      }),
    /** Rejects new requests and resolves once the last accepted request has ended. */
    end: () =>
      inTurn(async () => {
        open = false;
      }),
  };
};

/**
 * Starts a new chain at height 0 with a block every `blockMs` milliseconds. If `blockMs` is 0, blocks are mined only on
 * request and for each transaction.
 */
const startChain = async (edr: Edr, blockMs: number, log: Log): Promise<DevelopmentChain> => {
  const { parts, faucet } = await openChain(edr, blockMs === 0);
  const interval = createInterval(
    () => request('evm_mine', []),
    (error) => log.warn({ err: error, family: 'evm' }, 'Development chain failed to produce a block'),
  );
  const methods = { ...nodeMethods(parts, interval.every), ...controls(parts, faucet) };
  const { request, end } = createRequest(parts, methods, log);
  const { url, wsUrl, close } = await startServer({ request, forget: parts.subscriptions.forget });
  interval.every(blockMs);
  return {
    url,
    wsUrl,
    request: (method, params) => request(method, params),
    close: async () => {
      interval.every(0);
      await close();
      await end();
    },
  };
};

/** Starts a development EVM; null if EDR, an optional dependency, is not available for this machine. */
export const startDevelopmentEvm = async (options: {
  readonly blockMs: number;
  readonly log: Log;
}): Promise<DevelopmentChain | null> => {
  let edr: Edr;
  try {
    edr = loadEdr();
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    options.log.warn(
      { reason },
      'Development EVM cannot be started, because its native package (available only for Linux) cannot be loaded',
    );
    return null;
  }
  return startChain(edr, options.blockMs, options.log);
};
