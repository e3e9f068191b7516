// Generated from the operation table by npm run sdk. Do not edit.

import type { CallOptions, OperationRow } from './options.js';

/** Codes of all problems. */
export type ProblemCode = 'INVALID_ARGUMENT' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'QUOTA_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS' | 'FAILED_PRECONDITION' | 'CONFLICT' | 'RATE_LIMITED' | 'INTERNAL' | 'NODE_ERROR' | 'UNAVAILABLE';

export type CreateCredentialRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The role of the credential. */
  readonly role?: 'client' | 'admin' | 'auditor' | undefined;
  /** A name for people, shown by ListCredentials and in the history. */
  readonly name?: string | undefined;
};

export type CreateCredentialResponse = {
  readonly api_key: string;
  readonly api_secret: string;
};

export type CreateOrganizationRequest = {
  /** The display name. */
  readonly name: string;
  /** The unique short name of the organization. */
  readonly domain: string;
};

export type CreateOrganizationResponse = {
  readonly organization_id: string;
};

export type DeleteCredentialRequest = {
  /** The public key, also used in gateway addresses. */
  readonly api_key: string;
  /** The secret. */
  readonly api_secret: string;
};

export type DeleteCredentialResponse = Readonly<Record<string, never>>;

export type DeleteRateLimitRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The chain: T, S, P, C or Q; `""` stands for every chain without its own record. */
  readonly chain?: '' | 'T' | 'S' | 'P' | 'C' | 'Q' | undefined;
};

export type DeleteRateLimitResponse = Readonly<Record<string, never>>;

export type GetLimitsRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
};

export type Quota = {
  readonly quota: 'wallets' | 'addresses' | 'webhooks' | 'webhook_headers' | 'contracts' | 'imports' | 'credentials' | 'gateway_tokens' | 'open_transactions' | 'gateway_connections' | 'storage_bytes' | (string & {});
  readonly limit: number;
  readonly used: number;
};

export type GetLimitsResponse = {
  readonly quotas: readonly (Quota)[];
};

export type GetOrganizationByDomainRequest = {
  /** The unique short name of the organization. */
  readonly domain: string;
};

export type Organization = {
  readonly organization_id: string;
  readonly name: string;
  readonly domain: string;
  readonly create_time: string;
  readonly update_time: string;
};

export type GetOrganizationByDomainResponse = {
  readonly organization: Organization;
};

export type GetRateLimitRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The chain: T, S, P, C or Q; `""` stands for every chain without its own record. */
  readonly chain?: '' | 'T' | 'S' | 'P' | 'C' | 'Q' | undefined;
};

export type ChainLimits = {
  readonly chain: '' | 'T' | 'S' | 'P' | 'C' | 'Q' | (string & {});
  readonly per_second_limit: number;
  readonly per_hour_limit: number;
  readonly per_day_limit: number;
  readonly per_month_limit: number;
};

export type GetRateLimitResponse = {
  readonly organization_id: string;
  readonly ratelimit_info: ChainLimits;
  readonly create_time: string;
  readonly update_time: string;
};

export type ListCredentialsRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Credential = {
  readonly api_key: string;
  readonly role: 'client' | 'admin' | 'auditor' | (string & {});
  readonly name?: string;
  readonly create_time: string;
  readonly last_used?: string;
};

export type Pagination = {
  readonly next_page_token: string;
};

export type ListCredentialsResponse = {
  readonly credentials: readonly (Credential)[];
  readonly pagination: Pagination;
};

export type ListRateLimitsRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The chain: T, S, P, C or Q; `""` stands for every chain without its own record. */
  readonly chain?: '' | 'T' | 'S' | 'P' | 'C' | 'Q' | undefined;
};

export type RateLimit = {
  readonly organization_id: string;
  readonly ratelimit_info: ChainLimits;
  readonly create_time: string;
  readonly update_time: string;
};

export type ListRateLimitsResponse = {
  readonly data: readonly (RateLimit)[];
};

export type SetQuotaRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The name of the quota. */
  readonly quota: 'wallets' | 'addresses' | 'webhooks' | 'webhook_headers' | 'contracts' | 'imports' | 'credentials' | 'gateway_tokens' | 'open_transactions' | 'gateway_connections' | 'storage_bytes';
  /** The largest number that the organization may have. */
  readonly limit: number;
};

export type SetQuotaResponse = Readonly<Record<string, never>>;

export type SetRateLimitRequest = {
  /** The organization. */
  readonly organization_id: string;
  /** The chain: T, S, P, C or Q; `""` stands for every chain without its own record. */
  readonly chain?: '' | 'T' | 'S' | 'P' | 'C' | 'Q' | undefined;
  /** The maximum total cost of calls in a second. */
  readonly per_second_limit: number;
  /** The maximum total cost of calls in an hour. */
  readonly per_hour_limit: number;
  /** The maximum total cost of calls in a day. */
  readonly per_day_limit: number;
  /** The maximum total cost of calls in a calendar month, UTC. */
  readonly per_month_limit: number;
};

export type SetRateLimitResponse = Readonly<Record<string, never>>;

export type CreateGatewayTokenRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** A name for people. */
  readonly name: string;
  /** The chains that the token is for, by tag or as in gateway addresses. */
  readonly chains?: readonly ('C' | 'c' | 'Q' | 'q')[] | undefined;
  /** The methods that the token is for, each under either of its names; one that the gateway does not offer is 400. */
  readonly methods?: readonly (string)[] | undefined;
  /** The origins whose web pages may use the token, such as `https://app.example`. */
  readonly origins?: readonly (string)[] | undefined;
  /** The time from which on the token is refused: an ISO time with its zone, or Unix seconds; not in the past. */
  readonly expire_time?: string | number | undefined;
  /** What calls with the token may cost in a second, within the limits of the organization. */
  readonly per_second_limit?: number | undefined;
};

export type CreateGatewayTokenResponse = {
  readonly gateway_token_id: string;
  readonly token: string;
};

export type DeleteGatewayTokenRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** The token. */
  readonly gateway_token_id: string;
};

export type DeleteGatewayTokenResponse = Readonly<Record<string, never>>;

export type ListGatewayTokensRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type GatewayToken = {
  readonly gateway_token_id: string;
  readonly name: string;
  readonly chains?: readonly ('C' | 'c' | 'Q' | 'q' | (string & {}))[];
  readonly methods?: readonly (string)[];
  readonly origins?: readonly (string)[];
  readonly expire_time?: string;
  readonly per_second_limit?: number;
  readonly create_time: string;
};

export type ListGatewayTokensResponse = {
  readonly gateway_tokens: readonly (GatewayToken)[];
  readonly gateway_keys: 'api_key' | 'tokens' | (string & {});
  readonly pagination: Pagination;
};

export type SetGatewayKeysRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** The keys that the gateway takes. */
  readonly gateway_keys: 'api_key' | 'tokens';
};

export type SetGatewayKeysResponse = Readonly<Record<string, never>>;

export type CreateSessionRequest = Readonly<Record<string, never>>;

export type Session = {
  readonly expire_time: string;
  readonly idle_seconds: number;
};

export type CreateSessionResponse = {
  readonly session: Session;
};

export type DeleteSessionRequest = Readonly<Record<string, never>>;

export type DeleteSessionResponse = Readonly<Record<string, never>>;

export type GetConsistencyProofRequest = {
  /** The size of the log that was seen. */
  readonly from: number;
  /** The size of the later log; by default the present one. */
  readonly to?: number | undefined;
};

export type LogHead = {
  readonly size: number;
  /** 64 lowercase hex digits */
  readonly root: string;
  readonly time: string;
  readonly key_id: string;
  readonly signature: string;
};

export type GetConsistencyProofResponse = {
  readonly from: LogHead;
  readonly to: LogHead;
  readonly consistency_path: readonly (string)[];
};

export type GetInclusionProofRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** The event. */
  readonly event_id: string;
  /** Its position, which spares a search through the history. */
  readonly position?: number | undefined;
};

export type ProvenEvent = {
  readonly event_id: string;
  readonly number: number;
  /** 64 lowercase hex digits */
  readonly previous_hash: string;
  /** 64 lowercase hex digits */
  readonly hash: string;
};

export type ProvenSeal = {
  readonly organization_id: string;
  readonly count: number;
  /** 64 lowercase hex digits */
  readonly hash: string;
  readonly position: number;
  /** 64 lowercase hex digits */
  readonly places: string;
  readonly key_id: string;
  readonly signature: string;
};

export type GetInclusionProofResponse = {
  readonly event: ProvenEvent;
  readonly seal: ProvenSeal;
  readonly leaf: string;
  readonly leaf_index: number;
  readonly inclusion_path: readonly (string)[];
  readonly head: LogHead;
};

export type ListEventsRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** Only up to this event position or ISO time with its zone, inclusive. */
  readonly as_of?: string | number | undefined;
  /** Only from this event position or ISO time with its zone, inclusive. */
  readonly from?: string | number | undefined;
  /** `asc` lists the oldest events first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Only events of these types. */
  readonly types?: readonly (string)[] | undefined;
  /** Only events with this id or kind of actor. */
  readonly actor?: string | undefined;
  /** Only events that name this wallet in `walletId`. */
  readonly wallet_id?: string | undefined;
  /** Only events of this stream. */
  readonly stream?: string | undefined;
  /** Only events that this request, or this cause, led to. */
  readonly correlation_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Actor = {
  readonly kind: 'credential' | 'operator' | 'process' | (string & {});
  readonly id: string;
};

export type Event = {
  readonly position: number;
  readonly commit_time: string;
  readonly occur_time: string;
  readonly event_id: string;
  readonly stream: string;
  readonly type: 'OrganizationCreated' | 'RateLimitSet' | 'RateLimitDeleted' | 'QuotaSet' | 'GatewayKeysSet' | 'DomainReserved' | 'CredentialIssued' | 'CredentialDeleted' | 'GatewayTokenCreated' | 'GatewayTokenDeleted' | 'SessionOpened' | 'SessionClosed' | 'WalletRegistered' | 'ConfirmationUpdated' | 'AddressRegistered' | 'AddressRemoved' | 'AssetImported' | 'TokenAccountFound' | 'RemovalStarted' | 'RemovalEnded' | 'ContractRegistered' | 'ContractRemoved' | 'ContractBalancesFailed' | 'ContractBalancesRecovered' | 'TransferObserved' | 'BalanceTouched' | 'TransferConfirmed' | 'TransferRemoved' | 'BalanceRead' | 'BalanceSetAside' | 'ActivitySettled' | 'ActivityClosed' | 'ActivityDropped' | 'BalanceDrifted' | 'ImportRequested' | 'ImportCompleted' | 'ImportFailed' | 'BlockUnreadable' | 'BalancesReadInstead' | 'BlockRetryRequested' | 'BlockRead' | 'ReplacementAccepted' | 'ReplacementFollowed' | 'RefreshStarted' | 'RefreshEnded' | 'BalanceRefreshed' | 'RefreshAdvanced' | 'TokenDescribed' | 'WebhookRegistered' | 'WebhookRemoved' | 'WebhookDisabled' | 'WebhookRevived' | 'WebhookUpdated' | 'WebhookSecretRotated' | 'WebhookHeaderRegistered' | 'WebhookHeaderRemoved' | 'DeliveryRequested' | 'DeliveryAttempted' | 'DeliveryCanceled' | 'DeliveryResent' | 'DeliveryParked' | 'NotificationRecorded' | 'TransactionCreated' | 'TransactionSigned' | 'TransactionSent' | 'TransactionTaken' | 'TransactionRefused' | 'TransactionMined' | 'TransactionConfirmed' | 'TransactionFailed' | 'TransactionReplaced' | 'TransactionDropped' | 'TransactionCancelRequested' | 'CancellationSigned' | 'CancellationSent' | 'CancellationRefused' | 'CancellationMined' | 'TransactionCanceled' | 'TransactionClosed' | 'NonceHeld' | 'NonceReleased' | 'AuditSealed' | 'HistoryMoved' | 'LossAccepted' | 'LogLossAccepted' | 'SealLogged' | 'ClockCorrected' | 'MasterKeyRotationStarted' | 'MasterKeyRotated' | 'ReadModelsRebuilt' | (string & {});
  readonly chain: 'T' | 'S' | 'P' | 'C' | 'Q' | 'global' | (string & {});
  readonly actor: Actor;
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  readonly data: Record<string, unknown>;
};

export type ListEventsResponse = {
  readonly events: readonly (Event)[];
  readonly pagination: Pagination;
};

export type GetHistoryBoundsRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
};

export type GetHistoryBoundsResponse = {
  readonly first_position: number;
  readonly first_time: string;
  readonly last_position: number;
  readonly last_time: string;
};

export type VerifyHistoryRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
};

export type AcceptedLoss = {
  readonly event: number;
  readonly known_events: number | null;
  readonly found_events: number;
  readonly accepted_by: string;
  readonly accept_time: string;
  readonly reason: string;
};

export type Flaw = {
  readonly where: string;
  readonly event: number;
  readonly last: number;
  readonly event_id?: string;
  readonly about?: string;
  readonly reason: string;
};

export type VerifyHistoryResponse = {
  readonly valid: boolean | null;
  readonly organization_id: string;
  readonly events: number;
  readonly seals: number;
  readonly hash: string;
  readonly key: string;
  readonly store: string;
  readonly unproven_events?: number;
  readonly accepted_losses?: readonly (AcceptedLoss)[];
  readonly first?: Flaw;
};

export type ExportHistoryRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
};

export type ExportHistoryResponse = {
  readonly chainfold_audit: number;
  readonly organization_id: string;
  readonly export_time: string;
  readonly key_id: string;
  readonly public_key: string;
};

export type DiffHistoryRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** The earlier moment. */
  readonly from: string | number;
  /** The later moment; by default now. */
  readonly to?: string | number | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Difference = {
  readonly collection: string;
  readonly chain: string;
  readonly id: string;
  readonly change: 'added' | 'removed' | 'changed' | 'undone' | (string & {});
  readonly document?: Record<string, unknown>;
  readonly fields?: Record<string, unknown>;
  readonly meanwhile?: Record<string, unknown> | null;
};

