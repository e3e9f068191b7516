import { createHash, randomBytes } from 'node:crypto';
import { type Address, beginCell, Cell, contractAddress, Dictionary, type Transaction } from '@ton/core';
import type { SandboxContract, TreasuryContract } from '@ton/sandbox';
import { jettonCode } from './contracts/artifacts.js';

export type Faucet = SandboxContract<TreasuryContract>;

const coin = 10n ** 9n;
const opMint = 0x642b7d07;

/** Encodes jetton metadata as on-chain content (TEP-64). */
export const contentOf = (said: Readonly<Record<string, string>>): Cell => {
  const entries = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  for (const [name, value] of Object.entries(said))
    entries.set(
      createHash('sha256').update(name).digest(),
      beginCell().storeUint(0, 8).storeStringTail(value).endCell(),
    );
  return beginCell().storeUint(0, 8).storeDict(entries).endCell();
};

const newState = () => {
  const salt = randomBytes(8).readBigUInt64BE();
  const [code, wallet] = [jettonCode.master, jettonCode.wallet].map((text) => Cell.fromBase64(text)) as [Cell, Cell];
  const content = contentOf({ name: 'Test jetton', symbol: 'TEST', decimals: '6' });
  return { code, data: beginCell().storeCoins(0).storeUint(salt, 64).storeRef(wallet).storeRef(content).endCell() };
};

/** Deploys a jetton that anybody can mint. */
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
