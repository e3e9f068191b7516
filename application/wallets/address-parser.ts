import { maxAddressLength } from '../../domain/aggregates/address.js';
import type { Asset } from '../../domain/asset.js';
import { type Fault, fail, invalid } from '../../domain/failure.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import { type AddressCodecs, notAnAddress } from '../ports/codec.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** Address in its stored form and in the form that users of its chain write. */
export type AddressRecord = { address: string; user_friendly_address: string };

/** Address as it was sent, and its path in the request. */
export type AddressInput = { readonly text: string; readonly path: string };
export const singleAddress = (text: string): readonly AddressInput[] => [{ text, path: '/address' }];
export const addressList = (texts: readonly string[]): readonly AddressInput[] =>
  texts.map((text, i) => ({ text, path: `/addresses/${i}` }));

/** Conversion of addresses from what callers send to what is stored, and from there to what is shown. */
export type AddressParser = {
  /**
   * Returns each address once, with the path that named it first; if any is invalid, refuses and names every invalid
   * one.
   */
  parse(context: Context, inputs: readonly AddressInput[]): readonly (readonly [stored: string, path: string])[];
  /** Refuses addresses that were written for test networks only, if the chain is the main one. */
  checkNetwork(context: Context, inputs: readonly AddressInput[]): Promise<void>;
  /** Returns the document of an address; null when it is not registered. */
  look(context: Context, input: string): Promise<AddressDocument | null>;
  show(context: Context, stored: string): AddressRecord;
  /** Returns the stored form of a transaction's identifier. */
  transaction(context: Context, input: string): string;
  /** Returns the asset that a request names by its token address. */
  asset(context: Context, input: string): Asset;
  /** Returns all addresses of a wallet, oldest first; null when there are more than `most`. */
  first(context: Context, walletId: string, most: number): Promise<readonly AddressDocument[] | null>;
  /** Yields all addresses of a wallet, oldest first, in pages. */
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

  /** Refuses a form too long to be watched here, where the caller still learns of that. */
  const read = (context: Context, text: string): { stored: string } | { message: string } => {
    const stored = codec(context).parse(text);
    if (stored === null) return { message: notAnAddress(codec(context), text) };
    if (stored.length <= maxAddressLength) return { stored };
    return { message: `is not an address of this chain: has more than ${maxAddressLength} characters` };
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
    const others = faults.length > 1 ? `; ${faults.length - 1} more are none either` : '';
    return fail('INVALID_ARGUMENT', `${first.path} ${first.message}${others}`, faults);
  };

  return {
    parse,
    checkNetwork: async (context, inputs) => {
      const forTests = inputs.filter(({ text }) => codec(context).isForTests?.(text));
      const [first] = forTests;
      if (!first || !(await chains.find(context.variant)?.isMainNetwork?.())) return;
      const message = 'is an address for test networks only, and the chain is the main network';
      const faults = forTests.map(({ path }) => ({ path, message }));
      fail('INVALID_ARGUMENT', `${first.path} ${message}`, faults);
    },
    look: async (context, input) => {
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
    first: async (context, walletId, most) => {
      const query = { index: 'byWallet', equal: [walletId], limit: most, oldestFirst: true };
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
