import { type Address, beginCell, Cell, contractAddress } from '@ton/core';
import type { Blockchain, SandboxContract, TreasuryContract } from '@ton/sandbox';
import { jettonCode } from '../../infrastructure/chains/development/ton/contracts/artifacts.js';

export type Wallet = SandboxContract<TreasuryContract>;
/** Chain of TON's own virtual machine with funded wallets, one in the masterchain, and a jetton that Anna holds. */
export type World = {
  readonly chain: Blockchain;
  readonly anna: Wallet;
  readonly bert: Wallet;
  readonly carl: Wallet;
  readonly mona: Wallet;
  readonly master: Address;
  /** Returns the address of an owner's jetton wallet. */
  keeper(owner: Address): Promise<Address>;
  /** Deploys, at the given address, a contract that rejects every message. */
  obstruct(address: Address): Promise<void>;
};

export const coin = 10n ** 9n;
export const annasJettons = 1_000n;
const opMint = 0x642b7d07;
const someTime = 1_750_000_000;

export const mintBody = (to: Address, amount: bigint) =>
  beginCell().storeUint(opMint, 32).storeUint(0, 64).storeAddress(to).storeCoins(amount).endCell();

export const newJetton = (salt: number) => {
  const [wallet, content] = [Cell.fromBase64(jettonCode.wallet), Cell.EMPTY];
  const data = beginCell().storeCoins(0).storeUint(salt, 64).storeRef(wallet).storeRef(content).endCell();
  const init = { code: Cell.fromBase64(jettonCode.master), data };
  return { init, address: contractAddress(0, init) };
};

/** Code that consists of the instruction THROW 50. */
const refusal = beginCell().storeUint(0xf232, 16).endCell();

const sandbox = async () => {
  try {
    return await import('@ton/sandbox');
  } catch {
    return null;
  }
};

/** Creates the world; returns null if the virtual machine, an optional dependency, is not installed. */
export const createWorld = async (): Promise<World | null> => {
  const loaded = await sandbox();
  if (!loaded) return null;
  const chain = await loaded.Blockchain.create();
  chain.now = someTime;
  const wallet = (name: string, workchain = 0) => chain.treasury(name, { workchain, balance: 1_000n * coin });
  const [anna, bert, carl, mona] = [
    await wallet('anna'),
    await wallet('bert'),
    await wallet('carl'),
    await wallet('mona', -1),
  ];
  const { address: master, init } = newJetton(1);
  await anna.send({ to: master, value: coin, init, bounce: false });
  await anna.send({ to: master, value: coin, body: mintBody(anna.address, annasJettons), bounce: true });
  const keeper = async (owner: Address) => {
    const slice = beginCell().storeAddress(owner).endCell();
    const { stackReader } = await chain.runGetMethod(master, 'get_wallet_address', [{ type: 'slice', cell: slice }]);
    return stackReader.readAddress();
  };
  const obstruct = (address: Address) => {
    const nothing = beginCell().endCell();
    const account = loaded.createShardAccount({ address, code: refusal, data: nothing, balance: 0n });
    return chain.setShardAccount(address, account);
  };
  return { chain, anna, bert, carl, mona, master, keeper, obstruct };
};
