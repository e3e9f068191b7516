export type Capability =
  | 'confirmation'
  | 'import-asset'
  | 'token-import'
  | 'address-lookup'
  | 'friendly-address'
  | 'hash-lookup'
  | 'digest-lookup'
  | 'managed-transactions'
  /** JSON-RPC addresses of its own lead to its nodes, and to the controls of the development chains. */
  | 'gateway'
  | 'token-contracts';

/** Kinds of chains: each has its own addresses, nodes and blocks, and so is one row in the tables of infrastructure/chains. */
export const chainFamilies = ['ton', 'sui', 'evm'] as const;
export type Family = (typeof chainFamilies)[number];

/**
 * What the transfer records of an API show; each form is one row in application/assets/wire-records.ts.
 * stateful: as soon as they are seen, with their state; confirmed: only what is confirmed;
 * final: as soon as they are seen, since what is seen stays; two-sided: likewise, one for each side.
 */
export type TransferForm = 'stateful' | 'confirmed' | 'final' | 'two-sided';

/** A type error while a family has no row. */
type FormsByFamily<T extends Record<Family, TransferForm>> = T;
/** Forms that a family's transfers can be shown in: some need particulars that only its connector gives. */
type TransferForms = FormsByFamily<{
  ton: 'two-sided' | 'confirmed' | 'final';
  sui: 'confirmed' | 'final';
  evm: 'stateful' | 'confirmed' | 'final';
}>;
type OnFamily = {
  [F in keyof TransferForms]: { readonly family: F; readonly transferForm: TransferForms[F] };
}[keyof TransferForms];

/** By segment in the path, /v1/<segment>/<Operation>: what kind of API it is. */
type Surfaces = { t: 'wallet'; s: 'wallet'; p: 'wallet'; c: 'wallet'; q: 'query'; admin: 'admin' };
type Place = {
  [S in keyof Surfaces]: { readonly segment: S; readonly surface: Surfaces[S] };
}[keyof Surfaces];

export type Variant = Place &
  OnFamily & {
    readonly tag: 'T' | 'S' | 'P' | 'C' | 'Q' | 'global';
    readonly can: readonly Capability[];
    /** After how many confirmations something counts where wallets have no threshold of their own. */
    readonly depth: number;
    readonly notificationType: string;
    readonly addressExample: string;
    /** Whose nodes its setting may name. */
    readonly nodeFamilies: readonly Family[];
  };

const evm = {
  depth: 10,
  transferForm: 'stateful',
  notificationType: 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED',
  family: 'evm',
  addressExample: '0x3535353535353535353535353535353535353535',
  nodeFamilies: ['evm'],
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
    family: 'ton',
    addressExample: 'UQAjflEZ_6KgKMxPlcnKN1ZoUvHdTT6hVwTW95EGVQfeSktz',
    nodeFamilies: chainFamilies,
  },
  {
    tag: 'S',
    segment: 's',
    surface: 'wallet',
    can: ['confirmation', 'import-asset', 'token-import', 'address-lookup', 'digest-lookup'],
    depth: 10,
    transferForm: 'final',
    notificationType: 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED',
    family: 'sui',
    addressExample: '0xac5bceec1b789ff840d7d4e6ce4ce61c90d190a7f8c4f4ddf0bff6ee2413c33c',
    nodeFamilies: chainFamilies,
  },
  {
    tag: 'P',
    segment: 'p',
    surface: 'wallet',
    can: ['import-asset', 'hash-lookup'],
    ...evm,
    transferForm: 'confirmed',
    notificationType: 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED',
    nodeFamilies: chainFamilies,
  },
  {
    tag: 'C',
    segment: 'c',
    surface: 'wallet',
    can: ['confirmation', 'managed-transactions', 'gateway', 'token-contracts', 'hash-lookup'],
    ...evm,
  },
  { tag: 'Q', segment: 'q', surface: 'query', can: ['gateway'], ...evm },
  { tag: 'global', segment: 'admin', surface: 'admin', can: [], ...evm },
];

/** The variants that stand for a chain, in the order their settings are read and shown. */
export const chains = variants.filter((variant) => variant.surface !== 'admin');

const byTag = new Map<string, Variant>(variants.map((variant) => [variant.tag, variant]));

/** Finds the row of a tag that was stored or configured; undefined when this version has no such row. */
export const findVariant = (tag: string | undefined): Variant | undefined => byTag.get(tag ?? '');

/** What is said of the service as a whole (organizations, credentials) is said under this row. */
export const globalVariant = variants.find((variant) => variant.surface === 'admin') as Variant;