export type DiffHistoryResponse = {
  readonly from: number;
  readonly to: number;
  readonly differences: readonly (Difference)[];
  readonly pagination: Pagination;
};

export type ListAccessRequest = {
  /** The organization; by default the caller's own. */
  readonly organization_id?: string | undefined;
  /** ISO time with its zone from which to list. */
  readonly from?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Access = {
  readonly access_time: string;
  readonly kind: 'secret' | 'export' | 'refused' | (string & {});
  readonly request_id: string;
  readonly api_key: string;
  readonly operation: string;
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
};

export type ListAccessResponse = {
  readonly accesses: readonly (Access)[];
  readonly pagination: Pagination;
};

export type GetWalletRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** One of its addresses. */
  readonly address?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type AddressMapping = {
  readonly address: string;
  readonly user_friendly_address: string;
};

export type TWallet = {
  readonly wallet_id: string;
  readonly name: string;
  readonly addresses: readonly (string)[];
  readonly create_time: string;
  readonly update_time: string;
  readonly address_mapping: readonly (AddressMapping)[];
};

export type TGetWalletResponse = {
  readonly wallet: TWallet;
};

export type SWallet = {
  readonly wallet_id: string;
  readonly name: string;
  readonly addresses: readonly (string)[];
  readonly create_time: string;
  readonly update_time: string;
  readonly confirmation: number;
};

export type SGetWalletResponse = {
  readonly wallet: SWallet;
};

export type PWallet = {
  readonly wallet_id: string;
  readonly name: string;
  readonly addresses: readonly (string)[];
  readonly create_time: string;
  readonly update_time: string;
};

export type PGetWalletResponse = {
  readonly wallet: PWallet;
};

export type CWallet = {
  readonly wallet_id: string;
  readonly name: string;
  readonly addresses: readonly (string)[];
  readonly create_time: string;
  readonly update_time: string;
  readonly confirmation: number;
};

export type CGetWalletResponse = {
  readonly wallet: CWallet;
};

export type ListWalletsRequest = {
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type TListWalletsResponse = {
  readonly wallets: readonly (TWallet)[];
  readonly pagination: Pagination;
};

export type SListWalletsResponse = {
  readonly wallets: readonly (SWallet)[];
  readonly pagination: Pagination;
};

export type PListWalletsResponse = {
  readonly wallets: readonly (PWallet)[];
  readonly pagination: Pagination;
};

export type CListWalletsResponse = {
  readonly wallets: readonly (CWallet)[];
  readonly pagination: Pagination;
};

export type TRegisterWalletRequest = {
  /** The display name. */
  readonly name: string;
  /** Its first address. */
  readonly address?: string | undefined;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
};

export type RegisterWalletResponse = {
  readonly wallet_id: string;
};

export type SRegisterWalletRequest = {
  /** The display name. */
  readonly name: string;
  /** Its first address. */
  readonly address?: string | undefined;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
  /** The number of required confirmations. */
  readonly confirmation?: number | undefined;
};

export type PRegisterWalletRequest = {
  /** The display name. */
  readonly name: string;
  /** Its first address. */
  readonly address?: string | undefined;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
};

export type CRegisterWalletRequest = {
  /** The display name. */
  readonly name: string;
  /** Its first address. */
  readonly address?: string | undefined;
  /** The number of required confirmations. */
  readonly confirmation?: number | undefined;
};

export type UpdateConfirmationRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The number of required confirmations. */
  readonly confirmation: number;
};

export type UpdateConfirmationResponse = Readonly<Record<string, never>>;

export type BatchRegisterAddressesRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The addresses; duplicates count once. */
  readonly addresses: readonly (string)[];
};

export type BatchRegisterAddressesResponse = Readonly<Record<string, never>>;

export type BatchRemoveAddressesRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The addresses; required unless `remove_all` is true. */
  readonly addresses?: readonly (string)[] | undefined;
  /** True removes every address and overrides `addresses`. */
  readonly remove_all?: boolean | undefined;
};

export type BatchRemoveAddressesResponse = Readonly<Record<string, never>>;

export type GetAddressRequest = {
  /** The address. */
  readonly address: string;
};

export type TGetAddressResponse = {
  readonly address: string;
  readonly wallet_id: string;
  readonly user_friendly_address: string;
  readonly complete_since_block?: number;
};

export type SGetAddressResponse = {
  readonly address: string;
  readonly wallet_id: string;
  readonly complete_since_block?: number;
};

export type ListAddressesRequest = {
  /** Only of this wallet. */
  readonly wallet_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type TAddress = {
  readonly address: string;
  readonly wallet_id: string;
  readonly complete_since_block?: number;
  readonly user_friendly_address: string;
};

export type TListAddressesResponse = {
  readonly addresses: readonly (TAddress)[];
  readonly pagination: Pagination;
};

export type SAddress = {
  readonly address: string;
  readonly wallet_id: string;
  readonly complete_since_block?: number;
};

export type SListAddressesResponse = {
  readonly addresses: readonly (SAddress)[];
  readonly pagination: Pagination;
};

export type PAddress = {
  readonly address: string;
  readonly wallet_id: string;
  readonly complete_since_block?: number;
};

export type PListAddressesResponse = {
  readonly addresses: readonly (PAddress)[];
  readonly pagination: Pagination;
};

export type CAddress = {
  readonly address: string;
  readonly wallet_id: string;
  readonly complete_since_block?: number;
};

export type CListAddressesResponse = {
  readonly addresses: readonly (CAddress)[];
  readonly pagination: Pagination;
};

export type TRegisterAddressRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The address. */
  readonly address: string;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
};

export type RegisterAddressResponse = Readonly<Record<string, never>>;

export type SRegisterAddressRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The address. */
  readonly address: string;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
};

export type PRegisterAddressRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The address. */
  readonly address: string;
  /** Also reads the address's current balance, so that its earlier funds count. */
  readonly import_asset?: boolean | undefined;
};

export type CRegisterAddressRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The address. */
  readonly address: string;
};

export type RemoveAddressRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The address. */
  readonly address: string;
};

export type RemoveAddressResponse = Readonly<Record<string, never>>;

export type TGetBalanceRefreshRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_T';
};

export type TGetBalanceRefreshResponse = {
  readonly state: 'BALANCE_REFRESH_STATE_RUNNING' | 'BALANCE_REFRESH_STATE_IDLE' | (string & {});
  readonly done: number;
  readonly total: number;
};

export type SGetBalanceRefreshRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_S';
};

export type SGetBalanceRefreshResponse = {
  readonly state: 'BALANCE_REFRESH_STATE_RUNNING' | 'BALANCE_REFRESH_STATE_IDLE' | (string & {});
  readonly done: number;
  readonly total: number;
};

export type PGetBalanceRefreshRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_P';
};

export type PGetBalanceRefreshResponse = {
  readonly state: 'BALANCE_REFRESH_STATE_RUNNING' | 'BALANCE_REFRESH_STATE_IDLE' | (string & {});
  readonly done: number;
  readonly total: number;
};

export type CGetBalanceRefreshRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155';
};

export type CGetBalanceRefreshResponse = {
  readonly state: 'BALANCE_REFRESH_STATE_RUNNING' | 'BALANCE_REFRESH_STATE_IDLE' | (string & {});
  readonly done: number;
  readonly total: number;
  readonly complete_from_block?: number;
};

export type TImportAssetRequest = {
  /** The address; also required on `t` and `s` unless `token_account_address` determines the owner. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_T';
  /** A jetton's master, or a coin type such as `0x5::usd::USD`. */
  readonly token_address?: string | undefined;
  /** The jetton wallet, or a coin object; it must belong to the address. */
  readonly token_account_address?: string | undefined;
};

export type ImportAssetResponse = Readonly<Record<string, never>>;

export type SImportAssetRequest = {
  /** The address; also required on `t` and `s` unless `token_account_address` determines the owner. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_S';
  /** A jetton's master, or a coin type such as `0x5::usd::USD`. */
  readonly token_address?: string | undefined;
  /** The jetton wallet, or a coin object; it must belong to the address. */
  readonly token_account_address?: string | undefined;
};

export type PImportAssetRequest = {
  /** The address; also required on `t` and `s` unless `token_account_address` determines the owner. */
  readonly address: string;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_P';
};

export type TListAssetsRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_T';
  /** This imported or registered token instead of the chain's own coin. */
  readonly token_address?: string | undefined;
  /** All imported and registered tokens beside the chain's own coin. */
  readonly include_tokens?: boolean | undefined;
  /** True sums over all addresses: one record for each asset, with `address` `""`. */
  readonly is_aggregated?: boolean | undefined;
  /** True omits balances of 0. */
  readonly exclude_zero_balance?: boolean | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type ImportedToken = {
  readonly token_address?: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
};

export type TAsset = {
  readonly wallet_id: string;
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_T' | (string & {});
  readonly balance: string;
  readonly user_friendly_address: string;
  readonly asset_metadata?: ImportedToken;
};

export type TListAssetsResponse = {
  readonly assets: readonly (TAsset)[];
  readonly pagination: Pagination;
};

export type SListAssetsRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_S';
  /** This imported or registered token instead of the chain's own coin. */
  readonly token_address?: string | undefined;
  /** All imported and registered tokens beside the chain's own coin. */
  readonly include_tokens?: boolean | undefined;
  /** True sums over all addresses: one record for each asset, with `address` `""`. */
  readonly is_aggregated?: boolean | undefined;
  /** True omits balances of 0. */
  readonly exclude_zero_balance?: boolean | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type SAsset = {
  readonly wallet_id: string;
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_S' | (string & {});
  readonly balance: string;
  readonly asset_metadata?: ImportedToken;
};

export type SListAssetsResponse = {
  readonly assets: readonly (SAsset)[];
  readonly pagination: Pagination;
};

export type PListAssetsRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_P';
  /** True sums over all addresses: one record for each asset, with `address` `""`. */
  readonly is_aggregated?: boolean | undefined;
  /** True omits balances of 0. */
  readonly exclude_zero_balance?: boolean | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type PAsset = {
  readonly wallet_id: string;
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_P' | (string & {});
  readonly balance: string;
};

export type PListAssetsResponse = {
  readonly assets: readonly (PAsset)[];
  readonly pagination: Pagination;
};

export type CListAssetsRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155';
  /** Only tokens of this contract. */
  readonly contract_address?: string | undefined;
  /** True sums over all addresses: one record for each asset, with `address` `""`. */
  readonly is_aggregated?: boolean | undefined;
  /** True omits balances of 0. */
  readonly exclude_zero_balance?: boolean | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Erc20Token = {
  readonly contract_address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals?: number;
};

export type Erc721Token = {
  readonly contract_address: string;
  readonly token_id: string;
  readonly token_uri: string;
  readonly token_data: string;
  readonly name: string;
  readonly symbol: string;
};

export type Erc1155Token = {
  readonly contract_address: string;
  readonly token_id: string;
  readonly token_uri: string;
  readonly token_data: string;
};

export type TokenMetadata = {
  readonly erc20?: Erc20Token;
  readonly erc721?: Erc721Token;
  readonly erc1155?: Erc1155Token;
};

export type CAsset = {
  readonly wallet_id: string;
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155' | (string & {});
  readonly balance: string;
  readonly asset_metadata: TokenMetadata;
};

export type CListAssetsResponse = {
  readonly assets: readonly (CAsset)[];
  readonly pagination: Pagination;
};

export type ListContractsRequest = Readonly<Record<string, never>>;

export type ContractMetadata = {
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
};

export type BalanceProblem = {
  readonly reason: string;
  readonly since: string;
};

export type TContract = {
  readonly token_address: string;
  readonly contract_metadata: ContractMetadata | null;
  readonly balance_problem?: BalanceProblem;
};

export type TListContractsResponse = {
  readonly contracts: readonly (TContract)[];
};

export type SContract = {
  readonly token_address: string;
  readonly contract_metadata: ContractMetadata | null;
  readonly balance_problem?: BalanceProblem;
};

export type SListContractsResponse = {
  readonly contracts: readonly (SContract)[];
};

export type CContract = {
  readonly contract_address: string;
  readonly contract_type: 'CONTRACT_TYPE_ERC20' | 'CONTRACT_TYPE_ERC721' | 'CONTRACT_TYPE_ERC1155' | (string & {});
  readonly contract_metadata: ContractMetadata | null;
  readonly balance_problem?: BalanceProblem;
};

export type CListContractsResponse = {
  readonly contracts: readonly (CContract)[];
};

export type TListTransfersRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only from or to this address. */
  readonly address?: string | undefined;
  /** Only of this transaction; on `t` in hex or base64. */
  readonly transaction_hash?: string | undefined;
  /** Only blocks from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only blocks up to this Unix second. */
  readonly end_time?: number | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string } | { readonly transaction_hash: string });

export type ExtraCurrency = {
  readonly currency_id: string;
  readonly value: string;
};

export type TTransfer = {
  readonly asset_type: 'ASSET_TYPE_T' | (string & {});
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly transaction_hash: string;
  readonly transaction_fee: string;
  readonly seq_no: string;
  readonly workchain: string;
  readonly shard: string;
  readonly status: 'success' | 'failure' | (string & {});
  readonly from_user_friendly_address: string;
  readonly to_user_friendly_address: string;
  readonly message: string;
  readonly transfer_hash: string;
  readonly transfer_type: 'TRANSFER_TYPE_INCOMING' | 'TRANSFER_TYPE_OUTGOING' | (string & {});
  readonly bounced: 'true' | 'false' | (string & {});
  readonly block_height?: number;
  readonly block_timestamp?: number;
  readonly token_address?: string;
  readonly comment_encrypted?: boolean;
  readonly extra_currencies?: readonly (ExtraCurrency)[];
  readonly transfer_metadata?: ImportedToken;
};

