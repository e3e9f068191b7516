export type Capability =
  | 'confirmation'
  | 'import-asset'
  | 'token-import'
  | 'address-lookup'
  | 'friendly-address'
  | 'hash-lookup'
  | 'digest-lookup'
  | 'managed-transactions'
  | 'token-contracts';

/** How a chain family writes its addresses; each form is one codec in infrastructure/chains. */
export type AddressForm = 'ton' | 'sui' | 'evm';

/**
 * What the transfer records of an API show; each form is one row in application/shown.ts.
 * stateful: as soon as they are seen, with their state; confirmed: only what is confirmed;
 * final: as soon as they are seen, since what is seen stays; two-sided: likewise, one for each side.
 */
export type TransferForm = 'stateful' | 'confirmed' | 'final' | 'two-sided';

/** By segment in the path, /v1/<segment>/<Operation>: what kind of API it is. */
type Surfaces = { t: 'wallet'; s: 'wallet'; p: 'wallet'; c: 'wallet'; q: 'query'; admin: 'admin' };
type Place = {
  [S in keyof Surfaces]: { readonly segment: S; readonly surface: Surfaces[S] };
}[keyof Surfaces];

export type Variant = Place & {
  readonly tag: 'T' | 'S' | 'P' | 'C' | 'Q' | 'global';
  readonly can: readonly Capability[];
  /** After how many confirmations something counts where wallets have no threshold of their own. */
  readonly depth: number;
  readonly transferForm: TransferForm;
  readonly notificationType: string;
  readonly addressForm: AddressForm;
  readonly addressExample: string;
};

const evm = {
  depth: 10,
  transferForm: 'stateful',
  notificationType: 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED',
  addressForm: 'evm',
  addressExample: '0x3535353535353535353535353535353535353535',
} as const;

/** The only place that knows how the APIs differ. A new variant is a new row; no other file names a tag. */
export const variants: readonly Variant[] = [
  {
    tag: 'T',
    segment: 't',
    surface: 'wallet',
    can: ['import-asset', 'token-import', 'address-lookup', 'friendly-address', 'hash-lookup'],
    depth: 1,
    transferForm: 'two-sided',
    notificationType: 'NOTIFICATION_TYPE_T_TRANSACTION_UPDATED',
    addressForm: 'ton',
    addressExample: 'UQAjflEZ_6KgKMxPlcnKN1ZoUvHdTT6hVwTW95EGVQfeSktz',
  },
  {
    tag: 'S',
    segment: 's',
    surface: 'wallet',
    can: ['confirmation', 'import-asset', 'token-import', 'address-lookup', 'digest-lookup'],
    depth: 10,
    transferForm: 'final',
    notificationType: 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED',
    addressForm: 'sui',
    addressExample: '0xac5bceec1b789ff840d7d4e6ce4ce61c90d190a7f8c4f4ddf0bff6ee2413c33c',
  },
  {
    tag: 'P',
    segment: 'p',
    surface: 'wallet',
    can: ['import-asset', 'hash-lookup'],
    ...evm,
    transferForm: 'confirmed',
    notificationType: 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED',
  },
  {
    tag: 'C',
    segment: 'c',
    surface: 'wallet',
    can: ['confirmation', 'managed-transactions', 'token-contracts', 'hash-lookup'],
    ...evm,
  },
  { tag: 'Q', segment: 'q', surface: 'query', can: [], ...evm },
  { tag: 'global', segment: 'admin', surface: 'admin', can: [], ...evm },
];

/** The variants that stand for a chain, in the order their settings are read and shown. */
export const chains = variants.filter((variant) => variant.surface !== 'admin');

/** What is said of the service as a whole (organizations, credentials) is said under this row. */
export const globalVariant = variants.find((variant) => variant.surface === 'admin') as Variant;
