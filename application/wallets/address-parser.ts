import { maxAddressLength } from '../../domain/aggregates/address.js';
import type { Asset } from '../../domain/asset.js';
import { type Fault, fail, invalid } from '../../domain/failure.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import { type AddressCodecs, invalidAddress } from '../ports/codec.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** Address in its stored form and in the user-friendly form of its chain. */
export type AddressRecord = { address: string; user_friendly_address: string };

/** Address as sent, and its JSON pointer in the request. */
export type AddressInput = { readonly text: string; readonly path: string };
export const singleAddress = (text: string): readonly AddressInput[] => [{ text, path: '/address' }];
export const addressList = (texts: readonly string[]): readonly AddressInput[] =>
  texts.map((text, i) => ({ text, path: `/addresses/${i}` }));

/** Converts addresses between the forms that callers send, the stored form and the displayed form. */
export type AddressParser = {
  /**
   * Returns each distinct address with the path of its first occurrence. Rejects with one fault per invalid address.
   */
  parse(context: Context, inputs: readonly AddressInput[]): readonly (readonly [stored: string, path: string])[];
  /** Rejects testnet-only addresses when the chain is a main network. */
  checkNetwork(context: Context, inputs: readonly AddressInput[]): Promise<void>;
  /** Returns the document of an address; null when it is not registered. */
  findRegistered(context: Context, input: string): Promise<AddressDocument | null>;
  show(context: Context, stored: string): AddressRecord;
  /** Returns the stored form of a transaction's identifier. */
  transaction(context: Context, input: string): string;
  /** Returns the asset with this token address. */
  asset(context: Context, input: string): Asset;
  /** Returns all addresses of a wallet, oldest first; null when there are more than `maxAddresses`. */
  first(context: Context, walletId: string, maxAddresses: number): Promise<readonly AddressDocument[] | null>;
  /** Yields all addresses of a wallet in pages, oldest first. */
  pages(context: Context, walletId: string): AsyncIterable<readonly AddressDocument[]>;
};

const pageSize = 1000;

export const createAddressParser = (ports: {
  readModels: ReadModels;
  codecs: AddressCodecs;
  chains: Pick<Chains, 'familyOf' | 'find'>;
  system: System;
}): AddressParser => {
  const { readModels, codecs, chains, system } = ports;
  const codec = ({ variant }: Context) => codecs[chains.familyOf(variant)];

  /**
   * Parses an address. Rejects an address that is too long for the watch list here, where the caller still receives the
   * error.
   */
  const read = (context: Context, text: string): { stored: string } | { message: string } => {
    const family = chains.familyOf(context.variant);
    const stored = codecs[family].parse(text);
    if (stored === null) return { message: invalidAddress(family, codecs[family].fault(text)) };
    if (stored.length <= maxAddressLength) return { stored };
    return {
      message: invalidAddress(family, `must have at most ${maxAddressLength} characters, has ${stored.length}`),
    };
  };

  const parse: AddressParser['parse'] = (context, inputs) => {
    const parsed = new Map<string, string>();
    const faults: Fault[] = [];
    for (const { text, path } of inputs) {
      const found = read(context, text);
      if ('message' in found) faults.push({ path, message: found.message });
      else if (!parsed.has(found.stored)) parsed.set(found.stored, path);
    }
    const [first] = faults;
    if (!first) return [...parsed];
    const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    return fail('INVALID_ARGUMENT', `${first.path} ${first.message}${others}`, faults);
  };

  return {
    parse,
    checkNetwork: async (context, inputs) => {
      const forTests = inputs.filter(({ text }) => codec(context).isForTests?.(text));
      const [first] = forTests;
      if (!first || !(await chains.find(context.variant)?.isMainNetwork?.())) return;
      const message = 'is a testnet-only address, but this chain is the main network';
      const faults = forTests.map(({ path }) => ({ path, message }));
      fail('INVALID_ARGUMENT', `${first.path} ${message}`, faults);
    },
    findRegistered: async (context, input) => {
      const [[id] = ['']] = parse(context, singleAddress(input));
      return readModels.get(addresses, { scope: scopeFor(context), id });
    },
    show: (context, stored) => ({ address: stored, user_friendly_address: codec(context).friendly(stored) }),
    transaction: (context, input) => codec(context).transaction(input),
    asset: (context, input) => {
      const { assetForm, asset } = codec(context);
      const rule = assetForm === null ? '' : `: must be ${assetForm}`;
      return asset(input) ?? invalid('/token_address', `does not name a token of this chain${rule}`);
    },
    first: async (context, walletId, maxAddresses) => {
      const query = { index: 'byWallet', equal: [walletId], limit: maxAddresses, oldestFirst: true };
      const { documents, next } = await readModels.page(addresses, scopeFor(context), query);
      if (next) return null;
      context.touch?.(documents.length);
      return documents;
    },
    pages: async function* (context, walletId) {
      let after: PageKey | undefined;
      do {
        const query = { index: 'byWallet', equal: [walletId], limit: pageSize, after, oldestFirst: true };
        const page = await readModels.page(addresses, scopeFor(context), query);
        context.touch?.(page.documents.length);
        yield page.documents;
        after = page.next ?? undefined;
        if (after) await system.breathe();
      } while (after);
    },
  };
};