export type TListTransfersResponse = {
  readonly transfers: readonly (TTransfer)[];
  readonly pagination: Pagination;
};

export type SListTransfersRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only from or to this address. */
  readonly address?: string | undefined;
  /** Only of this transaction. */
  readonly transaction_digest?: string | undefined;
  /** Only blocks from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only blocks up to this Unix second. */
  readonly end_time?: number | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string } | { readonly transaction_digest: string });

export type STransfer = {
  readonly asset_type: 'ASSET_TYPE_S' | (string & {});
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly transaction_digest: string;
  readonly transaction_fee?: string;
  readonly status: 'success' | 'failure' | (string & {});
  readonly block_height?: number;
  readonly block_timestamp?: number;
  readonly token_address?: string;
  readonly transfer_metadata?: ImportedToken;
};

export type SListTransfersResponse = {
  readonly transfers: readonly (STransfer)[];
  readonly pagination: Pagination;
};

export type PListTransfersRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only from or to this address. */
  readonly address?: string | undefined;
  /** Only of this transaction; on `t` in hex or base64. */
  readonly transaction_hash?: string | undefined;
  /** Only blocks from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only blocks up to this Unix second. */
  readonly end_time?: number | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string } | { readonly transaction_hash: string });

export type PTransfer = {
  readonly asset_type: 'ASSET_TYPE_P' | (string & {});
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly transaction_hash: string;
  readonly transaction_fee: string;
  readonly block_height: number;
  readonly block_timestamp: number;
};

export type PListTransfersResponse = {
  readonly transfers: readonly (PTransfer)[];
  readonly pagination: Pagination;
};

export type CListTransfersRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only from or to this address. */
  readonly address?: string | undefined;
  /** Only of this transaction; on `t` in hex or base64. */
  readonly transaction_hash?: string | undefined;
  /** Only blocks from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only blocks up to this Unix second. */
  readonly end_time?: number | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string } | { readonly transaction_hash: string });

export type CTransfer = {
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155' | (string & {});
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly transaction_hash: string;
  readonly nonce: string;
  readonly transaction_fee: string;
  readonly transfer_state: 'TRANSFER_STATE_PENDING' | 'TRANSFER_STATE_SUCCESS' | 'TRANSFER_STATE_FAILED' | 'TRANSFER_STATE_REMOVED' | (string & {});
  readonly block_number: number;
  readonly block_timestamp: number;
  readonly transfer_metadata: TokenMetadata;
};

export type CListTransfersResponse = {
  readonly transfers: readonly (CTransfer)[];
  readonly pagination: Pagination;
};

export type TRefreshAssetBalancesRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** The address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_T';
} & ({ readonly wallet_id: string } | { readonly address: string });

export type RefreshAssetBalancesResponse = Readonly<Record<string, never>>;

export type SRefreshAssetBalancesRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** The address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_S';
} & ({ readonly wallet_id: string } | { readonly address: string });

export type PRefreshAssetBalancesRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** The address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_P';
} & ({ readonly wallet_id: string } | { readonly address: string });

export type CRefreshAssetBalancesRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** The address. */
  readonly address?: string | undefined;
  /** The type of assets. */
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155';
  /** The first block whose logs are looked through for received tokens. */
  readonly from_block?: number | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type TRegisterContractRequest = {
  /** A jetton's master, or a coin type such as `0x5::usd::USD`. */
  readonly token_address: string;
};

export type RegisterContractResponse = Readonly<Record<string, never>>;

export type SRegisterContractRequest = {
  /** A jetton's master, or a coin type such as `0x5::usd::USD`. */
  readonly token_address: string;
};

export type CRegisterContractRequest = {
  /** The token contract. */
  readonly contract_address: string;
  /** The standard of the contract. */
  readonly contract_type: 'CONTRACT_TYPE_ERC20' | 'CONTRACT_TYPE_ERC721' | 'CONTRACT_TYPE_ERC1155';
};

export type TRemoveContractRequest = {
  /** The jetton's master, or the coin type. */
  readonly token_address: string;
};

export type RemoveContractResponse = Readonly<Record<string, never>>;

export type SRemoveContractRequest = {
  /** The jetton's master, or the coin type. */
  readonly token_address: string;
};

export type CRemoveContractRequest = {
  /** The token contract. */
  readonly contract_address: string;
};

export type TGetStatementRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address; 404 if it was never registered. */
  readonly address?: string | undefined;
  /** Only assets of this type. */
  readonly asset_type?: 'ASSET_TYPE_T' | undefined;
  /** Only this token. */
  readonly token_address?: string | undefined;
  /** The Unix second after which blocks are part of the period. */
  readonly start_time: number;
  /** The Unix second up to which blocks are part of the period. */
  readonly end_time: number;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type StatementCorrection = {
  readonly block: number;
  readonly expected: string;
  readonly found: string;
};

export type TStatementLine = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_T' | (string & {});
  readonly asset_metadata?: ImportedToken;
  readonly opening_balance: string;
  readonly incoming: string;
  readonly outgoing: string;
  readonly fees: string;
  readonly in_transit: string;
  readonly closing_balance: string;
  readonly unexplained: string;
  readonly reasons: readonly ('before_registration' | 'untraced_internal_transfer' | 'rebasing_token' | 'unreadable_block' | 'withdrawal' | 'block_reward' | 'system_transaction' | 'wrapped_coins' | 'fee_not_recorded' | 'balance_drifted' | 'unknown' | (string & {}))[];
  readonly corrections?: readonly (StatementCorrection)[];
};

export type TStatement = {
  readonly start_block: number;
  readonly end_block: number;
  readonly lines: readonly (TStatementLine)[];
};

export type TMovement = {
  readonly transfer: TTransfer;
  readonly address: string;
  readonly direction: 'incoming' | 'outgoing' | (string & {});
  readonly fee: string;
};

export type TGetStatementResponse = {
  readonly statement: TStatement;
  readonly movements: readonly (TMovement)[];
  readonly pagination: Pagination;
};

export type SGetStatementRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address; 404 if it was never registered. */
  readonly address?: string | undefined;
  /** Only assets of this type. */
  readonly asset_type?: 'ASSET_TYPE_S' | undefined;
  /** Only this token. */
  readonly token_address?: string | undefined;
  /** The Unix second after which blocks are part of the period. */
  readonly start_time: number;
  /** The Unix second up to which blocks are part of the period. */
  readonly end_time: number;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type SStatementLine = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_S' | (string & {});
  readonly asset_metadata?: ImportedToken;
  readonly opening_balance: string;
  readonly incoming: string;
  readonly outgoing: string;
  readonly fees: string;
  readonly in_transit: string;
  readonly closing_balance: string;
  readonly unexplained: string;
  readonly reasons: readonly ('before_registration' | 'untraced_internal_transfer' | 'rebasing_token' | 'unreadable_block' | 'withdrawal' | 'block_reward' | 'system_transaction' | 'wrapped_coins' | 'fee_not_recorded' | 'balance_drifted' | 'unknown' | (string & {}))[];
  readonly corrections?: readonly (StatementCorrection)[];
};

export type SStatement = {
  readonly start_block: number;
  readonly end_block: number;
  readonly lines: readonly (SStatementLine)[];
};

export type SMovement = {
  readonly transfer: STransfer;
  readonly address: string;
  readonly direction: 'incoming' | 'outgoing' | (string & {});
  readonly fee: string;
};

export type SGetStatementResponse = {
  readonly statement: SStatement;
  readonly movements: readonly (SMovement)[];
  readonly pagination: Pagination;
};

export type PGetStatementRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address; 404 if it was never registered. */
  readonly address?: string | undefined;
  /** Only assets of this type. */
  readonly asset_type?: 'ASSET_TYPE_P' | undefined;
  /** The Unix second after which blocks are part of the period. */
  readonly start_time: number;
  /** The Unix second up to which blocks are part of the period. */
  readonly end_time: number;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type PStatementLine = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_P' | (string & {});
  readonly opening_balance: string;
  readonly incoming: string;
  readonly outgoing: string;
  readonly fees: string;
  readonly in_transit: string;
  readonly closing_balance: string;
  readonly unexplained: string;
  readonly reasons: readonly ('before_registration' | 'untraced_internal_transfer' | 'rebasing_token' | 'unreadable_block' | 'withdrawal' | 'block_reward' | 'system_transaction' | 'wrapped_coins' | 'fee_not_recorded' | 'balance_drifted' | 'unknown' | (string & {}))[];
  readonly corrections?: readonly (StatementCorrection)[];
};

export type PStatement = {
  readonly start_block: number;
  readonly end_block: number;
  readonly lines: readonly (PStatementLine)[];
};

export type PMovement = {
  readonly transfer: PTransfer;
  readonly address: string;
  readonly direction: 'incoming' | 'outgoing' | (string & {});
  readonly fee: string;
};

export type PGetStatementResponse = {
  readonly statement: PStatement;
  readonly movements: readonly (PMovement)[];
  readonly pagination: Pagination;
};

export type CGetStatementRequest = {
  /** Only of this wallet; 404 if it does not exist. */
  readonly wallet_id?: string | undefined;
  /** Only of this address; 404 if it was never registered. */
  readonly address?: string | undefined;
  /** Only assets of this type. */
  readonly asset_type?: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155' | undefined;
  /** Only tokens of this contract. */
  readonly contract_address?: string | undefined;
  /** The Unix second after which blocks are part of the period. */
  readonly start_time: number;
  /** The Unix second up to which blocks are part of the period. */
  readonly end_time: number;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type CStatementLine = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155' | (string & {});
  readonly asset_metadata: TokenMetadata;
  readonly opening_balance: string;
  readonly incoming: string;
  readonly outgoing: string;
  readonly fees: string;
  readonly in_transit: string;
  readonly closing_balance: string;
  readonly unexplained: string;
  readonly reasons: readonly ('before_registration' | 'untraced_internal_transfer' | 'rebasing_token' | 'unreadable_block' | 'withdrawal' | 'block_reward' | 'system_transaction' | 'wrapped_coins' | 'fee_not_recorded' | 'balance_drifted' | 'unknown' | (string & {}))[];
  readonly corrections?: readonly (StatementCorrection)[];
};

export type CStatement = {
  readonly start_block: number;
  readonly end_block: number;
  readonly lines: readonly (CStatementLine)[];
};

export type CMovement = {
  readonly transfer: CTransfer;
  readonly address: string;
  readonly direction: 'incoming' | 'outgoing' | (string & {});
  readonly fee: string;
};

export type CGetStatementResponse = {
  readonly statement: CStatement;
  readonly movements: readonly (CMovement)[];
  readonly pagination: Pagination;
};

export type ReconcileWalletRequest = {
  /** The wallet. */
  readonly wallet_id: string;
};

export type TBalanceDifference = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_T' | (string & {});
  readonly expected: string;
  readonly found: string;
  readonly block: number;
  readonly asset_metadata?: ImportedToken;
};

export type TReconcileWalletResponse = {
  readonly differences: readonly (TBalanceDifference)[];
};

export type SBalanceDifference = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_S' | (string & {});
  readonly expected: string;
  readonly found: string;
  readonly block: number;
  readonly asset_metadata?: ImportedToken;
};

export type SReconcileWalletResponse = {
  readonly differences: readonly (SBalanceDifference)[];
};

export type PBalanceDifference = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_P' | (string & {});
  readonly expected: string;
  readonly found: string;
  readonly block: number;
};

export type PReconcileWalletResponse = {
  readonly differences: readonly (PBalanceDifference)[];
};

export type CBalanceDifference = {
  readonly address: string;
  readonly asset_type: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20' | 'ASSET_TYPE_ERC721' | 'ASSET_TYPE_ERC1155' | (string & {});
  readonly expected: string;
  readonly found: string;
  readonly block: number;
  readonly asset_metadata: TokenMetadata;
};

export type CReconcileWalletResponse = {
  readonly differences: readonly (CBalanceDifference)[];
};

export type GetImportRequest = {
  /** The import. */
  readonly import_id: string;
};

export type Import = {
  readonly import_id: string;
  readonly wallet_id: string;
  readonly address: string;
  readonly state: 'IMPORT_STATE_RUNNING' | 'IMPORT_STATE_COMPLETED' | 'IMPORT_STATE_FAILED' | (string & {});
  readonly from_block: number;
  readonly current_block: number;
  readonly to_block: number;
  readonly untraced: boolean;
  readonly reason?: string;
};

export type GetImportResponse = {
  readonly import: Import;
};

export type ImportHistoryRequest = {
  /** The address. */
  readonly address: string;
  /** The first block to import. */
  readonly from_block?: number | undefined;
  /** The Unix second from which on to import: the first block is the last one at or before it. */
  readonly from_time?: number | undefined;
};

export type ImportHistoryResponse = {
  readonly import_id: string;
};

export type GetWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
};

export type WebhookWithSecret = {
  readonly webhook_id: string;
  readonly wallet_id: string;
  readonly webhook_endpoint: string;
  readonly confirmation: number;
  readonly disabled: boolean;
  readonly public_key?: string;
  readonly create_time: string;
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_TEST' | (string & {}))[];
  readonly final?: boolean;
  readonly secret: string;
};

export type GetWebhookResponse = {
  readonly webhook: WebhookWithSecret;
};

export type ListWebhookHeadersRequest = {
  /** The webhook. */
  readonly webhook_id?: string | undefined;
};

export type WebhookHeader = {
  readonly webhook_header_id: string;
  readonly webhook_id: string;
  readonly header_key: string;
  readonly header_value: string;
};

export type ListWebhookHeadersResponse = {
  readonly webhook_headers: readonly (WebhookHeader)[];
};

