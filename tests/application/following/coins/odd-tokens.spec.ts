import assert from 'node:assert/strict';
import type { Context } from '../../../../application/commands/handle.js';
import type { TokenStandard } from '../../../../domain/asset.js';
import { addressOf, type ScriptedLog, zeroAddress } from '../../../support/chains/evm-chain.js';
import { addressWord, type Contract, word } from '../../../support/chains/evm-contracts.js';
import { eventually } from '../../../support/eventually.js';
import { everyAsset, everyTransfer, openStores } from '../../../support/following/following.js';
import { startNeighbourhood } from '../../../support/following/neighbours.js';

const [token, payer, anna] = ['token', 'payer', 'anna'].map(addressOf) as [string, string, string];
const balanceOf = '0x70a08231';
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const page = { size: 10, token: undefined };

describe('a registered token that deviates from the standards', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
  let by: Context;
  beforeEach(async () => {
    stores = await openStores();
    scene = await startNeighbourhood(stores, 'odd-tokens');
    by = await scene.join('anna', [anna]);
  });
  afterEach(async () => {
    await scene.close();
    await stores.close();
  });

  const register = async (contract: Contract, standard: TokenStandard) => {
    scene.chain.deploy(token, contract);
    await scene.app().contracts.register(by, token, standard);
  };
  const holds = (balance: bigint): Contract => ({ standard: 'erc20', answers: { [balanceOf]: `0x${word(balance)}` } });
  const logged = (topics: readonly string[], data: string): ScriptedLog => ({ address: token, topics, data });
  const listed = (standard: TokenStandard, values: readonly string[], balances: readonly string[]) =>
    eventually(async () => {
      const { app } = scene;
      const transfers = (await app().transfers.list(by, { ...everyTransfer, address: anna }, page)).documents;
      const assets = (await app().assets.list(by, { ...everyAsset, standard, address: anna }, page)).documents;
      const movements = transfers.map(({ transfer: { from, to, value } }) => `${from} ${to} ${value}`);
      assert.deepEqual([new Set(movements), assets.map((one) => one.balance)], [new Set(values), balances]);
    });

  it('has the balance reported by the node when it charges a fee on each transfer', async () => {
    await register(holds(0n), 'erc20');
    const asset = { standard: 'erc20', contract: token } as const;
    scene.chain.deploy(token, holds(93n));
    scene.chain.mine([{ from: payer, to: token, tokens: [{ asset, from: payer, to: anna, value: 100n }] }]);
    await listed('erc20', [`${payer} ${anna} 100`], ['93']);
  });
  it('has the balance reported by the node when all balances grow without a transfer', async () => {
    await register(holds(0n), 'erc20');
    const asset = { standard: 'erc20', contract: token } as const;
    scene.chain.deploy(token, holds(100n));
    scene.chain.mine([{ from: payer, to: token, tokens: [{ asset, from: payer, to: anna, value: 100n }] }]);
    await listed('erc20', [`${payer} ${anna} 100`], ['100']);
    scene.chain.deploy(token, holds(105n));
    await scene.app().balances.refresh(by, { walletId: undefined, address: anna, standard: 'erc20' });
    await listed('erc20', [`${payer} ${anna} 100`], ['105']);
    scene.chain.deploy(token, holds(108n));
    scene.chain.mine([{ from: payer, to: token, tokens: [{ asset, from: anna, to: payer, value: 1n }] }]);
    await listed('erc20', [`${payer} ${anna} 100`, `${anna} ${payer} 1`], ['108']);
  });
  it('has a balance and a transfer after coins were wrapped without a Transfer log', async () => {
    await register(holds(0n), 'erc20');
    scene.chain.deploy(token, holds(5n));
    const wrapped = logged([deposit, `0x${addressWord(anna)}`], `0x${word(5)}`);
    scene.chain.mine([{ from: payer, to: token, value: 5n, logs: [wrapped] }]);
    await listed('erc20', [`${zeroAddress} ${anna} 5`], ['5']);
  });
  it('is followed as ERC-721 even if it predates that standard', async () => {
    await register({ standard: 'erc721', interfaceId: '9a20483d', name: 'CryptoKitties' }, 'erc721');
    const asset = { standard: 'erc721', contract: token, tokenId: '7' } as const;
    const early = logged([transfer], `0x${addressWord(payer)}${addressWord(anna)}${word(7)}`);
    scene.chain.mine([{ from: payer, to: token, silentTokens: [{ asset, from: payer, to: anna }], logs: [early] }]);
    await listed('erc721', [`${payer} ${anna} 1`], ['1']);
  });
});
