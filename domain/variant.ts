export type Capability =
  | 'confirmation'
  | 'import-asset'
  | 'token-import'
  | 'address-lookup'
  | 'friendly-address'
  | 'hash-lookup'
  | 'digest-lookup'
  | 'managed-transactions'
  /** The JSON-RPC gateway serves the chain's nodes and the `dev_` methods of the development chains. */
  | 'gateway'
  /**
   * Organizations register token contracts, whose tokens are then followed at all addresses of the organization.
   */
  | 'contracts'
  /** Registered contracts have one of several token standards (ERC-20, ERC-721 or ERC-1155). */
  | 'token-contracts';

/**
 * Families of chains that share address format, node API and block format. Each family has a connector in
 * infrastructure/chains.
 */
export const chainFamilies = ['ton', 'sui', 'evm'] as const;
export type Family = (typeof chainFamilies)[number];
/** Families with reorgs. On chains of the other families, a block is final as soon as it is seen. */
const reorgFamilies: readonly Family[] = ['evm'];
export const canReorg = (family: Family): boolean => reorgFamilies.includes(family);

/**
 * Forms in which an API lists transfers; each is one row of `forms` in application/assets/wire-records.ts.
 * stateful: listed as soon as observed, with their state. confirmed: listed once confirmed, without failed transfers.
 * final: listed as soon as observed, or once confirmed on families with reorgs.
 * two-sided: like final, but the sender's side and the receiver's side of a transfer are listed separately.
 */
export type TransferForm = 'stateful' | 'confirmed' | 'final' | 'two-sided';

/** Makes it a compile error to omit a family from `TransferForms`. */
type FormsByFamily<T extends Record<Family, TransferForm>> = T;
/** Transfer forms available to each family. Some forms need fields that only one connector provides. */
type TransferForms = FormsByFamily<{
  ton: 'two-sided' | 'confirmed' | 'final';
  sui: 'confirmed' | 'final';
  evm: 'stateful' | 'confirmed' | 'final';
}>;
type OnFamily = {
  [F in keyof TransferForms]: { readonly family: F; readonly transferForm: TransferForms[F] };
}[keyof TransferForms];

/** Kind of each API, keyed by the API's segment in the path `/v1/<segment>/<Operation>`. */
type Surfaces = { t: 'wallet'; s: 'wallet'; p: 'wallet'; c: 'wallet'; q: 'query'; admin: 'admin' };
type Place = {
  [S in keyof Surfaces]: { readonly segment: S; readonly surface: Surfaces[S] };
}[keyof Surfaces];

/** API of the service with the properties of its chain: a wallet API, the query API or the admin API. */
export type Variant = Place &
  OnFamily & {
    readonly tag: 'T' | 'S' | 'P' | 'C' | 'Q' | 'global';
    readonly can: readonly Capability[];
    /** Default number of confirmations after which a transfer is confirmed. A wallet may set its own `confirmation`. */
    readonly depth: number;
    /**
     * Maximum `confirmation` of a wallet or a webhook. Reorgs no longer replace blocks with so many confirmations, and
     * nodes may discard the states of older blocks, from which balances are read.
     */
    readonly maxConfirmations: number;
    readonly notificationType: string;
    readonly addressExample: string;
    /** Example of a token address in requests; absent on APIs without token imports. */
    readonly tokenExample?: string;
    /** Chain families of the nodes that the setting `CHAIN_<tag>_URL` accepts. */
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

/** All differences between the APIs. A new API is a new row; variant tags appear in no other file. */
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
    // Accepts only TON nodes, because transfers of this API have a shard, a workchain and a message.
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

/** Variants with a chain: all but the admin API. */
export const chains = variants.filter((variant) => variant.surface !== 'admin');

/** Network names in gateway URLs. */
export const networks = ['mainnet', 'ropsten'] as const;

/**
 * Returns the number of confirmations to wait for, from 1 to `maxConfirmations`; the variant's `depth` by default.
 * Wallets and webhooks stored before the maximum existed may have a larger `confirmation`.
 */
export const thresholdOf = ({ depth, maxConfirmations }: Variant, confirmation: number | null | undefined): number =>
  Math.min(Math.max(1, confirmation ?? depth), maxConfirmations);

const byTag = new Map<string, Variant>(variants.map((variant) => [variant.tag, variant]));

/** Finds a variant by a stored or configured tag; undefined if this release has no such variant. */
export const findVariant = (tag: string | undefined): Variant | undefined => byTag.get(tag ?? '');

/** Variant of data that belongs to no chain, such as organizations and credentials. */
export const globalVariant = variants.find((variant) => variant.surface === 'admin') as Variant;