export type ListWebhooksRequest = {
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type Webhook = {
  readonly webhook_id: string;
  readonly wallet_id: string;
  readonly webhook_endpoint: string;
  readonly confirmation: number;
  readonly disabled: boolean;
  readonly public_key?: string;
  readonly create_time: string;
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_TEST' | (string & {}))[];
  readonly final?: boolean;
};

export type ListWebhooksResponse = {
  readonly webhooks: readonly (Webhook)[];
  readonly pagination: Pagination;
};

export type TRegisterWebhookRequest = {
  /** Only of this wallet. */
  readonly wallet_id?: string | undefined;
  /** The URL of the receiver. */
  readonly webhook_endpoint: string;
  /** The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1. */
  readonly confirmation: number;
  /** A list of the types of notifications that the webhook asks for; by default that of the API's activity alone. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
};

export type RegisterWebhookResponse = {
  readonly webhook_id: string;
};

export type SRegisterWebhookRequest = {
  /** Only of this wallet. */
  readonly wallet_id?: string | undefined;
  /** The URL of the receiver. */
  readonly webhook_endpoint: string;
  /** The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1. */
  readonly confirmation: number;
  /** A list of the types of notifications that the webhook asks for; by default that of the API's activity alone. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
};

export type PRegisterWebhookRequest = {
  /** Only of this wallet. */
  readonly wallet_id?: string | undefined;
  /** The URL of the receiver. */
  readonly webhook_endpoint: string;
  /** The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1. */
  readonly confirmation: number;
  /** A list of the types of notifications that the webhook asks for; by default that of the API's activity alone. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
};

export type CRegisterWebhookRequest = {
  /** Only of this wallet. */
  readonly wallet_id?: string | undefined;
  /** The URL of the receiver. */
  readonly webhook_endpoint: string;
  /** The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1. */
  readonly confirmation: number;
  /** A list of the types of notifications that the webhook asks for; by default that of the API's activity alone. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
};

export type RegisterWebhookHeaderRequest = {
  /** Only for this webhook. */
  readonly webhook_id?: string | undefined;
  /** The name of the header, an HTTP token. */
  readonly header_key: string;
  /** The value of the header, Latin-1 without control characters. */
  readonly header_value: string;
};

export type RegisterWebhookHeaderResponse = {
  readonly webhook_header_id: string;
};

export type RemoveWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
};

export type RemoveWebhookResponse = Readonly<Record<string, never>>;

export type RemoveWebhookHeaderRequest = {
  /** The header. */
  readonly webhook_header_id: string;
};

export type RemoveWebhookHeaderResponse = Readonly<Record<string, never>>;

export type RotateWebhookSecretRequest = {
  /** The webhook. */
  readonly webhook_id: string;
};

export type RotateWebhookSecretResponse = Readonly<Record<string, never>>;

export type TUpdateWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
  /** The new URL of the receiver. */
  readonly webhook_endpoint?: string | undefined;
  /** The new depth at which the webhook fires. */
  readonly confirmation?: number | undefined;
  /** The new list of the types of notifications. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
  /** `true` suspends sending immediately, `false` resumes it. */
  readonly disabled?: boolean | undefined;
};

export type UpdateWebhookResponse = Readonly<Record<string, never>>;

export type SUpdateWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
  /** The new URL of the receiver. */
  readonly webhook_endpoint?: string | undefined;
  /** The new depth at which the webhook fires. */
  readonly confirmation?: number | undefined;
  /** The new list of the types of notifications. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
  /** `true` suspends sending immediately, `false` resumes it. */
  readonly disabled?: boolean | undefined;
};

export type PUpdateWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
  /** The new URL of the receiver. */
  readonly webhook_endpoint?: string | undefined;
  /** The new depth at which the webhook fires. */
  readonly confirmation?: number | undefined;
  /** The new list of the types of notifications. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
  /** `true` suspends sending immediately, `false` resumes it. */
  readonly disabled?: boolean | undefined;
};

export type CUpdateWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
  /** The new URL of the receiver. */
  readonly webhook_endpoint?: string | undefined;
  /** The new depth at which the webhook fires. */
  readonly confirmation?: number | undefined;
  /** The new list of the types of notifications. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED')[] | undefined;
  /** Whether a transfer that was notified as pending is notified once more when it is confirmed. */
  readonly final?: boolean | undefined;
  /** `true` suspends sending immediately, `false` resumes it. */
  readonly disabled?: boolean | undefined;
};

export type ListWebhookAttemptsRequest = {
  /** The notification. */
  readonly webhook_history_id: string;
};

export type WebhookAttempt = {
  readonly attempt: number;
  readonly attempt_time: string;
  readonly status_code: number | null;
  readonly failure: string;
  readonly duration_ms: number;
  readonly response_excerpt: string;
  readonly next_attempt_time: string | null;
};

export type ListWebhookAttemptsResponse = {
  readonly webhook_attempts: readonly (WebhookAttempt)[];
};

export type ListWebhookHistoriesRequest = {
  /** Only of this webhook. */
  readonly webhook_id?: string | undefined;
  /** Only from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only up to this Unix second. */
  readonly end_time?: number | undefined;
  /** Only with this status. */
  readonly webhook_status?: 'WEBHOOK_STATUS_PENDING' | 'WEBHOOK_STATUS_RETRYING' | 'WEBHOOK_STATUS_COMPLETED' | 'WEBHOOK_STATUS_FAILED' | 'WEBHOOK_STATUS_CANCELED' | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
};

export type WebhookHistory = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly webhook_status: 'WEBHOOK_STATUS_PENDING' | 'WEBHOOK_STATUS_RETRYING' | 'WEBHOOK_STATUS_COMPLETED' | 'WEBHOOK_STATUS_FAILED' | 'WEBHOOK_STATUS_CANCELED' | (string & {});
  readonly notification_type: 'NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_TEST' | (string & {});
  readonly delivery_count: number;
  readonly delivery_time: string;
  readonly data: Record<string, unknown>;
};

export type ListWebhookHistoriesResponse = {
  readonly webhook_histories: readonly (WebhookHistory)[];
  readonly pagination: Pagination;
};

export type ResendWebhookRequest = {
  /** The notification. */
  readonly webhook_history_id: string;
};

export type ResendWebhookResponse = Readonly<Record<string, never>>;

export type ResendWebhooksRequest = {
  /** The webhook. */
  readonly webhook_id: string;
  /** Only from this Unix second on. */
  readonly start_time?: number | undefined;
  /** Only up to this Unix second. */
  readonly end_time?: number | undefined;
  /** Only with this status. */
  readonly webhook_status?: 'WEBHOOK_STATUS_PENDING' | 'WEBHOOK_STATUS_RETRYING' | 'WEBHOOK_STATUS_COMPLETED' | 'WEBHOOK_STATUS_FAILED' | 'WEBHOOK_STATUS_CANCELED' | undefined;
};

export type ResendWebhooksResponse = {
  readonly count: number;
};

export type SendTestWebhookRequest = {
  /** The webhook. */
  readonly webhook_id: string;
};

export type SendTestWebhookResponse = {
  readonly webhook_history_id: string;
};

export type TListNotificationsRequest = {
  /** The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning. */
  readonly after?: string | undefined;
  /** The seconds to wait for the first notification if there is none. */
  readonly wait_seconds?: number | undefined;
  /** Only notifications of these types. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_TEST')[] | undefined;
  /** Only notifications about this wallet. */
  readonly wallet_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
};

export type Notification = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly notification_type: 'NOTIFICATION_TYPE_T_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_TEST' | (string & {});
  readonly create_time: string;
  readonly data: Record<string, unknown>;
};

export type ListNotificationsResponse = {
  readonly notifications: readonly (Notification)[];
  readonly next_after: string;
};

export type SListNotificationsRequest = {
  /** The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning. */
  readonly after?: string | undefined;
  /** The seconds to wait for the first notification if there is none. */
  readonly wait_seconds?: number | undefined;
  /** Only notifications of these types. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_S_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_TEST')[] | undefined;
  /** Only notifications about this wallet. */
  readonly wallet_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
};

export type PListNotificationsRequest = {
  /** The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning. */
  readonly after?: string | undefined;
  /** The seconds to wait for the first notification if there is none. */
  readonly wait_seconds?: number | undefined;
  /** Only notifications of these types. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_P_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_TEST')[] | undefined;
  /** Only notifications about this wallet. */
  readonly wallet_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
};

export type CListNotificationsRequest = {
  /** The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning. */
  readonly after?: string | undefined;
  /** The seconds to wait for the first notification if there is none. */
  readonly wait_seconds?: number | undefined;
  /** Only notifications of these types. */
  readonly notification_types?: readonly ('NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED' | 'NOTIFICATION_TYPE_HISTORY_SEALED' | 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED' | 'NOTIFICATION_TYPE_TEST')[] | undefined;
  /** Only notifications about this wallet. */
  readonly wallet_id?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
};

export type GetBlockRequest = {
  /** The height. */
  readonly block_number: number;
};

export type Block = {
  readonly block_hash: string;
  readonly block_number: number;
  readonly difficulty: number;
  readonly extra_data: string;
  readonly gas_limit: number;
  readonly gas_used: number;
  readonly logs_bloom: string;
  readonly miner: string;
  readonly mix_hash: string;
  readonly nonce: string;
  readonly parent_hash: string;
  readonly receipts_root: string;
  readonly sha3_uncles: string;
  readonly size: number;
  readonly state_root: string;
  readonly timestamp: number;
  readonly transactions_root: string;
  readonly uncles: readonly (string)[];
};

export type GetBlockResponse = {
  readonly block: Block;
};

export type GetPendingTransactionRequest = {
  /** The hash of the transaction. */
  readonly transaction_hash: string;
};

export type PendingTransaction = {
  readonly transaction_hash: string;
  readonly from: string;
  readonly to: string;
  readonly gas: number;
  readonly gas_price: number;
  readonly input: string;
  readonly nonce: number;
  readonly value: string;
  readonly r: string;
  readonly s: string;
  readonly v: string;
  readonly record_time: string;
};

export type GetPendingTransactionResponse = {
  readonly pending_transaction: PendingTransaction;
};

export type QGetTransactionRequest = {
  /** The hash of the transaction. */
  readonly transaction_hash: string;
};

export type Transaction = {
  readonly transaction_hash: string;
  readonly from: string;
  readonly to: string;
  readonly gas: number;
  readonly gas_price: number;
  readonly input: string;
  readonly nonce: number;
  readonly value: string;
  readonly r: string;
  readonly s: string;
  readonly v: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly transaction_index: number;
};

export type QGetTransactionResponse = {
  readonly transaction: Transaction;
};

export type GetTransactionReceiptRequest = {
  /** The hash of the transaction. */
  readonly transaction_hash: string;
};

export type TransactionReceipt = {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly transaction_index: number;
  readonly contract_address: string;
  readonly cumulative_gas_used: number;
  readonly from: string;
  readonly to: string;
  readonly gas_used: number;
  readonly logs_bloom: string;
  readonly status: number | null;
  readonly effective_gas_price: number;
};

export type GetTransactionReceiptResponse = {
  readonly transaction_receipt: TransactionReceipt;
};

export type ListInternalTransactionsRequest = {
  /** The hash of the transaction. */
  readonly transaction_hash: string;
};

export type InternalTransaction = {
  readonly transaction_hash: string;
  readonly from: string;
  readonly to: string;
  readonly gas: number;
  readonly gas_used: number;
  readonly input: string;
  readonly output: string;
  readonly call_type: 'CALL' | 'DELEGATECALL' | 'STATICCALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT' | (string & {});
  readonly trace_index: number;
  readonly value: string;
  readonly error: string;
};

export type ListInternalTransactionsResponse = {
  readonly internal_transactions: readonly (InternalTransaction)[];
};

export type ListLogsRequest = {
  /** The hash of the transaction. */
  readonly transaction_hash: string;
};

export type Log = {
  readonly transaction_hash: string;
  readonly address: string;
  readonly data: string;
  readonly topics: readonly (string)[];
  readonly block_number: number;
  readonly block_hash: string;
  readonly transaction_index: number;
  readonly log_index: number;
  readonly removed: boolean;
};

export type ListLogsResponse = {
  readonly logs: readonly (Log)[];
};

export type ListPendingTransactionsRequest = {
  /** The sender. */
  readonly from: string;
  /** Only those with this nonce. */
  readonly nonce?: number | undefined;
};

export type ListPendingTransactionsResponse = {
  readonly pending_transactions: readonly (PendingTransaction)[];
};

export type QListTransactionsRequest = {
  /** The hashes of the transactions; by default none. */
  readonly transaction_hashes?: readonly (string)[] | undefined;
};

export type QListTransactionsResponse = {
  readonly transactions: readonly (Transaction)[];
};

export type AnchorSealRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** An address of the wallet. */
  readonly from: string;
};

export type AccessListEntry = {
  readonly address: string;
  readonly storage_keys: readonly (string)[];
};

export type ManagedTransaction = {
  readonly wallet_id: string;
  readonly transaction_id: string;
  readonly transaction_hash: string;
  readonly transaction_state: 'TRANSACTION_STATE_CREATED' | 'TRANSACTION_STATE_SIGNED' | 'TRANSACTION_STATE_SENT' | 'TRANSACTION_STATE_MINED' | 'TRANSACTION_STATE_CONFIRMED' | 'TRANSACTION_STATE_FAILED' | 'TRANSACTION_STATE_CANCELING' | 'TRANSACTION_STATE_CANCELED' | 'TRANSACTION_STATE_REPLACED' | (string & {});
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly gas: string;
  readonly gas_price: string;
  readonly data: string;
  readonly nonce: string;
  readonly max_fee_per_gas?: string;
  readonly max_priority_fee_per_gas?: string;
  readonly access_list?: readonly (AccessListEntry)[];
  readonly create_time?: string;
  readonly send_time?: string;
  readonly mine_time?: string;
  readonly block_number?: number;
  readonly block_hash?: string;
  readonly transaction_fee?: string;
  readonly failure_reason?: string;
};

export type AnchorSealResponse = {
  readonly transaction: ManagedTransaction;
};

export type CancelTransactionRequest = {
  /** The id of the managed transaction. */
  readonly transaction_id: string;
};

export type CancelTransactionResponse = Readonly<Record<string, never>>;

