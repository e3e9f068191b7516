import { longestAddress } from '../../domain/address.js';
import type { Asset } from '../../domain/asset.js';
import { type Fault, refuse } from '../../domain/failure.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { AddressCodecs } from '../ports/codec.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** An address as it is stored, and as people of its chain write it. */
export type AddressRecord = { address: string; user_friendly_address: string };

/** What was sent, and where in the request. */
export type AddressInput = { readonly text: string; readonly path: string };
export const single = (text: string): readonly AddressInput[] => [{ text, path: '/address' }];
export const several = (texts: readonly string[]): readonly AddressInput[] =>
  texts.map((text, i) => ({ text, path: `/addresses/${i}` }));

/** Reads addresses: what was sent into what is stored, and what is stored into what is shown. */
export type AddressBook = {
  /** Each address once, with the first place that named it; if one is bad all are refused, naming every bad one. */
  parse(context: Context, inputs: readonly AddressInput[]): readonly (readonly [stored: string, path: string])[];
  /** The document of the address that was sent, or null. */
  look(context: Context, input: string): Promise<AddressDocument | null>;
  show(context: Context, stored: string): AddressRecord;
  /** What names a transaction, in the form that is stored. */
  transaction(context: Context, input: string): string;
  /** The asset that a request calls by its token address. */
  asset(context: Context, input: string): Asset;
  /** All addresses of a wallet, oldest first, in pages. */
  pages(context: Context, walletId: string): AsyncIterable<readonly AddressDocument[]>;
};

const pageSize = 1000;

export const createAddressBook = (ports: {
  readModels: ReadModels;
  codecs: AddressCodecs;
  system: System;
}): AddressBook => {
  const { readModels, codecs, system } = ports;
  const codec = ({ variant }: Context) => codecs[variant.family];

  /** A form too long to be watched is refused here, where the caller still learns of it. */
  const storedForm = (context: Context, text: string) => {
    const stored = codec(context).parse(text);
    return stored !== null && stored.length <= longestAddress ? stored : null;
  };

  const parse: AddressBook['parse'] = (context, inputs) => {
    const parsed = new Map<string, string>();
    const faults: Fault[] = [];
    for (const { text, path } of inputs) {
      const stored = storedForm(context, text);
      if (stored === null) faults.push({ path, message: 'is not an address of this chain' });
      else if (!parsed.has(stored)) parsed.set(stored, path);
    }
    const [first] = faults;
    if (!first) return [...parsed];
    const others = faults.length > 1 ? `, and so are ${faults.length - 1} more` : '';
    return refuse('INVALID_ARGUMENT', `${first.path} ${first.message}${others}`, faults);
  };

  return {
    parse,
    look: async (context, input) => {
      const [[id] = ['']] = parse(context, single(input));
      return readModels.get(addresses, { scope: scopeFor(context), id });
    },
    show: (context, stored) => ({ address: stored, user_friendly_address: codec(context).friendly(stored) }),
    transaction: (context, input) => codec(context).transaction(input),
    asset: (context, input) => {
      const message = 'does not name a token of this chain';
      return (
        codec(context).asset(input) ??
        refuse('INVALID_ARGUMENT', `token_address ${message}`, [{ path: '/token_address', message }])
      );
    },
    pages: async function* (context, walletId) {
      let after: PageKey | undefined;
      do {
        const query = { index: 'byWallet', equal: [walletId], limit: pageSize, after, oldestFirst: true };
        const page = await readModels.page(addresses, scopeFor(context), query);
        yield page.documents;
        after = page.next ?? undefined;
        if (after) await system.breathe();
      } while (after);
    },
  };
};
