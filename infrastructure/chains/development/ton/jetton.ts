import { randomBytes } from 'node:crypto';
import { type Address, beginCell, Cell, contractAddress, type Transaction } from '@ton/core';
import type { SandboxContract, TreasuryContract } from '@ton/sandbox';
import { jettonCode } from './contracts/artifacts.js';

export type Faucet = SandboxContract<TreasuryContract>;

const coin = 10n ** 9n;
const opMint = 0x642b7d07;

const newState = () => {
  const salt = randomBytes(8).readBigUInt64BE();
  const data = beginCell().storeCoins(0).storeUint(salt, 64).storeRef(Cell.fromBase64(jettonCode.wallet)).endCell();
  return { code: Cell.fromBase64(jettonCode.master), data };
};

/** A jetton that anybody may mint. */
export const deployJetton = async (faucet: Faucet) => {
  const init = newState();
  const master = contractAddress(0, init);
  const { transactions } = await faucet.send({ to: master, value: coin, init, bounce: false });
  return { master, transactions };
};

export const mintJettons = async (faucet: Faucet, order: { master: Address; to: Address; amount: bigint }) => {
  const { master, to, amount } = order;
  const body = beginCell().storeUint(opMint, 32).storeUint(0, 64).storeAddress(to).storeCoins(amount).endCell();
  const { transactions } = await faucet.send({ to: master, value: coin / 5n, bounce: true, body });
  return transactions as readonly Transaction[];
};