export type Erc20Payload = {
  /** The token contract. */
  readonly contract_address: string;
  /** The amount, decimal, wei. */
  readonly value: string;
};

export type Erc721Payload = {
  /** The token contract. */
  readonly contract_address: string;
  /** an integer in decimal digits, without leading zeros */
  readonly token_id: string;
};

export type Erc1155Payload = {
  /** The token contract. */
  readonly contract_address: string;
  /** an integer in decimal digits, without leading zeros */
  readonly token_id: string;
  /** The amount, decimal, wei. */
  readonly value: string;
};

export type TokenPayload = {
  readonly erc20?: Erc20Payload | undefined;
  readonly erc721?: Erc721Payload | undefined;
  readonly erc1155?: Erc1155Payload | undefined;
};

export type CreateTokenTransactionRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** An address of the wallet. */
  readonly from: string;
  /** The receiver of the tokens. */
  readonly to: string;
  /** The token standard. */
  readonly contract_type: 'CONTRACT_TYPE_ERC20' | 'CONTRACT_TYPE_ERC721' | 'CONTRACT_TYPE_ERC1155';
  /** The sent tokens. */
  readonly token_payload: TokenPayload;
  /** The gas limit; by default the node's estimate. */
  readonly gas?: string | undefined;
  /** The price of a unit of gas, decimal, wei; by default the node's price. */
  readonly gas_price?: string | undefined;
  /** The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2 (EIP-1559), never together with `gas_price`; by default twice the base fee and the priority fee. */
  readonly max_fee_per_gas?: string | undefined;
  /** The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2, never together with `gas_price`; by default the node's suggestion. */
  readonly max_priority_fee_per_gas?: string | undefined;
  /** Contracts and storage that the transaction accesses (EIP-2930); by default none. */
  readonly access_list?: readonly (AccessListEntry)[] | undefined;
  /** The nonce; by default the next free one. */
  readonly nonce?: number | undefined;
  /** The id of the transaction; by default a UUID; a repeated id returns the same transaction for the same content and is 409 for other content. */
  readonly transaction_id?: string | undefined;
};

export type CreateTokenTransactionResponse = {
  readonly transaction: ManagedTransaction;
};

export type CreateTransactionRequest = {
  /** The wallet. */
  readonly wallet_id: string;
  /** An address of the wallet. */
  readonly from: string;
  /** The receiver. */
  readonly to: string;
  /** The amount, decimal, wei. */
  readonly value: string;
  /** The input data, hex; by default `0x`. */
  readonly data?: string | undefined;
  /** The gas limit; by default the node's estimate. */
  readonly gas?: string | undefined;
  /** The price of a unit of gas, decimal, wei; by default the node's price. */
  readonly gas_price?: string | undefined;
  /** The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2 (EIP-1559), never together with `gas_price`; by default twice the base fee and the priority fee. */
  readonly max_fee_per_gas?: string | undefined;
  /** The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2, never together with `gas_price`; by default the node's suggestion. */
  readonly max_priority_fee_per_gas?: string | undefined;
  /** Contracts and storage that the transaction accesses (EIP-2930); by default none. */
  readonly access_list?: readonly (AccessListEntry)[] | undefined;
  /** The nonce; by default the next free one. */
  readonly nonce?: number | undefined;
  /** The id of the transaction; by default a UUID; a repeated id returns the same transaction for the same content and is 409 for other content. */
  readonly transaction_id?: string | undefined;
};

export type CreateTransactionResponse = {
  readonly transaction: ManagedTransaction;
};

export type CGetTransactionRequest = {
  /** The id of the managed transaction. */
  readonly transaction_id?: string | undefined;
  /** The hash of the transaction. */
  readonly transaction_hash?: string | undefined;
} & ({ readonly transaction_id: string } | { readonly transaction_hash: string });

export type CGetTransactionResponse = {
  readonly transaction: ManagedTransaction;
};

export type GetTransactionMessageToSignRequest = {
  /** The id of the managed transaction. */
  readonly transaction_id: string;
};

export type TokenTransfer = {
  readonly contract_address: string;
  readonly standard: 'erc20' | 'erc721' | 'erc1155' | (string & {});
  /** an integer in decimal digits, without leading zeros */
  readonly token_id?: string;
  /** an integer in decimal digits, without leading zeros */
  readonly value: string;
};

export type TransactionPreview = {
  readonly kind: 'transfer' | 'token_transfer' | 'contract_call' | 'cancellation' | (string & {});
  readonly to: string;
  /** an integer in decimal digits, without leading zeros */
  readonly value: string;
  readonly token?: TokenTransfer;
  /** an integer in decimal digits, without leading zeros */
  readonly max_fee: string;
  /** an integer in decimal digits, possibly negative */
  readonly balance_after?: string;
};

export type GetTransactionMessageToSignResponse = {
  /** 0x followed by 64 hex digits */
  readonly transaction_message_to_sign: string;
  /** 0x followed by two hex digits per byte */
  readonly unsigned_transaction?: string;
  readonly preview?: TransactionPreview;
};

export type CListTransactionsRequest = {
  /** The wallet. */
  readonly wallet_id?: string | undefined;
  /** The sender. */
  readonly address?: string | undefined;
  /** The maximum number of items. */
  readonly page_size?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly page_token?: string | undefined;
} & ({ readonly wallet_id: string } | { readonly address: string });

export type CListTransactionsResponse = {
  readonly transactions: readonly (ManagedTransaction)[];
  readonly pagination: Pagination;
};

export type SendTransactionRequest = {
  /** The id of the managed transaction. */
  readonly transaction_id: string;
};

export type SendTransactionResponse = {
  readonly transaction: ManagedTransaction;
};

export type SpeedUpTransactionRequest = {
  /** The id of the sent transaction. */
  readonly transaction_id: string;
  /** The price of a unit of gas, decimal, wei; makes a legacy transaction. */
  readonly gas_price?: string | undefined;
  /** The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2. */
  readonly max_fee_per_gas?: string | undefined;
  /** The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2. */
  readonly max_priority_fee_per_gas?: string | undefined;
};

export type SpeedUpTransactionResponse = {
  readonly transaction: ManagedTransaction;
};

export type SubmitTransactionSignatureRequest = {
  /** The id of the managed transaction. */
  readonly transaction_id: string;
  /** `0x` hex: r, s and v in 65 bytes (v is 0 or 1, 27 or 28, or the EIP-155 value, which may be longer), or 64 bytes of EIP-2098; s in its lower half. */
  readonly signature: string;
};

export type SubmitTransactionSignatureResponse = Readonly<Record<string, never>>;

export interface TApi {
  /** Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address. */
  getWallet(request: GetWalletRequest, options?: CallOptions): Promise<TGetWalletResponse>;
  /** List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses. */
  listWallets(request: ListWalletsRequest, options?: CallOptions): Promise<TListWalletsResponse>;
  /** Iterates over the items of all pages of ListWallets. */
  eachWallet(request: ListWalletsRequest, options?: CallOptions): AsyncIterable<TWallet>;
  /** Register a wallet and, optionally, its first address. */
  registerWallet(request: TRegisterWalletRequest, options?: CallOptions): Promise<RegisterWalletResponse>;
  /** Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds. */
  batchRegisterAddresses(request: BatchRegisterAddressesRequest, options?: CallOptions): Promise<BatchRegisterAddressesResponse>;
  /** Remove up to 1000 addresses at once, or every address of the wallet with remove_all. */
  batchRemoveAddresses(request: BatchRemoveAddressesRequest, options?: CallOptions): Promise<BatchRemoveAddressesResponse>;
  /** Find the wallet that holds an address. */
  getAddress(request: GetAddressRequest, options?: CallOptions): Promise<TGetAddressResponse>;
  /** List the addresses of a wallet, or of all wallets, newest first. */
  listAddresses(request: ListAddressesRequest, options?: CallOptions): Promise<TListAddressesResponse>;
  /** Iterates over the items of all pages of ListAddresses. */
  eachAddress(request: ListAddressesRequest, options?: CallOptions): AsyncIterable<TAddress>;
  /** Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected. */
  registerAddress(request: TRegisterAddressRequest, options?: CallOptions): Promise<RegisterAddressResponse>;
  /** Stop tracking an address. Removing an address that the wallet does not hold changes nothing. */
  removeAddress(request: RemoveAddressRequest, options?: CallOptions): Promise<RemoveAddressResponse>;
  /** Get the progress of a running RefreshAssetBalances: addresses read and in total. */
  getBalanceRefresh(request: TGetBalanceRefreshRequest, options?: CallOptions): Promise<TGetBalanceRefreshResponse>;
  /** Read the balance of an address now. With token_address, also follow that token at the address from now on. */
  importAsset(request: TImportAssetRequest, options?: CallOptions): Promise<ImportAssetResponse>;
  /** List balances of one asset type, per address or summed over all addresses. */
  listAssets(request: TListAssetsRequest, options?: CallOptions): Promise<TListAssetsResponse>;
  /** Iterates over the items of all pages of ListAssets. */
  eachAsset(request: TListAssetsRequest, options?: CallOptions): AsyncIterable<TAsset>;
  /** List the followed token contracts, newest first. */
  listContracts(request: ListContractsRequest, options?: CallOptions): Promise<TListContractsResponse>;
  /** List transfers of a wallet, an address or a transaction, newest first. */
  listTransfers(request: TListTransfersRequest, options?: CallOptions): Promise<TListTransfersResponse>;
  /** Iterates over the items of all pages of ListTransfers. */
  eachTransfer(request: TListTransfersRequest, options?: CallOptions): AsyncIterable<TTransfer>;
  /** Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height. */
  refreshAssetBalances(request: TRefreshAssetBalancesRequest, options?: CallOptions): Promise<RefreshAssetBalancesResponse>;
  /** Follow a token contract from now on. Rejected if the contract does not implement its contract_type. */
  registerContract(request: TRegisterContractRequest, options?: CallOptions): Promise<RegisterContractResponse>;
  /** Stop following a token contract. Removing an unregistered contract changes nothing. */
  removeContract(request: TRemoveContractRequest, options?: CallOptions): Promise<RemoveContractResponse>;
  /** Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference. */
  getStatement(request: TGetStatementRequest, options?: CallOptions): Promise<TGetStatementResponse>;
  /** Iterates over the items of all pages of GetStatement. */
  eachStatementMovement(request: TGetStatementRequest, options?: CallOptions): AsyncIterable<TMovement>;
  /** Compare the balances of a wallet with the node at a final block, and correct those that differ. */
  reconcileWallet(request: ReconcileWalletRequest, options?: CallOptions): Promise<TReconcileWalletResponse>;
  /** Get the state and the progress of an import. */
  getImport(request: GetImportRequest, options?: CallOptions): Promise<GetImportResponse>;
  /** Import the transfers of an address from before its registration, in the background and without notifications. */
  importHistory(request: ImportHistoryRequest, options?: CallOptions): Promise<ImportHistoryResponse>;
  /** Get a webhook, including the secret that signs its deliveries. */
  getWebhook(request: GetWebhookRequest, options?: CallOptions): Promise<GetWebhookResponse>;
  /** List the headers of a webhook, or, if none is given, the headers sent to every webhook. */
  listWebhookHeaders(request: ListWebhookHeadersRequest, options?: CallOptions): Promise<ListWebhookHeadersResponse>;
  /** List the webhooks, newest first. */
  listWebhooks(request: ListWebhooksRequest, options?: CallOptions): Promise<ListWebhooksResponse>;
  /** Iterates over the items of all pages of ListWebhooks. */
  eachWebhook(request: ListWebhooksRequest, options?: CallOptions): AsyncIterable<Webhook>;
  /** Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations. */
  registerWebhook(request: TRegisterWebhookRequest, options?: CallOptions): Promise<RegisterWebhookResponse>;
  /** Add a header to the deliveries of a webhook, or of every webhook if none is given. */
  registerWebhookHeader(request: RegisterWebhookHeaderRequest, options?: CallOptions): Promise<RegisterWebhookHeaderResponse>;
  /** Remove a webhook. Its pending deliveries are canceled. */
  removeWebhook(request: RemoveWebhookRequest, options?: CallOptions): Promise<RemoveWebhookResponse>;
  /** Remove a header from deliveries. */
  removeWebhookHeader(request: RemoveWebhookHeaderRequest, options?: CallOptions): Promise<RemoveWebhookHeaderResponse>;
  /** Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets. */
  rotateWebhookSecret(request: RotateWebhookSecretRequest, options?: CallOptions): Promise<RotateWebhookSecretResponse>;
  /** Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are. */
  updateWebhook(request: TUpdateWebhookRequest, options?: CallOptions): Promise<UpdateWebhookResponse>;
  /** List the attempts of a delivery with their outcomes, oldest first. */
  listWebhookAttempts(request: ListWebhookAttemptsRequest, options?: CallOptions): Promise<ListWebhookAttemptsResponse>;
  /** List deliveries to webhooks with their outcomes, newest first. */
  listWebhookHistories(request: ListWebhookHistoriesRequest, options?: CallOptions): Promise<ListWebhookHistoriesResponse>;
  /** Iterates over the items of all pages of ListWebhookHistories. */
  eachWebhookHistory(request: ListWebhookHistoriesRequest, options?: CallOptions): AsyncIterable<WebhookHistory>;
  /** Resend a delivery now. A disabled webhook is enabled again. */
  resendWebhook(request: ResendWebhookRequest, options?: CallOptions): Promise<ResendWebhookResponse>;
  /** Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again. */
  resendWebhooks(request: ResendWebhooksRequest, options?: CallOptions): Promise<ResendWebhooksResponse>;
  /** Send a test notification to a webhook. */
  sendTestWebhook(request: SendTestWebhookRequest, options?: CallOptions): Promise<SendTestWebhookResponse>;
  /** List notifications, oldest first, and wait for new ones. No webhook is required. */
  listNotifications(request: TListNotificationsRequest, options?: CallOptions): Promise<ListNotificationsResponse>;
  /** Iterates over the items of ListNotifications, and waits for later ones. */
  eachNotification(request: TListNotificationsRequest, options?: CallOptions): AsyncIterable<Notification>;
}

