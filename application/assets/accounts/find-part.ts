import type { ImportedToken } from '../../../domain/asset.js';
import { Failure } from '../../../domain/failure.js';
import type { Variant } from '../../../domain/variant.js';
import { type AddressDocument, addresses, addressImports } from '../../../projections/addresses.js';
import { assetDocumentId } from '../../../projections/assets.js';
import type { ContractDocument } from '../../../projections/contracts.js';
import { groupBy } from '../../async/group-by.js';
import { type Context, type Handle, scopeFor } from '../../commands/handle.js';
import type { Chain } from '../../ports/chain.js';
import type { EventStore } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { addressStep } from '../../wallets/addresses.js';
import { confirmedHeader, readBalances, recordBalances } from '../balance-ledger.js';
import { createAddressCursors } from './address-cursor.js';
import { createLateAccounts } from './late-accounts.js';

export type FindingPorts = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly chain: Chain;
  readonly system: System;
};
type RegisteredToken = Pick<ContractDocument, 'contract' | 'position'>;
type Found = { readonly document: AddressDocument; readonly account: string };

const addressesAtOnce = 16;

/**
 * Looks up the token account of an owner; null when the token contract names no account, or the account names another
 * owner or token.
 */
const askAccount = async (chain: Chain, owner: string, asset: ImportedToken): Promise<string | null> => {
  try {
    return (await chain.tokens({ owner, asset, account: undefined })).account ?? null;
  } catch (error) {
    if (error instanceof Failure && error.code === 'FAILED_PRECONDITION') return null;
    throw error;
  }
};

/**
 * Returns a function that finds the token accounts of the next addresses, and resolves to true while further addresses
 * remain.
 */
export const createFindPart = (ports: FindingPorts, variant: Variant) => {
  const { events, readModels, handle, chain } = ports;
  const cursors = createAddressCursors(ports.state, variant);
  const late = createLateAccounts(ports.state, variant, ports.system);

  const findAccounts = async (scope: string, documents: readonly AddressDocument[], asset: ImportedToken) => {
    const found: Found[] = [];
    const ids = documents.map(({ wallet_id, address }) => assetDocumentId(wallet_id, address, asset));
    const imports = await readModels.getMany(
      addressImports,
      ids.map((id) => ({ scope, id })),
    );
    for (const [i, document] of documents.entries()) {
      const isImported = (imports[i]?.position ?? 0) > document.position;
      const account = isImported ? null : await askAccount(chain, document.address, asset);
      if (account !== null) found.push({ document, account });
    }
    return found;
  };

  const note = (context: Context, asset: ImportedToken, found: readonly Found[]) =>
    handle(
      context,
      found.map(({ document: { address, wallet_id: walletId }, account }) =>
        addressStep(context, { type: 'NoteAccount', data: { address, walletId, asset, account } }, ''),
      ),
    );

  /**
   * Records the balances that the accounts already hold. The accounts must be recorded first, so that the follower sees
   * every transfer that happens after the balances were read.
   */
  const readHeld = async (context: Context, asset: ImportedToken, found: readonly Found[]) => {
    const { at } = await confirmedHeader(chain, variant, undefined);
    const { hash: first } = await chain.genesis();
    for (const [walletId, own] of groupBy(found, ({ document }) => document.wallet_id)) {
      const holdings = own.map(({ document: { address } }) => ({ address, asset }));
      const balances = (await readBalances(chain, holdings, at)).filter(({ balance }) => balance !== '0');
      if (balances.length > 0) await recordBalances(handle, context, { walletId, balances, at, chain: first });
    }
  };

  /**
   * Returns the earliest time (Unix ms) from which one of the accounts should have been followed. An account should be
   * followed from the registration of its address or of its contract, whichever is later.
   */
  const sinceOf = async ({ organizationId }: Context, registered: number, found: readonly Found[]) => {
    const positions = found.map(({ document }) => Math.max(document.position, registered));
    const history = events.readOrganizationBackwards(organizationId, { position: Math.min(...positions) });
    for await (const [registration] of history) if (registration) return registration.time;
    return ports.system.now();
  };

  return async (context: Context, { contract, position }: RegisteredToken): Promise<boolean> => {
    const { organizationId } = context;
    const { after, revision } = await cursors.read(organizationId, contract, await events.head());
    const scope = scopeFor(context);
    const query = { index: 'all', equal: [], limit: addressesAtOnce, after, oldestFirst: true };
    const { documents, next } = await readModels.page(addresses, scope, query);
    const last = documents.at(-1);
    if (!last) return false;
    const asset: ImportedToken = { standard: 'token', contract };
    const found = await findAccounts(scope, documents, asset);
    if (found.length > 0) {
      await note(context, asset, found);
      const since = await sinceOf(context, position, found);
      await late.add({ organizationId, contract, since, more: next !== null });
      await readHeld(context, asset, found);
    }
    await cursors.save(organizationId, contract, { after: [last.position, last.address], revision });
    return next !== null;
  };
};
