import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { Address, beginCell } from '@ton/core';
import type { Blockchain } from '@ton/sandbox';
import { createMutex } from '../../../../application/async/mutex.js';
import type { Log } from '../../../../application/ports/system.js';
import type { DevelopmentControls } from '../development-node.js';
import { createInterval } from '../interval.js';
import { readOptional } from '../parameters.js';
import { invalid, RpcError, rpcCode } from '../rpc-error.js';
import { indexAnswers } from './answers.js';
import { type CommittedBlock, createTonBlocks, type TonBlocks } from './blocks.js';
import { deployJetton, type Faucet, mintJettons } from './jetton.js';
import { startIndex } from './server.js';

type Sandbox = typeof import('@ton/sandbox');
type Options = Parameters<DevelopmentControls['transfer']>[0];

const coin = 10n ** 9n;
const faucetBalance = 10n ** 12n * coin;
const secondsNow = () => Math.floor(Date.now() / 1000);

/** Reads an address. Value sent to a bounceable address bounces unless a contract there accepts it. */
const readReceiver = (name: string, value: unknown) => {
  const text = String(value);
  try {
    if (Address.isRaw(text)) return { to: Address.parseRaw(text), bounce: false };
    const { address, isBounceable } = Address.parseFriendly(text);
    return { to: address, bounce: isBounceable };
  } catch {
    return invalid(`${name} must be a TON address: workchain:hex, or 48 characters of base64`);
  }
};
const textBody = (message: unknown) =>
  message == null ? beginCell().endCell() : beginCell().storeUint(0, 32).storeStringTail(String(message)).endCell();

const describeBlock = ({ seqno, hash, transactions }: CommittedBlock) => ({
  block_hash: Buffer.from(hash, 'base64').toString('hex'),
  block_number: seqno,
  transaction_hashes: transactions.map((one) => Buffer.from(one.hash, 'base64').toString('hex')),
});

/** Creates a faucet, which sends from its own account and resolves once the transaction is in a block. */
const createFaucet = (chain: Blockchain, blocks: TonBlocks, faucet: Faucet) => {
  const now = () => {
    chain.now = secondsNow();
  };
  const tokens = async (master: Address, to: Address, value: bigint) => {
    const transactions = await mintJettons(faucet, { master, to, amount: value });
    const block = describeBlock(blocks.make(transactions));
    const isMinted = transactions.every(({ description }) => description.type === 'generic' && !description.aborted);
    if (!isMinted) return invalid('token must be the address of a jetton master on this chain');
    // The third transaction delivers the tokens; the last one returns the remaining coins.
    const transaction_hash = block.transaction_hashes[2] ?? '';
    return { transaction_hash, ...block, to: to.toRawString(), value: String(value), token: master.toRawString() };
  };
  return {
    transfer: async ({ to: receiver, value: given, token, message }: Options) => {
      const { to, bounce } = readReceiver('to', receiver);
      const value = readOptional('value', given) ?? invalid('value is required');
      now();
      if (token != null) return tokens(readReceiver('token', token).to, to, value);
      const { transactions } = await faucet.send({ to, value, bounce, body: textBody(message) });
      const block = describeBlock(blocks.make(transactions));
      // The first transaction of the block belongs to the faucet's account, the second to the receiver's account.
      const transaction_hash = block.transaction_hashes[1] ?? '';
      return { transaction_hash, ...block, to: to.toRawString(), value: String(value) };
    },
    deployToken: async () => {
      now();
      const { master, transactions } = await deployJetton(faucet);
      const block = describeBlock(blocks.make(transactions));
      const transaction_hash = block.transaction_hashes[1] ?? '';
      return { transaction_hash, ...block, contract_address: master.toRawString(), type: 'JETTON' };
    },
  };
};

const startChain = async ({ Blockchain }: Sandbox, blockMs: number, log: Log) => {
  const chain = await Blockchain.create();
  const faucet = await chain.treasury(randomBytes(16).toString('hex'), { balance: faucetBalance });
  const blocks = createTonBlocks(secondsNow);
  const inTurn = createMutex();
  const { transfer, deployToken } = createFaucet(chain, blocks, faucet);
  const tick = () => inTurn(async () => blocks.make([]));
  const interval = createInterval(tick, (error) =>
    log.warn({ err: error, family: 'ton' }, 'Development chain failed to produce a block'),
  );
  const server = await startIndex(indexAnswers(chain, blocks), inTurn);
  let isOpen = true;
  const whileOpen = async <T>(work: () => Promise<T>) => {
    if (!isOpen) throw new RpcError(rpcCode.node, 'development chain is closed');
    return inTurn(work);
  };
  const controls: DevelopmentControls = {
    transfer: (options) => whileOpen(() => transfer(options)),
    deployToken: () => whileOpen(deployToken),
    mine: async (count) => {
      for (let left = count; left > 0; left--) await tick();
    },
  };
  interval.every(blockMs);
  return {
    urls: [server.url],
    controls,
    close: async () => {
      isOpen = false;
      interval.every(0);
      await server.close();
      await inTurn(async () => undefined);
    },
  };
};

const load = (): Sandbox => createRequire(import.meta.url)('@ton/sandbox');

/**
 * Starts a development chain on @ton/sandbox, an optional dependency with the virtual machine of TON; null if it cannot
 * be loaded.
 */
export const startDevelopmentTon = async ({ blockMs, log }: { readonly blockMs: number; readonly log: Log }) => {
  let sandbox: Sandbox;
  try {
    sandbox = load();
  } catch (error) {
    log.warn({ err: error }, 'Development chain of TON cannot be started: @ton/sandbox cannot be loaded');
    return null;
  }
  return startChain(sandbox, blockMs, log);
};