export interface SApi {
  /** Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address. */
  getWallet(request: GetWalletRequest, options?: CallOptions): Promise<SGetWalletResponse>;
  /** List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses. */
  listWallets(request: ListWalletsRequest, options?: CallOptions): Promise<SListWalletsResponse>;
  /** Iterates over the items of all pages of ListWallets. */
  eachWallet(request: ListWalletsRequest, options?: CallOptions): AsyncIterable<SWallet>;
  /** Register a wallet and, optionally, its first address. */
  registerWallet(request: SRegisterWalletRequest, options?: CallOptions): Promise<RegisterWalletResponse>;
  /** Change the number of confirmations after which the balances of a wallet are updated. */
  updateConfirmation(request: UpdateConfirmationRequest, options?: CallOptions): Promise<UpdateConfirmationResponse>;
  /** Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds. */
  batchRegisterAddresses(request: BatchRegisterAddressesRequest, options?: CallOptions): Promise<BatchRegisterAddressesResponse>;
  /** Remove up to 1000 addresses at once, or every address of the wallet with remove_all. */
  batchRemoveAddresses(request: BatchRemoveAddressesRequest, options?: CallOptions): Promise<BatchRemoveAddressesResponse>;
  /** Find the wallet that holds an address. */
  getAddress(request: GetAddressRequest, options?: CallOptions): Promise<SGetAddressResponse>;
  /** List the addresses of a wallet, or of all wallets, newest first. */
  listAddresses(request: ListAddressesRequest, options?: CallOptions): Promise<SListAddressesResponse>;
  /** Iterates over the items of all pages of ListAddresses. */
  eachAddress(request: ListAddressesRequest, options?: CallOptions): AsyncIterable<SAddress>;
  /** Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected. */
  registerAddress(request: SRegisterAddressRequest, options?: CallOptions): Promise<RegisterAddressResponse>;
  /** Stop tracking an address. Removing an address that the wallet does not hold changes nothing. */
  removeAddress(request: RemoveAddressRequest, options?: CallOptions): Promise<RemoveAddressResponse>;
  /** Get the progress of a running RefreshAssetBalances: addresses read and in total. */
  getBalanceRefresh(request: SGetBalanceRefreshRequest, options?: CallOptions): Promise<SGetBalanceRefreshResponse>;
  /** Read the balance of an address now. With token_address, also follow that token at the address from now on. */
  importAsset(request: SImportAssetRequest, options?: CallOptions): Promise<ImportAssetResponse>;
  /** List balances of one asset type, per address or summed over all addresses. */
  listAssets(request: SListAssetsRequest, options?: CallOptions): Promise<SListAssetsResponse>;
  /** Iterates over the items of all pages of ListAssets. */
  eachAsset(request: SListAssetsRequest, options?: CallOptions): AsyncIterable<SAsset>;
  /** List the followed token contracts, newest first. */
  listContracts(request: ListContractsRequest, options?: CallOptions): Promise<SListContractsResponse>;
  /** List transfers of a wallet, an address or a transaction, newest first. */
  listTransfers(request: SListTransfersRequest, options?: CallOptions): Promise<SListTransfersResponse>;
  /** Iterates over the items of all pages of ListTransfers. */
  eachTransfer(request: SListTransfersRequest, options?: CallOptions): AsyncIterable<STransfer>;
  /** Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height. */
  refreshAssetBalances(request: SRefreshAssetBalancesRequest, options?: CallOptions): Promise<RefreshAssetBalancesResponse>;
  /** Follow a token contract from now on. Rejected if the contract does not implement its contract_type. */
  registerContract(request: SRegisterContractRequest, options?: CallOptions): Promise<RegisterContractResponse>;
  /** Stop following a token contract. Removing an unregistered contract changes nothing. */
  removeContract(request: SRemoveContractRequest, options?: CallOptions): Promise<RemoveContractResponse>;
  /** Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference. */
  getStatement(request: SGetStatementRequest, options?: CallOptions): Promise<SGetStatementResponse>;
  /** Iterates over the items of all pages of GetStatement. */
  eachStatementMovement(request: SGetStatementRequest, options?: CallOptions): AsyncIterable<SMovement>;
  /** Compare the balances of a wallet with the node at a final block, and correct those that differ. */
  reconcileWallet(request: ReconcileWalletRequest, options?: CallOptions): Promise<SReconcileWalletResponse>;
  /** Get the state and the progress of an import. */
  getImport(request: GetImportRequest, options?: CallOptions): Promise<GetImportResponse>;
  /** Import the transfers of an address from before its registration, in the background and without notifications. */
  importHistory(request: ImportHistoryRequest, options?: CallOptions): Promise<ImportHistoryResponse>;
  /** Get a webhook, including the secret that signs its deliveries. */
  getWebhook(request: GetWebhookRequest, options?: CallOptions): Promise<GetWebhookResponse>;
  /** List the headers of a webhook, or, if none is given, the headers sent to every webhook. */
  listWebhookHeaders(request: ListWebhookHeadersRequest, options?: CallOptions): Promise<ListWebhookHeadersResponse>;
  /** List the webhooks, newest first. */
  listWebhooks(request: ListWebhooksRequest, options?: CallOptions): Promise<ListWebhooksResponse>;
  /** Iterates over the items of all pages of ListWebhooks. */
  eachWebhook(request: ListWebhooksRequest, options?: CallOptions): AsyncIterable<Webhook>;
  /** Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations. */
  registerWebhook(request: SRegisterWebhookRequest, options?: CallOptions): Promise<RegisterWebhookResponse>;
  /** Add a header to the deliveries of a webhook, or of every webhook if none is given. */
  registerWebhookHeader(request: RegisterWebhookHeaderRequest, options?: CallOptions): Promise<RegisterWebhookHeaderResponse>;
  /** Remove a webhook. Its pending deliveries are canceled. */
  removeWebhook(request: RemoveWebhookRequest, options?: CallOptions): Promise<RemoveWebhookResponse>;
  /** Remove a header from deliveries. */
  removeWebhookHeader(request: RemoveWebhookHeaderRequest, options?: CallOptions): Promise<RemoveWebhookHeaderResponse>;
  /** Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets. */
  rotateWebhookSecret(request: RotateWebhookSecretRequest, options?: CallOptions): Promise<RotateWebhookSecretResponse>;
  /** Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are. */
  updateWebhook(request: SUpdateWebhookRequest, options?: CallOptions): Promise<UpdateWebhookResponse>;
  /** List the attempts of a delivery with their outcomes, oldest first. */
  listWebhookAttempts(request: ListWebhookAttemptsRequest, options?: CallOptions): Promise<ListWebhookAttemptsResponse>;
  /** List deliveries to webhooks with their outcomes, newest first. */
  listWebhookHistories(request: ListWebhookHistoriesRequest, options?: CallOptions): Promise<ListWebhookHistoriesResponse>;
  /** Iterates over the items of all pages of ListWebhookHistories. */
  eachWebhookHistory(request: ListWebhookHistoriesRequest, options?: CallOptions): AsyncIterable<WebhookHistory>;
  /** Resend a delivery now. A disabled webhook is enabled again. */
  resendWebhook(request: ResendWebhookRequest, options?: CallOptions): Promise<ResendWebhookResponse>;
  /** Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again. */
  resendWebhooks(request: ResendWebhooksRequest, options?: CallOptions): Promise<ResendWebhooksResponse>;
  /** Send a test notification to a webhook. */
  sendTestWebhook(request: SendTestWebhookRequest, options?: CallOptions): Promise<SendTestWebhookResponse>;
  /** List notifications, oldest first, and wait for new ones. No webhook is required. */
  listNotifications(request: SListNotificationsRequest, options?: CallOptions): Promise<ListNotificationsResponse>;
  /** Iterates over the items of ListNotifications, and waits for later ones. */
  eachNotification(request: SListNotificationsRequest, options?: CallOptions): AsyncIterable<Notification>;
}

export interface PApi {
  /** Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address. */
  getWallet(request: GetWalletRequest, options?: CallOptions): Promise<PGetWalletResponse>;
  /** List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses. */
  listWallets(request: ListWalletsRequest, options?: CallOptions): Promise<PListWalletsResponse>;
  /** Iterates over the items of all pages of ListWallets. */
  eachWallet(request: ListWalletsRequest, options?: CallOptions): AsyncIterable<PWallet>;
  /** Register a wallet and, optionally, its first address. */
  registerWallet(request: PRegisterWalletRequest, options?: CallOptions): Promise<RegisterWalletResponse>;
  /** Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds. */
  batchRegisterAddresses(request: BatchRegisterAddressesRequest, options?: CallOptions): Promise<BatchRegisterAddressesResponse>;
  /** Remove up to 1000 addresses at once, or every address of the wallet with remove_all. */
  batchRemoveAddresses(request: BatchRemoveAddressesRequest, options?: CallOptions): Promise<BatchRemoveAddressesResponse>;
  /** List the addresses of a wallet, or of all wallets, newest first. */
  listAddresses(request: ListAddressesRequest, options?: CallOptions): Promise<PListAddressesResponse>;
  /** Iterates over the items of all pages of ListAddresses. */
  eachAddress(request: ListAddressesRequest, options?: CallOptions): AsyncIterable<PAddress>;
  /** Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected. */
  registerAddress(request: PRegisterAddressRequest, options?: CallOptions): Promise<RegisterAddressResponse>;
  /** Stop tracking an address. Removing an address that the wallet does not hold changes nothing. */
  removeAddress(request: RemoveAddressRequest, options?: CallOptions): Promise<RemoveAddressResponse>;
  /** Get the progress of a running RefreshAssetBalances: addresses read and in total. */
  getBalanceRefresh(request: PGetBalanceRefreshRequest, options?: CallOptions): Promise<PGetBalanceRefreshResponse>;
  /** Read the balance of an address now. With token_address, also follow that token at the address from now on. */
  importAsset(request: PImportAssetRequest, options?: CallOptions): Promise<ImportAssetResponse>;
  /** List balances of one asset type, per address or summed over all addresses. */
  listAssets(request: PListAssetsRequest, options?: CallOptions): Promise<PListAssetsResponse>;
  /** Iterates over the items of all pages of ListAssets. */
  eachAsset(request: PListAssetsRequest, options?: CallOptions): AsyncIterable<PAsset>;
  /** List transfers of a wallet, an address or a transaction, newest first. */
  listTransfers(request: PListTransfersRequest, options?: CallOptions): Promise<PListTransfersResponse>;
  /** Iterates over the items of all pages of ListTransfers. */
  eachTransfer(request: PListTransfersRequest, options?: CallOptions): AsyncIterable<PTransfer>;
  /** Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height. */
  refreshAssetBalances(request: PRefreshAssetBalancesRequest, options?: CallOptions): Promise<RefreshAssetBalancesResponse>;
  /** Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference. */
  getStatement(request: PGetStatementRequest, options?: CallOptions): Promise<PGetStatementResponse>;
  /** Iterates over the items of all pages of GetStatement. */
  eachStatementMovement(request: PGetStatementRequest, options?: CallOptions): AsyncIterable<PMovement>;
  /** Compare the balances of a wallet with the node at a final block, and correct those that differ. */
  reconcileWallet(request: ReconcileWalletRequest, options?: CallOptions): Promise<PReconcileWalletResponse>;
  /** Get the state and the progress of an import. */
  getImport(request: GetImportRequest, options?: CallOptions): Promise<GetImportResponse>;
  /** Import the transfers of an address from before its registration, in the background and without notifications. */
  importHistory(request: ImportHistoryRequest, options?: CallOptions): Promise<ImportHistoryResponse>;
  /** Get a webhook, including the secret that signs its deliveries. */
  getWebhook(request: GetWebhookRequest, options?: CallOptions): Promise<GetWebhookResponse>;
  /** List the headers of a webhook, or, if none is given, the headers sent to every webhook. */
  listWebhookHeaders(request: ListWebhookHeadersRequest, options?: CallOptions): Promise<ListWebhookHeadersResponse>;
  /** List the webhooks, newest first. */
  listWebhooks(request: ListWebhooksRequest, options?: CallOptions): Promise<ListWebhooksResponse>;
  /** Iterates over the items of all pages of ListWebhooks. */
  eachWebhook(request: ListWebhooksRequest, options?: CallOptions): AsyncIterable<Webhook>;
  /** Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations. */
  registerWebhook(request: PRegisterWebhookRequest, options?: CallOptions): Promise<RegisterWebhookResponse>;
  /** Add a header to the deliveries of a webhook, or of every webhook if none is given. */
  registerWebhookHeader(request: RegisterWebhookHeaderRequest, options?: CallOptions): Promise<RegisterWebhookHeaderResponse>;
  /** Remove a webhook. Its pending deliveries are canceled. */
  removeWebhook(request: RemoveWebhookRequest, options?: CallOptions): Promise<RemoveWebhookResponse>;
  /** Remove a header from deliveries. */
  removeWebhookHeader(request: RemoveWebhookHeaderRequest, options?: CallOptions): Promise<RemoveWebhookHeaderResponse>;
  /** Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets. */
  rotateWebhookSecret(request: RotateWebhookSecretRequest, options?: CallOptions): Promise<RotateWebhookSecretResponse>;
  /** Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are. */
  updateWebhook(request: PUpdateWebhookRequest, options?: CallOptions): Promise<UpdateWebhookResponse>;
  /** List the attempts of a delivery with their outcomes, oldest first. */
  listWebhookAttempts(request: ListWebhookAttemptsRequest, options?: CallOptions): Promise<ListWebhookAttemptsResponse>;
  /** List deliveries to webhooks with their outcomes, newest first. */
  listWebhookHistories(request: ListWebhookHistoriesRequest, options?: CallOptions): Promise<ListWebhookHistoriesResponse>;
  /** Iterates over the items of all pages of ListWebhookHistories. */
  eachWebhookHistory(request: ListWebhookHistoriesRequest, options?: CallOptions): AsyncIterable<WebhookHistory>;
  /** Resend a delivery now. A disabled webhook is enabled again. */
  resendWebhook(request: ResendWebhookRequest, options?: CallOptions): Promise<ResendWebhookResponse>;
  /** Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again. */
  resendWebhooks(request: ResendWebhooksRequest, options?: CallOptions): Promise<ResendWebhooksResponse>;
  /** Send a test notification to a webhook. */
  sendTestWebhook(request: SendTestWebhookRequest, options?: CallOptions): Promise<SendTestWebhookResponse>;
  /** List notifications, oldest first, and wait for new ones. No webhook is required. */
  listNotifications(request: PListNotificationsRequest, options?: CallOptions): Promise<ListNotificationsResponse>;
  /** Iterates over the items of ListNotifications, and waits for later ones. */
  eachNotification(request: PListNotificationsRequest, options?: CallOptions): AsyncIterable<Notification>;
}

