import type { Balance } from '../../domain/aggregates/ledger/ledger-data.js';
import type { Asset } from '../../domain/asset.js';
import { fail, invalid } from '../../domain/failure.js';
import { wallets } from '../../projections/wallets.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor } from '../commands/handle.js';
import type { FoundTokens } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { type AddressInput, type AddressParser, singleAddress } from '../wallets/address-parser.js';
import { addressStep } from '../wallets/addresses.js';
import type { Balances } from './balances.js';

type AssetReference = {
  readonly address: string | undefined;
  readonly token: string | undefined;
  readonly account: string | undefined;
};

type Registered = { walletId: string; address: string; confirmation?: number | undefined };

export type AssetImports = {
  /** Reads the balance of an address in the chain's own coin or a token. A token is followed from then on. */
  importAsset(context: Context, named: AssetReference): Promise<Done<Nothing>>;
  /**
   * Reads the balance of an address that was just registered. The registration succeeds even if no node responds within
   * `timeoutMs`: the follower then reads the balance later.
   */
  afterRegistration<T>(context: Context, done: Done<T>, of: Registered): Promise<Done<T>>;
};

const timeoutMs = 2000;
const native: Asset = { standard: 'native' };
const named = (text: string | undefined, path: string): readonly AddressInput[] =>
  text === undefined ? [] : [{ text, path }];

export const createAssetImports = (ports: {
  handle: Handle;
  readModels: ReadModels;
  addressParser: AddressParser;
  balances: Balances;
  chains: Chains;
  system: System;
}): AssetImports => {
  const { handle, readModels, addressParser, balances, chains, system } = ports;

  const parsed = (context: Context, text: string | undefined, path: string) =>
    text === undefined ? undefined : addressParser.parse(context, [{ text, path }])[0]?.[0];
  const addressNeeded = () =>
    invalid('/address', "is required for the chain's own coin. A token may be named by token_account_address instead");

  const find = async (context: Context, { address, token, account }: AssetReference): Promise<FoundTokens> => {
    await addressParser.checkNetwork(context, [
      ...named(address, '/address'),
      ...named(token, '/token_address'),
      ...named(account, '/token_account_address'),
    ]);
    const owner = parsed(context, address, '/address');
    const asset = token === undefined ? undefined : addressParser.asset(context, token);
    if (asset?.standard === 'native' || (asset === undefined && account === undefined))
      return { owner: owner ?? addressNeeded(), asset: native };
    if (asset !== undefined && asset.standard !== 'token')
      return invalid('/token_address', 'names a token whose standard does not support imports');
    const tokens = { owner, asset, account: parsed(context, account, '/token_account_address') };
    return chains.of(context.variant).tokens(tokens);
  };

  const confirmationOf = async (context: Context, walletId: string) =>
    (await readModels.get(wallets, { scope: scopeFor(context), id: walletId }))?.confirmation;

  return {
    importAsset: async (context, named) => {
      const { owner, asset, account } = await find(context, named);
      const held =
        (await addressParser.findRegistered(context, owner)) ?? fail('NOT_FOUND', `Address not found: ${owner}`);
      const walletId = held.wallet_id;
      const storeImport = async (found: readonly Balance[]) => {
        if (asset.standard !== 'token') return;
        // A token without a readable balance is rejected, because the follower could not read its balance after
        // transfers either.
        if (found.length === 0)
          fail(
            'FAILED_PRECONDITION',
            `Token ${asset.contract} reports no balance for ${owner}, so it cannot be imported.`,
          );
        const data = { address: owner, walletId, asset, ...(account !== undefined && { account }) };
        await handle(context, [addressStep(context, { type: 'Import', data }, '/address')]);
      };
      const holdings = [{ address: owner, asset }];
      const confirmation = await confirmationOf(context, walletId);
      const position = await balances.snapshot(context, { walletId, confirmation, holdings, onRead: storeImport });
      return { answer: {}, position };
    },
    afterRegistration: async (context, { answer, position }, { walletId, address, confirmation }) => {
      const own = confirmation ?? (await confirmationOf(context, walletId));
      const holdings = addressParser
        .parse(context, singleAddress(address))
        .map(([stored]) => ({ address: stored, asset: native }));
      const taken = balances.snapshot(context, { walletId, confirmation: own, holdings }).catch((error: unknown) => {
        system.log.warn(
          { wallet: walletId, err: error },
          'Balance of a new address could not be read; the follower will read it later',
        );
        return position;
      });
      return { answer, position: await Promise.race([taken, system.sleep(timeoutMs).then(() => position)]) };
    },
  };
};
