import type { Asset } from '../../domain/asset.js';
import { refuse } from '../../domain/failure.js';
import { wallets } from '../../projections/wallets.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor } from '../commands/handle.js';
import type { FoundTokens } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { type AddressBook, single } from '../wallets/address-parser.js';
import { addressStep } from '../wallets/addresses.js';
import type { Balances } from './balances.js';

type Named = {
  readonly address: string | undefined;
  readonly token: string | undefined;
  readonly account: string | undefined;
};

type Registered = { walletId: string; address: string; confirmation?: number | undefined };

export type AssetImports = {
  /** Reads what an address has; tokens are followed from then on. */
  take(context: Context, named: Named): Promise<Done<Nothing>>;
  /**
   * Reads what an address has that was just registered. Should no node answer soon, the follower does it when one does:
   * the address is registered all the same.
   */
  registered<T>(context: Context, done: Done<T>, of: Registered): Promise<Done<T>>;
};

const patienceMs = 2000;
const native: Asset = { standard: 'native' };

export const createAssetImports = (ports: {
  handle: Handle;
  readModels: ReadModels;
  addressBook: AddressBook;
  balances: Balances;
  chains: Chains;
  system: System;
}): AssetImports => {
  const { handle, readModels, addressBook, balances, chains, system } = ports;

  const parsed = (context: Context, text: string | undefined, path: string) =>
    text === undefined ? undefined : addressBook.parse(context, [{ text, path }])[0]?.[0];
  const addressNeeded = () =>
    refuse('INVALID_ARGUMENT', 'address is missing', [{ path: '/address', message: 'is missing' }]);

  const find = async (context: Context, { address, token, account }: Named): Promise<FoundTokens> => {
    const owner = parsed(context, address, '/address');
    const asset = token === undefined ? undefined : addressBook.asset(context, token);
    if (asset?.standard === 'native' || (asset === undefined && account === undefined))
      return { owner: owner ?? addressNeeded(), asset: native };
    if (asset !== undefined && asset.standard !== 'token')
      return refuse('INVALID_ARGUMENT', 'no such token is imported');
    const named = { owner, asset, account: parsed(context, account, '/token_account_address') };
    return chains.of(context.variant).tokens(named);
  };

  const confirmationOf = async (context: Context, walletId: string) =>
    (await readModels.get(wallets, { scope: scopeFor(context), id: walletId }))?.confirmation;

  return {
    take: async (context, named) => {
      const { owner, asset, account } = await find(context, named);
      const held = (await addressBook.look(context, owner)) ?? refuse('NOT_FOUND', 'there is no such address');
      const walletId = held.wallet_id;
      if (asset.standard === 'token') {
        const data = { address: owner, walletId, asset, ...(account !== undefined && { account }) };
        await handle(context, [addressStep(context, { type: 'Import', data }, '/address')]);
      }
      const holdings = [{ address: owner, asset }];
      const confirmation = await confirmationOf(context, walletId);
      const position = await balances.take(context, { walletId, confirmation, holdings });
      return { answer: {}, position };
    },
    registered: async (context, { answer, position }, { walletId, address, confirmation }) => {
      const own = confirmation ?? (await confirmationOf(context, walletId));
      const holdings = addressBook
        .parse(context, single(address))
        .map(([stored]) => ({ address: stored, asset: native }));
      const taken = balances.take(context, { walletId, confirmation: own, holdings }).catch((error: unknown) => {
        system.log.warn({ wallet: walletId, err: error }, 'a balance cannot be imported right now');
        return position;
      });
      return { answer, position: await Promise.race([taken, system.sleep(patienceMs).then(() => position)]) };
    },
  };
};