export interface CApi {
  /** Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address. */
  getWallet(request: GetWalletRequest, options?: CallOptions): Promise<CGetWalletResponse>;
  /** List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses. */
  listWallets(request: ListWalletsRequest, options?: CallOptions): Promise<CListWalletsResponse>;
  /** Iterates over the items of all pages of ListWallets. */
  eachWallet(request: ListWalletsRequest, options?: CallOptions): AsyncIterable<CWallet>;
  /** Register a wallet and, optionally, its first address. */
  registerWallet(request: CRegisterWalletRequest, options?: CallOptions): Promise<RegisterWalletResponse>;
  /** Change the number of confirmations after which the balances of a wallet are updated. */
  updateConfirmation(request: UpdateConfirmationRequest, options?: CallOptions): Promise<UpdateConfirmationResponse>;
  /** Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds. */
  batchRegisterAddresses(request: BatchRegisterAddressesRequest, options?: CallOptions): Promise<BatchRegisterAddressesResponse>;
  /** Remove up to 1000 addresses at once, or every address of the wallet with remove_all. */
  batchRemoveAddresses(request: BatchRemoveAddressesRequest, options?: CallOptions): Promise<BatchRemoveAddressesResponse>;
  /** List the addresses of a wallet, or of all wallets, newest first. */
  listAddresses(request: ListAddressesRequest, options?: CallOptions): Promise<CListAddressesResponse>;
  /** Iterates over the items of all pages of ListAddresses. */
  eachAddress(request: ListAddressesRequest, options?: CallOptions): AsyncIterable<CAddress>;
  /** Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected. */
  registerAddress(request: CRegisterAddressRequest, options?: CallOptions): Promise<RegisterAddressResponse>;
  /** Stop tracking an address. Removing an address that the wallet does not hold changes nothing. */
  removeAddress(request: RemoveAddressRequest, options?: CallOptions): Promise<RemoveAddressResponse>;
  /** Get the progress of a running RefreshAssetBalances: addresses read and in total. */
  getBalanceRefresh(request: CGetBalanceRefreshRequest, options?: CallOptions): Promise<CGetBalanceRefreshResponse>;
  /** List balances of one asset type, per address or summed over all addresses. */
  listAssets(request: CListAssetsRequest, options?: CallOptions): Promise<CListAssetsResponse>;
  /** Iterates over the items of all pages of ListAssets. */
  eachAsset(request: CListAssetsRequest, options?: CallOptions): AsyncIterable<CAsset>;
  /** List the followed token contracts, newest first. */
  listContracts(request: ListContractsRequest, options?: CallOptions): Promise<CListContractsResponse>;
  /** List transfers of a wallet, an address or a transaction, newest first. */
  listTransfers(request: CListTransfersRequest, options?: CallOptions): Promise<CListTransfersResponse>;
  /** Iterates over the items of all pages of ListTransfers. */
  eachTransfer(request: CListTransfersRequest, options?: CallOptions): AsyncIterable<CTransfer>;
  /** Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height. */
  refreshAssetBalances(request: CRefreshAssetBalancesRequest, options?: CallOptions): Promise<RefreshAssetBalancesResponse>;
  /** Follow a token contract from now on. Rejected if the contract does not implement its contract_type. */
  registerContract(request: CRegisterContractRequest, options?: CallOptions): Promise<RegisterContractResponse>;
  /** Stop following a token contract. Removing an unregistered contract changes nothing. */
  removeContract(request: CRemoveContractRequest, options?: CallOptions): Promise<RemoveContractResponse>;
  /** Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference. */
  getStatement(request: CGetStatementRequest, options?: CallOptions): Promise<CGetStatementResponse>;
  /** Iterates over the items of all pages of GetStatement. */
  eachStatementMovement(request: CGetStatementRequest, options?: CallOptions): AsyncIterable<CMovement>;
  /** Compare the balances of a wallet with the node at a final block, and correct those that differ. */
  reconcileWallet(request: ReconcileWalletRequest, options?: CallOptions): Promise<CReconcileWalletResponse>;
  /** Get the state and the progress of an import. */
  getImport(request: GetImportRequest, options?: CallOptions): Promise<GetImportResponse>;
  /** Import the transfers of an address from before its registration, in the background and without notifications. */
  importHistory(request: ImportHistoryRequest, options?: CallOptions): Promise<ImportHistoryResponse>;
  /** Get a webhook, including the secret that signs its deliveries. */
  getWebhook(request: GetWebhookRequest, options?: CallOptions): Promise<GetWebhookResponse>;
  /** List the headers of a webhook, or, if none is given, the headers sent to every webhook. */
  listWebhookHeaders(request: ListWebhookHeadersRequest, options?: CallOptions): Promise<ListWebhookHeadersResponse>;
  /** List the webhooks, newest first. */
  listWebhooks(request: ListWebhooksRequest, options?: CallOptions): Promise<ListWebhooksResponse>;
  /** Iterates over the items of all pages of ListWebhooks. */
  eachWebhook(request: ListWebhooksRequest, options?: CallOptions): AsyncIterable<Webhook>;
  /** Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations. */
  registerWebhook(request: CRegisterWebhookRequest, options?: CallOptions): Promise<RegisterWebhookResponse>;
  /** Add a header to the deliveries of a webhook, or of every webhook if none is given. */
  registerWebhookHeader(request: RegisterWebhookHeaderRequest, options?: CallOptions): Promise<RegisterWebhookHeaderResponse>;
  /** Remove a webhook. Its pending deliveries are canceled. */
  removeWebhook(request: RemoveWebhookRequest, options?: CallOptions): Promise<RemoveWebhookResponse>;
  /** Remove a header from deliveries. */
  removeWebhookHeader(request: RemoveWebhookHeaderRequest, options?: CallOptions): Promise<RemoveWebhookHeaderResponse>;
  /** Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets. */
  rotateWebhookSecret(request: RotateWebhookSecretRequest, options?: CallOptions): Promise<RotateWebhookSecretResponse>;
  /** Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are. */
  updateWebhook(request: CUpdateWebhookRequest, options?: CallOptions): Promise<UpdateWebhookResponse>;
  /** List the attempts of a delivery with their outcomes, oldest first. */
  listWebhookAttempts(request: ListWebhookAttemptsRequest, options?: CallOptions): Promise<ListWebhookAttemptsResponse>;
  /** List deliveries to webhooks with their outcomes, newest first. */
  listWebhookHistories(request: ListWebhookHistoriesRequest, options?: CallOptions): Promise<ListWebhookHistoriesResponse>;
  /** Iterates over the items of all pages of ListWebhookHistories. */
  eachWebhookHistory(request: ListWebhookHistoriesRequest, options?: CallOptions): AsyncIterable<WebhookHistory>;
  /** Resend a delivery now. A disabled webhook is enabled again. */
  resendWebhook(request: ResendWebhookRequest, options?: CallOptions): Promise<ResendWebhookResponse>;
  /** Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again. */
  resendWebhooks(request: ResendWebhooksRequest, options?: CallOptions): Promise<ResendWebhooksResponse>;
  /** Send a test notification to a webhook. */
  sendTestWebhook(request: SendTestWebhookRequest, options?: CallOptions): Promise<SendTestWebhookResponse>;
  /** List notifications, oldest first, and wait for new ones. No webhook is required. */
  listNotifications(request: CListNotificationsRequest, options?: CallOptions): Promise<ListNotificationsResponse>;
  /** Iterates over the items of ListNotifications, and waits for later ones. */
  eachNotification(request: CListNotificationsRequest, options?: CallOptions): AsyncIterable<Notification>;
  /** Prepare a transaction from an address to itself whose data is the head of the seal log. Sign and send it as usual. */
  anchorSeal(request: AnchorSealRequest, options?: CallOptions): Promise<AnchorSealResponse>;
  /** Cancel a transaction. A sent transaction is canceled by a replacement with the same nonce, which you sign and send. */
  cancelTransaction(request: CancelTransactionRequest, options?: CallOptions): Promise<CancelTransactionResponse>;
  /** Prepare a transaction that sends tokens. The contract need not be registered. */
  createTokenTransaction(request: CreateTokenTransactionRequest, options?: CallOptions): Promise<CreateTokenTransactionResponse>;
  /** Prepare a transaction from an address of a wallet. Missing gas, gas_price and nonce are filled in. */
  createTransaction(request: CreateTransactionRequest, options?: CallOptions): Promise<CreateTransactionResponse>;
  /** Get a managed transaction by its id or hash. */
  getTransaction(request: CGetTransactionRequest, options?: CallOptions): Promise<CGetTransactionResponse>;
  /** Get the 32-byte hash that the sender signs without a prefix; the hash of the cancellation while it is being canceled. */
  getTransactionMessageToSign(request: GetTransactionMessageToSignRequest, options?: CallOptions): Promise<GetTransactionMessageToSignResponse>;
  /** List the managed transactions of a wallet or an address, newest first. */
  listTransactions(request: CListTransactionsRequest, options?: CallOptions): Promise<CListTransactionsResponse>;
  /** Iterates over the items of all pages of ListTransactions. */
  eachTransaction(request: CListTransactionsRequest, options?: CallOptions): AsyncIterable<ManagedTransaction>;
  /** Send the signed transaction or cancellation. Repeating the call is safe. */
  sendTransaction(request: SendTransactionRequest, options?: CallOptions): Promise<SendTransactionResponse>;
  /** Prepare a transaction that replaces a sent one: the same content and nonce at fees of at least 1.125 times the old ones. */
  speedUpTransaction(request: SpeedUpTransactionRequest, options?: CallOptions): Promise<SpeedUpTransactionResponse>;
  /** Submit the signature: r, s and v, or the 64-byte form of EIP-2098. */
  submitTransactionSignature(request: SubmitTransactionSignatureRequest, options?: CallOptions): Promise<SubmitTransactionSignatureResponse>;
}

export interface QApi {
  /** Get a block by its number. */
  getBlock(request: GetBlockRequest, options?: CallOptions): Promise<GetBlockResponse>;
  /** Get a pending transaction by its hash. record_time is the time when it was first seen. */
  getPendingTransaction(request: GetPendingTransactionRequest, options?: CallOptions): Promise<GetPendingTransactionResponse>;
  /** Get a mined transaction by its hash. */
  getTransaction(request: QGetTransactionRequest, options?: CallOptions): Promise<QGetTransactionResponse>;
  /** Get the receipt of a transaction. status is 1 for success, 0 for failure, and null if the node reports none. */
  getTransactionReceipt(request: GetTransactionReceiptRequest, options?: CallOptions): Promise<GetTransactionReceiptResponse>;
  /** List the internal calls of a transaction, each before the calls it made. Requires a node that supports tracing. */
  listInternalTransactions(request: ListInternalTransactionsRequest, options?: CallOptions): Promise<ListInternalTransactionsResponse>;
  /** List the logs of a transaction, in order. */
  listLogs(request: ListLogsRequest, options?: CallOptions): Promise<ListLogsResponse>;
  /** List the pending transactions of a sender by nonce, or only those with a given nonce. */
  listPendingTransactions(request: ListPendingTransactionsRequest, options?: CallOptions): Promise<ListPendingTransactionsResponse>;
  /** Get up to 100 mined transactions by their hashes, in the order of the request. */
  listTransactions(request: QListTransactionsRequest, options?: CallOptions): Promise<QListTransactionsResponse>;
}

