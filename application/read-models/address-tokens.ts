import type { AddressTokenDocument } from '../../projections/addresses.js';
import type { Collection } from '../../projections/define.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

type Ports = { readonly readModels: ReadModels; readonly system: Pick<System, 'breathe'> };
/** Address with the event position of its latest registration. */
type Held = { readonly wallet_id: string; readonly address: string; readonly position: number };

const pageSize = 500;

/** Returns the tokens that were imported or found for an address since its registration, newest first. */
export const tokensOfAddress = async (
  { readModels, system }: Ports,
  collection: Collection<AddressTokenDocument>,
  scope: string,
  { wallet_id, address, position }: Held,
): Promise<readonly AddressTokenDocument[]> => {
  const found: AddressTokenDocument[] = [];
  let after: PageKey | undefined;
  for (;;) {
    const query = { index: 'byAddress', equal: [wallet_id, address], limit: pageSize, after };
    const { documents, next } = await readModels.page(collection, scope, query);
    const current = documents.filter((one) => one.position > position);
    found.push(...current);
    if (!next || current.length < documents.length) return found;
    after = next;
    await system.breathe();
  }
};
