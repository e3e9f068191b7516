import type { Chain } from '../../../application/ports/chain.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { addressOf, createEvmChain, type EvmChain, type ScriptedTransaction } from '../chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../chains/evm-node.js';
import { until } from '../eventually.js';
import { silent } from '../silent.js';
import { crashableStores } from './crashable-stores.js';
import { contextOf, openStores, type Running, startFollowing, transfersOf } from './following.js';

export const [ann, ben, other] = ['ann', 'ben', 'other'].map(addressOf) as [string, string, string];
const token = addressOf('token');
export const erc20 = { standard: 'erc20', contract: token } as const;
export const early = contextOf('org_early');
export const late = contextOf('org_late');

export type ImportScene = Awaited<ReturnType<typeof openImportScene>>;

type Stores = Awaited<ReturnType<typeof openStores>>;

/**
 * Starts a chain, a node and a service that follows the chain. `importFrom` requests an import for the organization
 * `late`.
 */
export const openImportScene = async (
  name: string,
  around: (chain: Chain) => Chain = (chain) => chain,
  observe: (stores: Stores) => Stores = (stores) => stores,
) => {
  const chain = createEvmChain(name);
  chain.deploy(token, { standard: 'erc20' } as never);
  const node: EvmNode = await startEvmNode({ chain });
  const connected = await evmChain([node.url], silent);
  const given = await openStores();
  const crashable = crashableStores(observe(given));
  const { stores } = crashable;
  let running: Running = startFollowing(stores, around(connected));
  const register = async (by: typeof early, address: string) => {
    const wallet = { name: 'w', confirmation: 2, address, importAsset: undefined };
    const { answer, position } = await running.app.wallets.register(by, wallet);
    await running.app.contracts.register(by, token, 'erc20');
    await running.app.progress.reached(position, 5000);
    return answer.wallet_id;
  };
  const followed = () =>
    until('the chain is followed', () => running.app.followers[0]?.status()?.height === chain.head().number);
  const importFrom = async (address: string, of: { fromBlock?: number; fromTime?: number } = {}) => {
    const { answer, position } = await running.app.requestImport(late, { address, ...of });
    await running.app.progress.reached(position, 5000);
    return answer.import_id;
  };
  const found = (importId: string) => running.app.historyImports.find(late, importId);
  return {
    chain,
    stores: given,
    crashable,
    app: () => running.app,
    register,
    followed,
    importFrom,
    found,
    ended: async (importId: string) => {
      // Mines two blocks, so that the last block to import is confirmed and the import can end.
      mineSome(chain, [[], []]);
      await until(`import ${importId} ends`, async () => (await found(importId)).state !== 'RUNNING');
      return found(importId);
    },
    restart: async () => {
      await running.stop();
      crashable.revive();
      running = startFollowing(stores, around(connected));
    },
    close: async () => {
      await running.stop();
      await connected.close();
      await node.close();
      await given.close();
    },
  };
};

/** Returns the recorded transfers of a wallet without the fields that differ between wallets. */
export const recordedOf = async ({ app }: ImportScene, by: typeof early, walletId: string) =>
  (await transfersOf(app(), by, walletId))
    .filter(({ state }) => state !== 'REMOVED')
    .map(({ transfer, own_from, own_to, state, block_hash }) => ({ transfer, own_from, own_to, state, block_hash }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

export const mineSome = (chain: EvmChain, blocks: readonly (readonly ScriptedTransaction[])[]) => {
  for (const transactions of blocks) chain.mine(transactions);
};
export const someBlocks: readonly (readonly ScriptedTransaction[])[] = [
  [{ from: other, to: ann, value: 7n }],
  [],
  [{ from: ann, to: ben, value: 3n, failed: true }],
  [{ from: other, to: token, tokens: [{ asset: erc20, from: other, to: ann, value: 100n }] }],
  [{ from: ann, to: token, tokens: [{ asset: erc20, from: ann, to: ben, value: 40n }] }],
  [{ from: other, to: ben, internal: [{ from: ben, to: ann, value: 2n }] }],
];