export interface AdminApi {
  /** Issue a credential for an organization. Its secret is shown only in this answer. */
  createCredential(request: CreateCredentialRequest, options?: CallOptions): Promise<CreateCredentialResponse>;
  /** Create an organization with a unique domain. */
  createOrganization(request: CreateOrganizationRequest, options?: CallOptions): Promise<CreateOrganizationResponse>;
  /** Delete a credential, given its key and secret. It is rejected from then on and cannot be restored. */
  deleteCredential(request: DeleteCredentialRequest, options?: CallOptions): Promise<DeleteCredentialResponse>;
  /** Delete an organization's rate-limit record of one chain, or all its records if no chain is given. */
  deleteRateLimit(request: DeleteRateLimitRequest, options?: CallOptions): Promise<DeleteRateLimitResponse>;
  /** List an organization's quotas with limit and usage; your own by default. */
  getLimits(request: GetLimitsRequest, options?: CallOptions): Promise<GetLimitsResponse>;
  /** Find an organization by its domain. */
  getOrganizationByDomain(request: GetOrganizationByDomainRequest, options?: CallOptions): Promise<GetOrganizationByDomainResponse>;
  /** Get the rate limits of an organization on a chain, or, without a chain, on chains without their own record. */
  getRateLimit(request: GetRateLimitRequest, options?: CallOptions): Promise<GetRateLimitResponse>;
  /** List the credentials of an organization, newest first, without their secrets. */
  listCredentials(request: ListCredentialsRequest, options?: CallOptions): Promise<ListCredentialsResponse>;
  /** Iterates over the items of all pages of ListCredentials. */
  eachCredential(request: ListCredentialsRequest, options?: CallOptions): AsyncIterable<Credential>;
  /** List the rate-limit records of an organization. */
  listRateLimits(request: ListRateLimitsRequest, options?: CallOptions): Promise<ListRateLimitsResponse>;
  /** Set a quota of an organization. Existing resources above the quota are kept; no more can be added. */
  setQuota(request: SetQuotaRequest, options?: CallOptions): Promise<SetQuotaResponse>;
  /** Set the rate limits of an organization on one chain, or, without a chain, on chains without their own record. */
  setRateLimit(request: SetRateLimitRequest, options?: CallOptions): Promise<SetRateLimitResponse>;
  /** Create a key for gateway calls only, limited to chains, methods and origins. It is shown only in this answer. */
  createGatewayToken(request: CreateGatewayTokenRequest, options?: CallOptions): Promise<CreateGatewayTokenResponse>;
  /** Delete a gateway token. It is rejected from then on, and its open connections are closed. */
  deleteGatewayToken(request: DeleteGatewayTokenRequest, options?: CallOptions): Promise<DeleteGatewayTokenResponse>;
  /** List an organization's gateway tokens, newest first, without the tokens themselves; your own by default. */
  listGatewayTokens(request: ListGatewayTokensRequest, options?: CallOptions): Promise<ListGatewayTokensResponse>;
  /** Iterates over the items of all pages of ListGatewayTokens. */
  eachGatewayToken(request: ListGatewayTokensRequest, options?: CallOptions): AsyncIterable<GatewayToken>;
  /** Set which keys the gateway accepts from an organization: api_keys and tokens (`api_key`), or only tokens (`tokens`). */
  setGatewayKeys(request: SetGatewayKeysRequest, options?: CallOptions): Promise<SetGatewayKeysResponse>;
  /** Sign in to the console: open a session, whose cookie authenticates queries of the same browser. */
  createSession(request: CreateSessionRequest, options?: CallOptions): Promise<CreateSessionResponse>;
  /** Sign out of the console: end the session of the cookie, or without a cookie all sessions of the credential. */
  deleteSession(request: DeleteSessionRequest, options?: CallOptions): Promise<DeleteSessionResponse>;
  /** Get the proof that the seal log of size `to` extends that of size `from`; `to` is the current size by default. */
  getConsistencyProof(request: GetConsistencyProofRequest, options?: CallOptions): Promise<GetConsistencyProofResponse>;
  /** Get the proof that the signed head of the seal log covers an event: its number, its seal and the inclusion path. */
  getInclusionProof(request: GetInclusionProofRequest, options?: CallOptions): Promise<GetInclusionProofResponse>;
  /** List an organization's events, newest first, as of a position or an ISO time; your own by default. */
  listEvents(request: ListEventsRequest, options?: CallOptions): Promise<ListEventsResponse>;
  /** Iterates over the items of all pages of ListEvents. */
  eachEvent(request: ListEventsRequest, options?: CallOptions): AsyncIterable<Event>;
  /** Get the positions and times of an organization's first and last event; your own by default. */
  getHistoryBounds(request: GetHistoryBoundsRequest, options?: CallOptions): Promise<GetHistoryBoundsResponse>;
  /** Verify an organization's stored events against their seals and the seal log; your own by default. */
  verifyHistory(request: VerifyHistoryRequest, options?: CallOptions): Promise<VerifyHistoryResponse>;
  /** Export an organization's history as the verifiable file of `chainfold audit export`: NDJSON, hash-chained and signed. */
  exportHistory(request: ExportHistoryRequest, options?: CallOptions): Promise<AsyncIterable<Uint8Array>>;
  /** List how an organization's records changed between two moments, and what was undone in between. */
  diffHistory(request: DiffHistoryRequest, options?: CallOptions): Promise<DiffHistoryResponse>;
  /** Iterates over the items of all pages of DiffHistory. */
  eachHistoryDifference(request: DiffHistoryRequest, options?: CallOptions): AsyncIterable<Difference>;
  /** List reads of an organization's secrets, exports of its history and its refused requests, newest first. */
  listAccess(request: ListAccessRequest, options?: CallOptions): Promise<ListAccessResponse>;
  /** Iterates over the items of all pages of ListAccess. */
  eachAccess(request: ListAccessRequest, options?: CallOptions): AsyncIterable<Access>;
}

/** Methods of all operations, by API. */
export type Apis = {
  readonly t: TApi;
  readonly s: SApi;
  readonly p: PApi;
  readonly c: CApi;
  readonly q: QApi;
  readonly admin: AdminApi;
};

/** Rows from which the client makes its methods. */
export const operations = {
  t: [
    ['GetWallet', 'query'],
    ['ListWallets', 'query', 'EachWallet', 'wallets'],
    ['RegisterWallet', 'command'],
    ['BatchRegisterAddresses', 'command'],
    ['BatchRemoveAddresses', 'command'],
    ['GetAddress', 'query'],
    ['ListAddresses', 'query', 'EachAddress', 'addresses'],
    ['RegisterAddress', 'command'],
    ['RemoveAddress', 'command'],
    ['GetBalanceRefresh', 'query'],
    ['ImportAsset', 'command'],
    ['ListAssets', 'query', 'EachAsset', 'assets'],
    ['ListContracts', 'query'],
    ['ListTransfers', 'query', 'EachTransfer', 'transfers'],
    ['RefreshAssetBalances', 'command'],
    ['RegisterContract', 'command'],
    ['RemoveContract', 'command'],
    ['GetStatement', 'query', 'EachStatementMovement', 'movements'],
    ['ReconcileWallet', 'command'],
    ['GetImport', 'query'],
    ['ImportHistory', 'command'],
    ['GetWebhook', 'query'],
    ['ListWebhookHeaders', 'query'],
    ['ListWebhooks', 'query', 'EachWebhook', 'webhooks'],
    ['RegisterWebhook', 'command'],
    ['RegisterWebhookHeader', 'command'],
    ['RemoveWebhook', 'command'],
    ['RemoveWebhookHeader', 'command'],
    ['RotateWebhookSecret', 'command'],
    ['UpdateWebhook', 'command'],
    ['ListWebhookAttempts', 'query'],
    ['ListWebhookHistories', 'query', 'EachWebhookHistory', 'webhook_histories'],
    ['ResendWebhook', 'command'],
    ['ResendWebhooks', 'command'],
    ['SendTestWebhook', 'command'],
    ['ListNotifications', 'query', 'EachNotification', 'notifications'],
  ],
  s: [
    ['GetWallet', 'query'],
    ['ListWallets', 'query', 'EachWallet', 'wallets'],
    ['RegisterWallet', 'command'],
    ['UpdateConfirmation', 'command'],
    ['BatchRegisterAddresses', 'command'],
    ['BatchRemoveAddresses', 'command'],
    ['GetAddress', 'query'],
    ['ListAddresses', 'query', 'EachAddress', 'addresses'],
    ['RegisterAddress', 'command'],
    ['RemoveAddress', 'command'],
    ['GetBalanceRefresh', 'query'],
    ['ImportAsset', 'command'],
    ['ListAssets', 'query', 'EachAsset', 'assets'],
    ['ListContracts', 'query'],
    ['ListTransfers', 'query', 'EachTransfer', 'transfers'],
    ['RefreshAssetBalances', 'command'],
    ['RegisterContract', 'command'],
    ['RemoveContract', 'command'],
    ['GetStatement', 'query', 'EachStatementMovement', 'movements'],
    ['ReconcileWallet', 'command'],
    ['GetImport', 'query'],
    ['ImportHistory', 'command'],
    ['GetWebhook', 'query'],
    ['ListWebhookHeaders', 'query'],
    ['ListWebhooks', 'query', 'EachWebhook', 'webhooks'],
    ['RegisterWebhook', 'command'],
    ['RegisterWebhookHeader', 'command'],
    ['RemoveWebhook', 'command'],
    ['RemoveWebhookHeader', 'command'],
    ['RotateWebhookSecret', 'command'],
    ['UpdateWebhook', 'command'],
    ['ListWebhookAttempts', 'query'],
    ['ListWebhookHistories', 'query', 'EachWebhookHistory', 'webhook_histories'],
    ['ResendWebhook', 'command'],
    ['ResendWebhooks', 'command'],
    ['SendTestWebhook', 'command'],
    ['ListNotifications', 'query', 'EachNotification', 'notifications'],
  ],
  p: [
    ['GetWallet', 'query'],
    ['ListWallets', 'query', 'EachWallet', 'wallets'],
    ['RegisterWallet', 'command'],
    ['BatchRegisterAddresses', 'command'],
    ['BatchRemoveAddresses', 'command'],
    ['ListAddresses', 'query', 'EachAddress', 'addresses'],
    ['RegisterAddress', 'command'],
    ['RemoveAddress', 'command'],
    ['GetBalanceRefresh', 'query'],
    ['ImportAsset', 'command'],
    ['ListAssets', 'query', 'EachAsset', 'assets'],
    ['ListTransfers', 'query', 'EachTransfer', 'transfers'],
    ['RefreshAssetBalances', 'command'],
    ['GetStatement', 'query', 'EachStatementMovement', 'movements'],
    ['ReconcileWallet', 'command'],
    ['GetImport', 'query'],
    ['ImportHistory', 'command'],
    ['GetWebhook', 'query'],
    ['ListWebhookHeaders', 'query'],
    ['ListWebhooks', 'query', 'EachWebhook', 'webhooks'],
    ['RegisterWebhook', 'command'],
    ['RegisterWebhookHeader', 'command'],
    ['RemoveWebhook', 'command'],
    ['RemoveWebhookHeader', 'command'],
    ['RotateWebhookSecret', 'command'],
    ['UpdateWebhook', 'command'],
    ['ListWebhookAttempts', 'query'],
    ['ListWebhookHistories', 'query', 'EachWebhookHistory', 'webhook_histories'],
    ['ResendWebhook', 'command'],
    ['ResendWebhooks', 'command'],
    ['SendTestWebhook', 'command'],
    ['ListNotifications', 'query', 'EachNotification', 'notifications'],
  ],
  c: [
    ['GetWallet', 'query'],
    ['ListWallets', 'query', 'EachWallet', 'wallets'],
    ['RegisterWallet', 'command'],
    ['UpdateConfirmation', 'command'],
    ['BatchRegisterAddresses', 'command'],
    ['BatchRemoveAddresses', 'command'],
    ['ListAddresses', 'query', 'EachAddress', 'addresses'],
    ['RegisterAddress', 'command'],
    ['RemoveAddress', 'command'],
    ['GetBalanceRefresh', 'query'],
    ['ListAssets', 'query', 'EachAsset', 'assets'],
    ['ListContracts', 'query'],
    ['ListTransfers', 'query', 'EachTransfer', 'transfers'],
    ['RefreshAssetBalances', 'command'],
    ['RegisterContract', 'command'],
    ['RemoveContract', 'command'],
    ['GetStatement', 'query', 'EachStatementMovement', 'movements'],
    ['ReconcileWallet', 'command'],
    ['GetImport', 'query'],
    ['ImportHistory', 'command'],
    ['GetWebhook', 'query'],
    ['ListWebhookHeaders', 'query'],
    ['ListWebhooks', 'query', 'EachWebhook', 'webhooks'],
    ['RegisterWebhook', 'command'],
    ['RegisterWebhookHeader', 'command'],
    ['RemoveWebhook', 'command'],
    ['RemoveWebhookHeader', 'command'],
    ['RotateWebhookSecret', 'command'],
    ['UpdateWebhook', 'command'],
    ['ListWebhookAttempts', 'query'],
    ['ListWebhookHistories', 'query', 'EachWebhookHistory', 'webhook_histories'],
    ['ResendWebhook', 'command'],
    ['ResendWebhooks', 'command'],
    ['SendTestWebhook', 'command'],
    ['ListNotifications', 'query', 'EachNotification', 'notifications'],
    ['AnchorSeal', 'command'],
    ['CancelTransaction', 'command'],
    ['CreateTokenTransaction', 'command'],
    ['CreateTransaction', 'command'],
    ['GetTransaction', 'query'],
    ['GetTransactionMessageToSign', 'query'],
    ['ListTransactions', 'query', 'EachTransaction', 'transactions'],
    ['SendTransaction', 'command'],
    ['SpeedUpTransaction', 'command'],
    ['SubmitTransactionSignature', 'command'],
  ],
  q: [
    ['GetBlock', 'query'],
    ['GetPendingTransaction', 'query'],
    ['GetTransaction', 'query'],
    ['GetTransactionReceipt', 'query'],
    ['ListInternalTransactions', 'query'],
    ['ListLogs', 'query'],
    ['ListPendingTransactions', 'query'],
    ['ListTransactions', 'query'],
  ],
  admin: [
    ['CreateCredential', 'command'],
    ['CreateOrganization', 'command'],
    ['DeleteCredential', 'command'],
    ['DeleteRateLimit', 'command'],
    ['GetLimits', 'query'],
    ['GetOrganizationByDomain', 'query'],
    ['GetRateLimit', 'query'],
    ['ListCredentials', 'query', 'EachCredential', 'credentials'],
    ['ListRateLimits', 'query'],
    ['SetQuota', 'command'],
    ['SetRateLimit', 'command'],
    ['CreateGatewayToken', 'command'],
    ['DeleteGatewayToken', 'command'],
    ['ListGatewayTokens', 'query', 'EachGatewayToken', 'gateway_tokens'],
    ['SetGatewayKeys', 'command'],
    ['CreateSession', 'command'],
    ['DeleteSession', 'command'],
    ['GetConsistencyProof', 'query'],
    ['GetInclusionProof', 'query'],
    ['ListEvents', 'query', 'EachEvent', 'events'],
    ['GetHistoryBounds', 'query'],
    ['VerifyHistory', 'query'],
    ['ExportHistory', 'query'],
    ['DiffHistory', 'query', 'EachHistoryDifference', 'differences'],
    ['ListAccess', 'query', 'EachAccess', 'accesses'],
  ],
} as const satisfies Record<keyof Apis, readonly OperationRow[]>;
