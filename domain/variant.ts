export type Capability =
  | 'confirmation'
  | 'import-asset'
  | 'token-import'
  | 'address-lookup'
  | 'friendly-address'
  | 'hash-lookup'
  | 'digest-lookup'
  | 'managed-transactions'
  /** Paths of the JSON-RPC gateway lead to the chain's nodes and to the controls of the development chains. */
  | 'gateway'
  /** Tokens are registered for the whole organization, by their contract. */
  | 'contracts'
  /** Contracts have one of several token standards. */
  | 'token-contracts';

/** Families of chains with the same form of addresses, nodes and blocks; a row each in infrastructure/chains. */
export const chainFamilies = ['ton', 'sui', 'evm'] as const;
export type Family = (typeof chainFamilies)[number];
/** Families whose blocks may be replaced; what another one has is final as soon as it is seen. */
const replacingFamilies: readonly Family[] = ['evm'];
export const mayBeReplaced = (family: Family): boolean => replacingFamilies.includes(family);

/**
 * Forms of an API's transfer records; each is one row in application/assets/wire-records.ts.
 * stateful: listed as soon as seen, with their state; confirmed: listed once confirmed;
 * final: listed as soon as seen, or once confirmed where blocks may be replaced; two-sided: likewise, one record per side.
 */
export type TransferForm = 'stateful' | 'confirmed' | 'final' | 'two-sided';

/** Makes a family without a row a type error. */
type FormsByFamily<T extends Record<Family, TransferForm>> = T;
/** Forms that a family's transfers can be shown in: some need fields that only its connector provides. */
type TransferForms = FormsByFamily<{
  ton: 'two-sided' | 'confirmed' | 'final';
  sui: 'confirmed' | 'final';
  evm: 'stateful' | 'confirmed' | 'final';
}>;
type OnFamily = {
  [F in keyof TransferForms]: { readonly family: F; readonly transferForm: TransferForms[F] };
}[keyof TransferForms];

/** Kind of API by its segment of the path /v1/<segment>/<Operation>. */
type Surfaces = { t: 'wallet'; s: 'wallet'; p: 'wallet'; c: 'wallet'; q: 'query'; admin: 'admin' };
type Place = {
  [S in keyof Surfaces]: { readonly segment: S; readonly surface: Surfaces[S] };
}[keyof Surfaces];

export type Variant = Place &
  OnFamily & {
    readonly tag: 'T' | 'S' | 'P' | 'C' | 'Q' | 'global';
    readonly can: readonly Capability[];
    /** Confirmations after which a transfer counts, where wallets have no threshold of their own. */
    readonly depth: number;
    /**
     * Largest number of confirmations that a wallet or a webhook may wait for: deeper blocks are not replaced any more,
     * and nodes keep the state of no more blocks than that.
     */
    readonly maxConfirmations: number;
    readonly notificationType: string;
    readonly addressExample: string;
    /** Token address as requests name it, where tokens are imported. */
    readonly tokenExample?: string;
    /** Families whose nodes the variant's URL setting may name. */
    readonly nodeFamilies: readonly Family[];
  };

const evm = {
  depth: 10,
  maxConfirmations: 128,
  transferForm: 'stateful',
  notificationType: 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED',
  family: 'evm',
  addressExample: '0x3535353535353535353535353535353535353535',
  nodeFamilies: ['evm'],
} as const;

/** All differences between the APIs. A new variant is a new row; no other file names a tag. */
export const variants: readonly Variant[] = [
  {
    tag: 'T',
    segment: 't',
    surface: 'wallet',
    can: ['import-asset', 'token-import', 'contracts', 'address-lookup', 'friendly-address', 'hash-lookup'],
    depth: 1,
    maxConfirmations: 128,
    transferForm: 'two-sided',
    notificationType: 'NOTIFICATION_TYPE_T_TRANSACTION_UPDATED',
    family: 'ton',
    addressExample: 'UQAjflEZ_6KgKMxPlcnKN1ZoUvHdTT6hVwTW95EGVQfeSktz',
    tokenExample: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    // Records have a shard, a workchain and a message, which no other chain has.
    nodeFamilies: ['ton'],
  },
  {
    tag: 'S',
    segment: 's',
    surface: 'wallet',
    can: ['confirmation', 'import-asset', 'token-import', 'contracts', 'address-lookup', 'digest-lookup'],
    depth: 10,
    maxConfirmations: 128,
    transferForm: 'final',
    notificationType: 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED',
    family: 'sui',
    addressExample: '0xac5bceec1b789ff840d7d4e6ce4ce61c90d190a7f8c4f4ddf0bff6ee2413c33c',
    tokenExample: '0x5::usd::USD',
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
    can: ['confirmation', 'managed-transactions', 'gateway', 'contracts', 'token-contracts', 'hash-lookup'],
    ...evm,
  },
  { tag: 'Q', segment: 'q', surface: 'query', can: ['gateway'], ...evm },
  { tag: 'global', segment: 'admin', surface: 'admin', can: [], ...evm },
];

/** Variants that stand for a chain, in the order their settings are read and shown. */
export const chains = variants.filter((variant) => variant.surface !== 'admin');

/** Network names in gateway addresses. */
export const networks = ['mainnet', 'ropsten'] as const;

/**
 * Returns the confirmations that are waited for: 0 acts like 1, the variant's depth applies without a threshold, and a
 * threshold of the time before there was a bound counts as the bound.
 */
export const thresholdOf = ({ depth, maxConfirmations }: Variant, confirmation: number | null | undefined): number =>
  Math.min(Math.max(1, confirmation ?? depth), maxConfirmations);

const byTag = new Map<string, Variant>(variants.map((variant) => [variant.tag, variant]));

/** Finds the row of a tag that was stored or configured; undefined when this version has no such row. */
export const findVariant = (tag: string | undefined): Variant | undefined => byTag.get(tag ?? '');

/** Row of the data that belongs to no chain, such as organizations and credentials. */
export const globalVariant = variants.find((variant) => variant.surface === 'admin') as Variant;
