import type { AddressForm } from '../../domain/variant.js';

/** How one chain family reads and writes addresses; pure, needs no connection. */
export interface AddressCodec {
  /** The one form that is stored; null when it is no address of this family. */
  parse(input: string): string | null;
  /** What people of this chain are shown; empty where the stored form is all there is. */
  friendly(address: string): string;
}

export type AddressCodecs = Readonly<Record<AddressForm, AddressCodec>>;
