# Generated from the operation table by npm run sdk. Do not edit.
"""Answers and nested records of all operations."""

from typing import Any, Literal, Optional, TypedDict, Union


_CreateCredentialRequestRequired = TypedDict(
    "_CreateCredentialRequestRequired",
    {
        "organization_id": "str",
    },
)


_CreateCredentialRequestOptional = TypedDict(
    "_CreateCredentialRequestOptional",
    {
        "role": "Literal['client', 'admin', 'auditor']",
        "name": "str",
    },
    total=False,
)


class CreateCredentialRequest(_CreateCredentialRequestRequired, _CreateCredentialRequestOptional):
    pass


CreateCredentialResponse = TypedDict(
    "CreateCredentialResponse",
    {
        "api_key": "str",
        "api_secret": "str",
    },
)


CreateOrganizationRequest = TypedDict(
    "CreateOrganizationRequest",
    {
        "name": "str",
        "domain": "str",
    },
)


CreateOrganizationResponse = TypedDict(
    "CreateOrganizationResponse",
    {
        "organization_id": "str",
    },
)


DeleteCredentialRequest = TypedDict(
    "DeleteCredentialRequest",
    {
        "api_key": "str",
        "api_secret": "str",
    },
)


DeleteCredentialResponse = TypedDict(
    "DeleteCredentialResponse",
    {
    },
)


_DeleteRateLimitRequestRequired = TypedDict(
    "_DeleteRateLimitRequestRequired",
    {
        "organization_id": "str",
    },
)


_DeleteRateLimitRequestOptional = TypedDict(
    "_DeleteRateLimitRequestOptional",
    {
        "chain": "Literal['', 'T', 'S', 'P', 'C', 'Q']",
    },
    total=False,
)


class DeleteRateLimitRequest(_DeleteRateLimitRequestRequired, _DeleteRateLimitRequestOptional):
    pass


DeleteRateLimitResponse = TypedDict(
    "DeleteRateLimitResponse",
    {
    },
)


GetLimitsRequest = TypedDict(
    "GetLimitsRequest",
    {
        "organization_id": "str",
    },
    total=False,
)


Quota = TypedDict(
    "Quota",
    {
        "quota": "str",
        "limit": "int",
        "used": "int",
    },
)


GetLimitsResponse = TypedDict(
    "GetLimitsResponse",
    {
        "quotas": "list[Quota]",
    },
)


GetOrganizationByDomainRequest = TypedDict(
    "GetOrganizationByDomainRequest",
    {
        "domain": "str",
    },
)


Organization = TypedDict(
    "Organization",
    {
        "organization_id": "str",
        "name": "str",
        "domain": "str",
        "create_time": "str",
        "update_time": "str",
    },
)


GetOrganizationByDomainResponse = TypedDict(
    "GetOrganizationByDomainResponse",
    {
        "organization": "Organization",
    },
)


_GetRateLimitRequestRequired = TypedDict(
    "_GetRateLimitRequestRequired",
    {
        "organization_id": "str",
    },
)


_GetRateLimitRequestOptional = TypedDict(
    "_GetRateLimitRequestOptional",
    {
        "chain": "Literal['', 'T', 'S', 'P', 'C', 'Q']",
    },
    total=False,
)


class GetRateLimitRequest(_GetRateLimitRequestRequired, _GetRateLimitRequestOptional):
    pass


ChainLimits = TypedDict(
    "ChainLimits",
    {
        "chain": "str",
        "per_second_limit": "int",
        "per_hour_limit": "int",
        "per_day_limit": "int",
        "per_month_limit": "int",
    },
)


GetRateLimitResponse = TypedDict(
    "GetRateLimitResponse",
    {
        "organization_id": "str",
        "ratelimit_info": "ChainLimits",
        "create_time": "str",
        "update_time": "str",
    },
)


_ListCredentialsRequestRequired = TypedDict(
    "_ListCredentialsRequestRequired",
    {
        "organization_id": "str",
    },
)


_ListCredentialsRequestOptional = TypedDict(
    "_ListCredentialsRequestOptional",
    {
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class ListCredentialsRequest(_ListCredentialsRequestRequired, _ListCredentialsRequestOptional):
    pass


_CredentialRequired = TypedDict(
    "_CredentialRequired",
    {
        "api_key": "str",
        "role": "str",
        "create_time": "str",
    },
)


_CredentialOptional = TypedDict(
    "_CredentialOptional",
    {
        "name": "str",
        "last_used": "str",
    },
    total=False,
)


class Credential(_CredentialRequired, _CredentialOptional):
    pass


Pagination = TypedDict(
    "Pagination",
    {
        "next_page_token": "str",
    },
)


ListCredentialsResponse = TypedDict(
    "ListCredentialsResponse",
    {
        "credentials": "list[Credential]",
        "pagination": "Pagination",
    },
)


_ListRateLimitsRequestRequired = TypedDict(
    "_ListRateLimitsRequestRequired",
    {
        "organization_id": "str",
    },
)


_ListRateLimitsRequestOptional = TypedDict(
    "_ListRateLimitsRequestOptional",
    {
        "chain": "Literal['', 'T', 'S', 'P', 'C', 'Q']",
    },
    total=False,
)


class ListRateLimitsRequest(_ListRateLimitsRequestRequired, _ListRateLimitsRequestOptional):
    pass


RateLimit = TypedDict(
    "RateLimit",
    {
        "organization_id": "str",
        "ratelimit_info": "ChainLimits",
        "create_time": "str",
        "update_time": "str",
    },
)


ListRateLimitsResponse = TypedDict(
    "ListRateLimitsResponse",
    {
        "data": "list[RateLimit]",
    },
)


SetQuotaRequest = TypedDict(
    "SetQuotaRequest",
    {
        "organization_id": "str",
        "quota": "Literal['wallets', 'addresses', 'webhooks', 'webhook_headers', 'contracts', 'imports', 'credentials', 'gateway_tokens', 'open_transactions', 'gateway_connections', 'storage_bytes']",
        "limit": "int",
    },
)


SetQuotaResponse = TypedDict(
    "SetQuotaResponse",
    {
    },
)


_SetRateLimitRequestRequired = TypedDict(
    "_SetRateLimitRequestRequired",
    {
        "organization_id": "str",
        "per_second_limit": "int",
        "per_hour_limit": "int",
        "per_day_limit": "int",
        "per_month_limit": "int",
    },
)


_SetRateLimitRequestOptional = TypedDict(
    "_SetRateLimitRequestOptional",
    {
        "chain": "Literal['', 'T', 'S', 'P', 'C', 'Q']",
    },
    total=False,
)


class SetRateLimitRequest(_SetRateLimitRequestRequired, _SetRateLimitRequestOptional):
    pass


SetRateLimitResponse = TypedDict(
    "SetRateLimitResponse",
    {
    },
)


_CreateGatewayTokenRequestRequired = TypedDict(
    "_CreateGatewayTokenRequestRequired",
    {
        "name": "str",
    },
)


_CreateGatewayTokenRequestOptional = TypedDict(
    "_CreateGatewayTokenRequestOptional",
    {
        "organization_id": "str",
        "chains": "list[Literal['C', 'c', 'Q', 'q']]",
        "methods": "list[str]",
        "origins": "list[str]",
        "expire_time": "Union[str, int]",
        "per_second_limit": "int",
    },
    total=False,
)


class CreateGatewayTokenRequest(_CreateGatewayTokenRequestRequired, _CreateGatewayTokenRequestOptional):
    pass


CreateGatewayTokenResponse = TypedDict(
    "CreateGatewayTokenResponse",
    {
        "gateway_token_id": "str",
        "token": "str",
    },
)


_DeleteGatewayTokenRequestRequired = TypedDict(
    "_DeleteGatewayTokenRequestRequired",
    {
        "gateway_token_id": "str",
    },
)


_DeleteGatewayTokenRequestOptional = TypedDict(
    "_DeleteGatewayTokenRequestOptional",
    {
        "organization_id": "str",
    },
    total=False,
)


class DeleteGatewayTokenRequest(_DeleteGatewayTokenRequestRequired, _DeleteGatewayTokenRequestOptional):
    pass


DeleteGatewayTokenResponse = TypedDict(
    "DeleteGatewayTokenResponse",
    {
    },
)


ListGatewayTokensRequest = TypedDict(
    "ListGatewayTokensRequest",
    {
        "organization_id": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


_GatewayTokenRequired = TypedDict(
    "_GatewayTokenRequired",
    {
        "gateway_token_id": "str",
        "name": "str",
        "create_time": "str",
    },
)


_GatewayTokenOptional = TypedDict(
    "_GatewayTokenOptional",
    {
        "chains": "list[str]",
        "methods": "list[str]",
        "origins": "list[str]",
        "expire_time": "str",
        "per_second_limit": "int",
    },
    total=False,
)


class GatewayToken(_GatewayTokenRequired, _GatewayTokenOptional):
    pass


ListGatewayTokensResponse = TypedDict(
    "ListGatewayTokensResponse",
    {
        "gateway_tokens": "list[GatewayToken]",
        "gateway_keys": "str",
        "pagination": "Pagination",
    },
)


_SetGatewayKeysRequestRequired = TypedDict(
    "_SetGatewayKeysRequestRequired",
    {
        "gateway_keys": "Literal['api_key', 'tokens']",
    },
)


_SetGatewayKeysRequestOptional = TypedDict(
    "_SetGatewayKeysRequestOptional",
    {
        "organization_id": "str",
    },
    total=False,
)


class SetGatewayKeysRequest(_SetGatewayKeysRequestRequired, _SetGatewayKeysRequestOptional):
    pass


SetGatewayKeysResponse = TypedDict(
    "SetGatewayKeysResponse",
    {
    },
)


CreateSessionRequest = TypedDict(
    "CreateSessionRequest",
    {
    },
)


Session = TypedDict(
    "Session",
    {
        "expire_time": "str",
        "idle_seconds": "int",
    },
)


CreateSessionResponse = TypedDict(
    "CreateSessionResponse",
    {
        "session": "Session",
    },
)


DeleteSessionRequest = TypedDict(
    "DeleteSessionRequest",
    {
    },
)


DeleteSessionResponse = TypedDict(
    "DeleteSessionResponse",
    {
    },
)


_GetConsistencyProofRequestRequired = TypedDict(
    "_GetConsistencyProofRequestRequired",
    {
        "from": "int",
    },
)


_GetConsistencyProofRequestOptional = TypedDict(
    "_GetConsistencyProofRequestOptional",
    {
        "to": "int",
    },
    total=False,
)


class GetConsistencyProofRequest(_GetConsistencyProofRequestRequired, _GetConsistencyProofRequestOptional):
    pass


LogHead = TypedDict(
    "LogHead",
    {
        "size": "int",
        "root": "str",
        "time": "str",
        "key_id": "str",
        "signature": "str",
    },
)


GetConsistencyProofResponse = TypedDict(
    "GetConsistencyProofResponse",
    {
        "from": "LogHead",
        "to": "LogHead",
        "consistency_path": "list[str]",
    },
)


_GetInclusionProofRequestRequired = TypedDict(
    "_GetInclusionProofRequestRequired",
    {
        "event_id": "str",
    },
)


_GetInclusionProofRequestOptional = TypedDict(
    "_GetInclusionProofRequestOptional",
    {
        "organization_id": "str",
        "position": "int",
    },
    total=False,
)


class GetInclusionProofRequest(_GetInclusionProofRequestRequired, _GetInclusionProofRequestOptional):
    pass


ProvenEvent = TypedDict(
    "ProvenEvent",
    {
        "event_id": "str",
        "number": "int",
        "previous_hash": "str",
        "hash": "str",
    },
)


ProvenSeal = TypedDict(
    "ProvenSeal",
    {
        "organization_id": "str",
        "count": "int",
        "hash": "str",
        "position": "int",
        "places": "str",
        "key_id": "str",
        "signature": "str",
    },
)


GetInclusionProofResponse = TypedDict(
    "GetInclusionProofResponse",
    {
        "event": "ProvenEvent",
        "seal": "ProvenSeal",
        "leaf": "str",
        "leaf_index": "int",
        "inclusion_path": "list[str]",
        "head": "LogHead",
    },
)


ListEventsRequest = TypedDict(
    "ListEventsRequest",
    {
        "organization_id": "str",
        "as_of": "Union[str, int]",
        "from": "Union[str, int]",
        "order": "Literal['asc', 'desc']",
        "types": "list[str]",
        "actor": "str",
        "wallet_id": "str",
        "stream": "str",
        "correlation_id": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


Actor = TypedDict(
    "Actor",
    {
        "kind": "str",
        "id": "str",
    },
)


Event = TypedDict(
    "Event",
    {
        "position": "int",
        "commit_time": "str",
        "occur_time": "str",
        "event_id": "str",
        "stream": "str",
        "type": "str",
        "chain": "str",
        "actor": "Actor",
        "request_id": "str",
        "causation_id": "str",
        "correlation_id": "str",
        "data": "dict[str, Any]",
    },
)


ListEventsResponse = TypedDict(
    "ListEventsResponse",
    {
        "events": "list[Event]",
        "pagination": "Pagination",
    },
)


GetHistoryBoundsRequest = TypedDict(
    "GetHistoryBoundsRequest",
    {
        "organization_id": "str",
    },
    total=False,
)


GetHistoryBoundsResponse = TypedDict(
    "GetHistoryBoundsResponse",
    {
        "first_position": "int",
        "first_time": "str",
        "last_position": "int",
        "last_time": "str",
    },
)


VerifyHistoryRequest = TypedDict(
    "VerifyHistoryRequest",
    {
        "organization_id": "str",
    },
    total=False,
)


AcceptedLoss = TypedDict(
    "AcceptedLoss",
    {
        "event": "int",
        "known_events": "Optional[int]",
        "found_events": "int",
        "accepted_by": "str",
        "accept_time": "str",
        "reason": "str",
    },
)


_FlawRequired = TypedDict(
    "_FlawRequired",
    {
        "where": "str",
        "event": "int",
        "last": "int",
        "reason": "str",
    },
)


_FlawOptional = TypedDict(
    "_FlawOptional",
    {
        "event_id": "str",
        "about": "str",
    },
    total=False,
)


class Flaw(_FlawRequired, _FlawOptional):
    pass


_VerifyHistoryResponseRequired = TypedDict(
    "_VerifyHistoryResponseRequired",
    {
        "valid": "Optional[bool]",
        "organization_id": "str",
        "events": "int",
        "seals": "int",
        "hash": "str",
        "key": "str",
        "store": "str",
    },
)


_VerifyHistoryResponseOptional = TypedDict(
    "_VerifyHistoryResponseOptional",
    {
        "unproven_events": "int",
        "accepted_losses": "list[AcceptedLoss]",
        "first": "Flaw",
    },
    total=False,
)


class VerifyHistoryResponse(_VerifyHistoryResponseRequired, _VerifyHistoryResponseOptional):
    pass


ExportHistoryRequest = TypedDict(
    "ExportHistoryRequest",
    {
        "organization_id": "str",
    },
    total=False,
)


ExportHistoryResponse = TypedDict(
    "ExportHistoryResponse",
    {
        "chainfold_audit": "int",
        "organization_id": "str",
        "export_time": "str",
        "key_id": "str",
        "public_key": "str",
    },
)


_DiffHistoryRequestRequired = TypedDict(
    "_DiffHistoryRequestRequired",
    {
        "from": "Union[str, int]",
    },
)


_DiffHistoryRequestOptional = TypedDict(
    "_DiffHistoryRequestOptional",
    {
        "organization_id": "str",
        "to": "Union[str, int]",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class DiffHistoryRequest(_DiffHistoryRequestRequired, _DiffHistoryRequestOptional):
    pass


_DifferenceRequired = TypedDict(
    "_DifferenceRequired",
    {
        "collection": "str",
        "chain": "str",
        "id": "str",
        "change": "str",
    },
)


_DifferenceOptional = TypedDict(
    "_DifferenceOptional",
    {
        "document": "dict[str, Any]",
        "fields": "dict[str, Any]",
        "meanwhile": "Optional[dict[str, Any]]",
    },
    total=False,
)


class Difference(_DifferenceRequired, _DifferenceOptional):
    pass


DiffHistoryResponse = TypedDict(
    "DiffHistoryResponse",
    {
        "from": "int",
        "to": "int",
        "differences": "list[Difference]",
        "pagination": "Pagination",
    },
)


ListAccessRequest = TypedDict(
    "ListAccessRequest",
    {
        "organization_id": "str",
        "from": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


_AccessRequired = TypedDict(
    "_AccessRequired",
    {
        "access_time": "str",
        "kind": "str",
        "request_id": "str",
        "api_key": "str",
        "operation": "str",
        "status": "int",
    },
)


_AccessOptional = TypedDict(
    "_AccessOptional",
    {
        "code": "str",
        "detail": "str",
    },
    total=False,
)


class Access(_AccessRequired, _AccessOptional):
    pass


ListAccessResponse = TypedDict(
    "ListAccessResponse",
    {
        "accesses": "list[Access]",
        "pagination": "Pagination",
    },
)


GetWalletRequest = TypedDict(
    "GetWalletRequest",
    {
        "wallet_id": "str",
        "address": "str",
    },
    total=False,
)


AddressMapping = TypedDict(
    "AddressMapping",
    {
        "address": "str",
        "user_friendly_address": "str",
    },
)


TWallet = TypedDict(
    "TWallet",
    {
        "wallet_id": "str",
        "name": "str",
        "addresses": "list[str]",
        "create_time": "str",
        "update_time": "str",
        "address_mapping": "list[AddressMapping]",
    },
)


TGetWalletResponse = TypedDict(
    "TGetWalletResponse",
    {
        "wallet": "TWallet",
    },
)


SWallet = TypedDict(
    "SWallet",
    {
        "wallet_id": "str",
        "name": "str",
        "addresses": "list[str]",
        "create_time": "str",
        "update_time": "str",
        "confirmation": "int",
    },
)


SGetWalletResponse = TypedDict(
    "SGetWalletResponse",
    {
        "wallet": "SWallet",
    },
)


PWallet = TypedDict(
    "PWallet",
    {
        "wallet_id": "str",
        "name": "str",
        "addresses": "list[str]",
        "create_time": "str",
        "update_time": "str",
    },
)


PGetWalletResponse = TypedDict(
    "PGetWalletResponse",
    {
        "wallet": "PWallet",
    },
)


CWallet = TypedDict(
    "CWallet",
    {
        "wallet_id": "str",
        "name": "str",
        "addresses": "list[str]",
        "create_time": "str",
        "update_time": "str",
        "confirmation": "int",
    },
)


CGetWalletResponse = TypedDict(
    "CGetWalletResponse",
    {
        "wallet": "CWallet",
    },
)


ListWalletsRequest = TypedDict(
    "ListWalletsRequest",
    {
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


TListWalletsResponse = TypedDict(
    "TListWalletsResponse",
    {
        "wallets": "list[TWallet]",
        "pagination": "Pagination",
    },
)


SListWalletsResponse = TypedDict(
    "SListWalletsResponse",
    {
        "wallets": "list[SWallet]",
        "pagination": "Pagination",
    },
)


PListWalletsResponse = TypedDict(
    "PListWalletsResponse",
    {
        "wallets": "list[PWallet]",
        "pagination": "Pagination",
    },
)


CListWalletsResponse = TypedDict(
    "CListWalletsResponse",
    {
        "wallets": "list[CWallet]",
        "pagination": "Pagination",
    },
)


_TRegisterWalletRequestRequired = TypedDict(
    "_TRegisterWalletRequestRequired",
    {
        "name": "str",
    },
)


_TRegisterWalletRequestOptional = TypedDict(
    "_TRegisterWalletRequestOptional",
    {
        "address": "str",
        "import_asset": "bool",
    },
    total=False,
)


class TRegisterWalletRequest(_TRegisterWalletRequestRequired, _TRegisterWalletRequestOptional):
    pass


RegisterWalletResponse = TypedDict(
    "RegisterWalletResponse",
    {
        "wallet_id": "str",
    },
)


_SRegisterWalletRequestRequired = TypedDict(
    "_SRegisterWalletRequestRequired",
    {
        "name": "str",
    },
)


_SRegisterWalletRequestOptional = TypedDict(
    "_SRegisterWalletRequestOptional",
    {
        "address": "str",
        "import_asset": "bool",
        "confirmation": "int",
    },
    total=False,
)


class SRegisterWalletRequest(_SRegisterWalletRequestRequired, _SRegisterWalletRequestOptional):
    pass


_PRegisterWalletRequestRequired = TypedDict(
    "_PRegisterWalletRequestRequired",
    {
        "name": "str",
    },
)


_PRegisterWalletRequestOptional = TypedDict(
    "_PRegisterWalletRequestOptional",
    {
        "address": "str",
        "import_asset": "bool",
    },
    total=False,
)


class PRegisterWalletRequest(_PRegisterWalletRequestRequired, _PRegisterWalletRequestOptional):
    pass


_CRegisterWalletRequestRequired = TypedDict(
    "_CRegisterWalletRequestRequired",
    {
        "name": "str",
    },
)


_CRegisterWalletRequestOptional = TypedDict(
    "_CRegisterWalletRequestOptional",
    {
        "address": "str",
        "confirmation": "int",
    },
    total=False,
)


class CRegisterWalletRequest(_CRegisterWalletRequestRequired, _CRegisterWalletRequestOptional):
    pass


UpdateConfirmationRequest = TypedDict(
    "UpdateConfirmationRequest",
    {
        "wallet_id": "str",
        "confirmation": "int",
    },
)


UpdateConfirmationResponse = TypedDict(
    "UpdateConfirmationResponse",
    {
    },
)


BatchRegisterAddressesRequest = TypedDict(
    "BatchRegisterAddressesRequest",
    {
        "wallet_id": "str",
        "addresses": "list[str]",
    },
)


BatchRegisterAddressesResponse = TypedDict(
    "BatchRegisterAddressesResponse",
    {
    },
)


_BatchRemoveAddressesRequestRequired = TypedDict(
    "_BatchRemoveAddressesRequestRequired",
    {
        "wallet_id": "str",
    },
)


_BatchRemoveAddressesRequestOptional = TypedDict(
    "_BatchRemoveAddressesRequestOptional",
    {
        "addresses": "list[str]",
        "remove_all": "bool",
    },
    total=False,
)


class BatchRemoveAddressesRequest(_BatchRemoveAddressesRequestRequired, _BatchRemoveAddressesRequestOptional):
    pass


BatchRemoveAddressesResponse = TypedDict(
    "BatchRemoveAddressesResponse",
    {
    },
)


GetAddressRequest = TypedDict(
    "GetAddressRequest",
    {
        "address": "str",
    },
)


_TGetAddressResponseRequired = TypedDict(
    "_TGetAddressResponseRequired",
    {
        "address": "str",
        "wallet_id": "str",
        "user_friendly_address": "str",
    },
)


_TGetAddressResponseOptional = TypedDict(
    "_TGetAddressResponseOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class TGetAddressResponse(_TGetAddressResponseRequired, _TGetAddressResponseOptional):
    pass


_SGetAddressResponseRequired = TypedDict(
    "_SGetAddressResponseRequired",
    {
        "address": "str",
        "wallet_id": "str",
    },
)


_SGetAddressResponseOptional = TypedDict(
    "_SGetAddressResponseOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class SGetAddressResponse(_SGetAddressResponseRequired, _SGetAddressResponseOptional):
    pass


ListAddressesRequest = TypedDict(
    "ListAddressesRequest",
    {
        "wallet_id": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


_TAddressRequired = TypedDict(
    "_TAddressRequired",
    {
        "address": "str",
        "wallet_id": "str",
        "user_friendly_address": "str",
    },
)


_TAddressOptional = TypedDict(
    "_TAddressOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class TAddress(_TAddressRequired, _TAddressOptional):
    pass


TListAddressesResponse = TypedDict(
    "TListAddressesResponse",
    {
        "addresses": "list[TAddress]",
        "pagination": "Pagination",
    },
)


_SAddressRequired = TypedDict(
    "_SAddressRequired",
    {
        "address": "str",
        "wallet_id": "str",
    },
)


_SAddressOptional = TypedDict(
    "_SAddressOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class SAddress(_SAddressRequired, _SAddressOptional):
    pass


SListAddressesResponse = TypedDict(
    "SListAddressesResponse",
    {
        "addresses": "list[SAddress]",
        "pagination": "Pagination",
    },
)


_PAddressRequired = TypedDict(
    "_PAddressRequired",
    {
        "address": "str",
        "wallet_id": "str",
    },
)


_PAddressOptional = TypedDict(
    "_PAddressOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class PAddress(_PAddressRequired, _PAddressOptional):
    pass


PListAddressesResponse = TypedDict(
    "PListAddressesResponse",
    {
        "addresses": "list[PAddress]",
        "pagination": "Pagination",
    },
)


_CAddressRequired = TypedDict(
    "_CAddressRequired",
    {
        "address": "str",
        "wallet_id": "str",
    },
)


_CAddressOptional = TypedDict(
    "_CAddressOptional",
    {
        "complete_since_block": "int",
    },
    total=False,
)


class CAddress(_CAddressRequired, _CAddressOptional):
    pass


CListAddressesResponse = TypedDict(
    "CListAddressesResponse",
    {
        "addresses": "list[CAddress]",
        "pagination": "Pagination",
    },
)


_TRegisterAddressRequestRequired = TypedDict(
    "_TRegisterAddressRequestRequired",
    {
        "wallet_id": "str",
        "address": "str",
    },
)


_TRegisterAddressRequestOptional = TypedDict(
    "_TRegisterAddressRequestOptional",
    {
        "import_asset": "bool",
    },
    total=False,
)


class TRegisterAddressRequest(_TRegisterAddressRequestRequired, _TRegisterAddressRequestOptional):
    pass


RegisterAddressResponse = TypedDict(
    "RegisterAddressResponse",
    {
    },
)


_SRegisterAddressRequestRequired = TypedDict(
    "_SRegisterAddressRequestRequired",
    {
        "wallet_id": "str",
        "address": "str",
    },
)


_SRegisterAddressRequestOptional = TypedDict(
    "_SRegisterAddressRequestOptional",
    {
        "import_asset": "bool",
    },
    total=False,
)


class SRegisterAddressRequest(_SRegisterAddressRequestRequired, _SRegisterAddressRequestOptional):
    pass


_PRegisterAddressRequestRequired = TypedDict(
    "_PRegisterAddressRequestRequired",
    {
        "wallet_id": "str",
        "address": "str",
    },
)


_PRegisterAddressRequestOptional = TypedDict(
    "_PRegisterAddressRequestOptional",
    {
        "import_asset": "bool",
    },
    total=False,
)


class PRegisterAddressRequest(_PRegisterAddressRequestRequired, _PRegisterAddressRequestOptional):
    pass


CRegisterAddressRequest = TypedDict(
    "CRegisterAddressRequest",
    {
        "wallet_id": "str",
        "address": "str",
    },
)


RemoveAddressRequest = TypedDict(
    "RemoveAddressRequest",
    {
        "wallet_id": "str",
        "address": "str",
    },
)


RemoveAddressResponse = TypedDict(
    "RemoveAddressResponse",
    {
    },
)


TGetBalanceRefreshRequest = TypedDict(
    "TGetBalanceRefreshRequest",
    {
        "wallet_id": "str",
        "asset_type": "Literal['ASSET_TYPE_T']",
    },
)


TGetBalanceRefreshResponse = TypedDict(
    "TGetBalanceRefreshResponse",
    {
        "state": "str",
        "done": "int",
        "total": "int",
    },
)


SGetBalanceRefreshRequest = TypedDict(
    "SGetBalanceRefreshRequest",
    {
        "wallet_id": "str",
        "asset_type": "Literal['ASSET_TYPE_S']",
    },
)


SGetBalanceRefreshResponse = TypedDict(
    "SGetBalanceRefreshResponse",
    {
        "state": "str",
        "done": "int",
        "total": "int",
    },
)


PGetBalanceRefreshRequest = TypedDict(
    "PGetBalanceRefreshRequest",
    {
        "wallet_id": "str",
        "asset_type": "Literal['ASSET_TYPE_P']",
    },
)


PGetBalanceRefreshResponse = TypedDict(
    "PGetBalanceRefreshResponse",
    {
        "state": "str",
        "done": "int",
        "total": "int",
    },
)


CGetBalanceRefreshRequest = TypedDict(
    "CGetBalanceRefreshRequest",
    {
        "wallet_id": "str",
        "asset_type": "Literal['ASSET_TYPE_C', 'ASSET_TYPE_ERC20', 'ASSET_TYPE_ERC721', 'ASSET_TYPE_ERC1155']",
    },
)


_CGetBalanceRefreshResponseRequired = TypedDict(
    "_CGetBalanceRefreshResponseRequired",
    {
        "state": "str",
        "done": "int",
        "total": "int",
    },
)


_CGetBalanceRefreshResponseOptional = TypedDict(
    "_CGetBalanceRefreshResponseOptional",
    {
        "complete_from_block": "int",
    },
    total=False,
)


class CGetBalanceRefreshResponse(_CGetBalanceRefreshResponseRequired, _CGetBalanceRefreshResponseOptional):
    pass


_TImportAssetRequestRequired = TypedDict(
    "_TImportAssetRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_T']",
    },
)


_TImportAssetRequestOptional = TypedDict(
    "_TImportAssetRequestOptional",
    {
        "address": "str",
        "token_address": "str",
        "token_account_address": "str",
    },
    total=False,
)


class TImportAssetRequest(_TImportAssetRequestRequired, _TImportAssetRequestOptional):
    pass


ImportAssetResponse = TypedDict(
    "ImportAssetResponse",
    {
    },
)


_SImportAssetRequestRequired = TypedDict(
    "_SImportAssetRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_S']",
    },
)


_SImportAssetRequestOptional = TypedDict(
    "_SImportAssetRequestOptional",
    {
        "address": "str",
        "token_address": "str",
        "token_account_address": "str",
    },
    total=False,
)


class SImportAssetRequest(_SImportAssetRequestRequired, _SImportAssetRequestOptional):
    pass


PImportAssetRequest = TypedDict(
    "PImportAssetRequest",
    {
        "address": "str",
        "asset_type": "Literal['ASSET_TYPE_P']",
    },
)


_TListAssetsRequestRequired = TypedDict(
    "_TListAssetsRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_T']",
    },
)


_TListAssetsRequestOptional = TypedDict(
    "_TListAssetsRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "token_address": "str",
        "include_tokens": "bool",
        "is_aggregated": "bool",
        "exclude_zero_balance": "bool",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class TListAssetsRequest(_TListAssetsRequestRequired, _TListAssetsRequestOptional):
    pass


ImportedToken = TypedDict(
    "ImportedToken",
    {
        "token_address": "str",
        "name": "str",
        "symbol": "str",
        "decimals": "int",
    },
    total=False,
)


_TAssetRequired = TypedDict(
    "_TAssetRequired",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "str",
        "balance": "str",
        "user_friendly_address": "str",
    },
)


_TAssetOptional = TypedDict(
    "_TAssetOptional",
    {
        "asset_metadata": "ImportedToken",
    },
    total=False,
)


class TAsset(_TAssetRequired, _TAssetOptional):
    pass


TListAssetsResponse = TypedDict(
    "TListAssetsResponse",
    {
        "assets": "list[TAsset]",
        "pagination": "Pagination",
    },
)


_SListAssetsRequestRequired = TypedDict(
    "_SListAssetsRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_S']",
    },
)


_SListAssetsRequestOptional = TypedDict(
    "_SListAssetsRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "token_address": "str",
        "include_tokens": "bool",
        "is_aggregated": "bool",
        "exclude_zero_balance": "bool",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class SListAssetsRequest(_SListAssetsRequestRequired, _SListAssetsRequestOptional):
    pass


_SAssetRequired = TypedDict(
    "_SAssetRequired",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "str",
        "balance": "str",
    },
)


_SAssetOptional = TypedDict(
    "_SAssetOptional",
    {
        "asset_metadata": "ImportedToken",
    },
    total=False,
)


class SAsset(_SAssetRequired, _SAssetOptional):
    pass


SListAssetsResponse = TypedDict(
    "SListAssetsResponse",
    {
        "assets": "list[SAsset]",
        "pagination": "Pagination",
    },
)


_PListAssetsRequestRequired = TypedDict(
    "_PListAssetsRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_P']",
    },
)


_PListAssetsRequestOptional = TypedDict(
    "_PListAssetsRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "is_aggregated": "bool",
        "exclude_zero_balance": "bool",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class PListAssetsRequest(_PListAssetsRequestRequired, _PListAssetsRequestOptional):
    pass


PAsset = TypedDict(
    "PAsset",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "str",
        "balance": "str",
    },
)


PListAssetsResponse = TypedDict(
    "PListAssetsResponse",
    {
        "assets": "list[PAsset]",
        "pagination": "Pagination",
    },
)


_CListAssetsRequestRequired = TypedDict(
    "_CListAssetsRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_C', 'ASSET_TYPE_ERC20', 'ASSET_TYPE_ERC721', 'ASSET_TYPE_ERC1155']",
    },
)


_CListAssetsRequestOptional = TypedDict(
    "_CListAssetsRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "contract_address": "str",
        "is_aggregated": "bool",
        "exclude_zero_balance": "bool",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class CListAssetsRequest(_CListAssetsRequestRequired, _CListAssetsRequestOptional):
    pass


_Erc20TokenRequired = TypedDict(
    "_Erc20TokenRequired",
    {
        "contract_address": "str",
        "name": "str",
        "symbol": "str",
    },
)


_Erc20TokenOptional = TypedDict(
    "_Erc20TokenOptional",
    {
        "decimals": "int",
    },
    total=False,
)


class Erc20Token(_Erc20TokenRequired, _Erc20TokenOptional):
    pass


Erc721Token = TypedDict(
    "Erc721Token",
    {
        "contract_address": "str",
        "token_id": "str",
        "token_uri": "str",
        "token_data": "str",
        "name": "str",
        "symbol": "str",
    },
)


Erc1155Token = TypedDict(
    "Erc1155Token",
    {
        "contract_address": "str",
        "token_id": "str",
        "token_uri": "str",
        "token_data": "str",
    },
)


TokenMetadata = TypedDict(
    "TokenMetadata",
    {
        "erc20": "Erc20Token",
        "erc721": "Erc721Token",
        "erc1155": "Erc1155Token",
    },
    total=False,
)


CAsset = TypedDict(
    "CAsset",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "str",
        "balance": "str",
        "asset_metadata": "TokenMetadata",
    },
)


CListAssetsResponse = TypedDict(
    "CListAssetsResponse",
    {
        "assets": "list[CAsset]",
        "pagination": "Pagination",
    },
)


ListContractsRequest = TypedDict(
    "ListContractsRequest",
    {
    },
)


ContractMetadata = TypedDict(
    "ContractMetadata",
    {
        "name": "str",
        "symbol": "str",
        "decimals": "int",
    },
    total=False,
)


BalanceProblem = TypedDict(
    "BalanceProblem",
    {
        "reason": "str",
        "since": "str",
    },
)


_TContractRequired = TypedDict(
    "_TContractRequired",
    {
        "token_address": "str",
        "contract_metadata": "Optional[ContractMetadata]",
    },
)


_TContractOptional = TypedDict(
    "_TContractOptional",
    {
        "balance_problem": "BalanceProblem",
    },
    total=False,
)


class TContract(_TContractRequired, _TContractOptional):
    pass


TListContractsResponse = TypedDict(
    "TListContractsResponse",
    {
        "contracts": "list[TContract]",
    },
)


_SContractRequired = TypedDict(
    "_SContractRequired",
    {
        "token_address": "str",
        "contract_metadata": "Optional[ContractMetadata]",
    },
)


_SContractOptional = TypedDict(
    "_SContractOptional",
    {
        "balance_problem": "BalanceProblem",
    },
    total=False,
)


class SContract(_SContractRequired, _SContractOptional):
    pass


SListContractsResponse = TypedDict(
    "SListContractsResponse",
    {
        "contracts": "list[SContract]",
    },
)


_CContractRequired = TypedDict(
    "_CContractRequired",
    {
        "contract_address": "str",
        "contract_type": "str",
        "contract_metadata": "Optional[ContractMetadata]",
    },
)


_CContractOptional = TypedDict(
    "_CContractOptional",
    {
        "balance_problem": "BalanceProblem",
    },
    total=False,
)


class CContract(_CContractRequired, _CContractOptional):
    pass


CListContractsResponse = TypedDict(
    "CListContractsResponse",
    {
        "contracts": "list[CContract]",
    },
)


TListTransfersRequest = TypedDict(
    "TListTransfersRequest",
    {
        "wallet_id": "str",
        "address": "str",
        "transaction_hash": "str",
        "start_time": "int",
        "end_time": "int",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


ExtraCurrency = TypedDict(
    "ExtraCurrency",
    {
        "currency_id": "str",
        "value": "str",
    },
)


_TTransferRequired = TypedDict(
    "_TTransferRequired",
    {
        "asset_type": "str",
        "from": "str",
        "to": "str",
        "value": "str",
        "transaction_hash": "str",
        "transaction_fee": "str",
        "seq_no": "str",
        "workchain": "str",
        "shard": "str",
        "status": "str",
        "from_user_friendly_address": "str",
        "to_user_friendly_address": "str",
        "message": "str",
        "transfer_hash": "str",
        "transfer_type": "str",
        "bounced": "str",
    },
)


_TTransferOptional = TypedDict(
    "_TTransferOptional",
    {
        "block_height": "int",
        "block_timestamp": "int",
        "token_address": "str",
        "comment_encrypted": "bool",
        "extra_currencies": "list[ExtraCurrency]",
        "transfer_metadata": "ImportedToken",
    },
    total=False,
)


class TTransfer(_TTransferRequired, _TTransferOptional):
    pass


TListTransfersResponse = TypedDict(
    "TListTransfersResponse",
    {
        "transfers": "list[TTransfer]",
        "pagination": "Pagination",
    },
)


SListTransfersRequest = TypedDict(
    "SListTransfersRequest",
    {
        "wallet_id": "str",
        "address": "str",
        "transaction_digest": "str",
        "start_time": "int",
        "end_time": "int",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


_STransferRequired = TypedDict(
    "_STransferRequired",
    {
        "asset_type": "str",
        "from": "str",
        "to": "str",
        "value": "str",
        "transaction_digest": "str",
        "status": "str",
    },
)


_STransferOptional = TypedDict(
    "_STransferOptional",
    {
        "transaction_fee": "str",
        "block_height": "int",
        "block_timestamp": "int",
        "token_address": "str",
        "transfer_metadata": "ImportedToken",
    },
    total=False,
)


class STransfer(_STransferRequired, _STransferOptional):
    pass


SListTransfersResponse = TypedDict(
    "SListTransfersResponse",
    {
        "transfers": "list[STransfer]",
        "pagination": "Pagination",
    },
)


PListTransfersRequest = TypedDict(
    "PListTransfersRequest",
    {
        "wallet_id": "str",
        "address": "str",
        "transaction_hash": "str",
        "start_time": "int",
        "end_time": "int",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


PTransfer = TypedDict(
    "PTransfer",
    {
        "asset_type": "str",
        "from": "str",
        "to": "str",
        "value": "str",
        "transaction_hash": "str",
        "transaction_fee": "str",
        "block_height": "int",
        "block_timestamp": "int",
    },
)


PListTransfersResponse = TypedDict(
    "PListTransfersResponse",
    {
        "transfers": "list[PTransfer]",
        "pagination": "Pagination",
    },
)


CListTransfersRequest = TypedDict(
    "CListTransfersRequest",
    {
        "wallet_id": "str",
        "address": "str",
        "transaction_hash": "str",
        "start_time": "int",
        "end_time": "int",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


CTransfer = TypedDict(
    "CTransfer",
    {
        "asset_type": "str",
        "from": "str",
        "to": "str",
        "value": "str",
        "transaction_hash": "str",
        "nonce": "str",
        "transaction_fee": "str",
        "transfer_state": "str",
        "block_number": "int",
        "block_timestamp": "int",
        "transfer_metadata": "TokenMetadata",
    },
)


CListTransfersResponse = TypedDict(
    "CListTransfersResponse",
    {
        "transfers": "list[CTransfer]",
        "pagination": "Pagination",
    },
)


_TRefreshAssetBalancesRequestRequired = TypedDict(
    "_TRefreshAssetBalancesRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_T']",
    },
)


_TRefreshAssetBalancesRequestOptional = TypedDict(
    "_TRefreshAssetBalancesRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
    },
    total=False,
)


class TRefreshAssetBalancesRequest(_TRefreshAssetBalancesRequestRequired, _TRefreshAssetBalancesRequestOptional):
    pass


RefreshAssetBalancesResponse = TypedDict(
    "RefreshAssetBalancesResponse",
    {
    },
)


_SRefreshAssetBalancesRequestRequired = TypedDict(
    "_SRefreshAssetBalancesRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_S']",
    },
)


_SRefreshAssetBalancesRequestOptional = TypedDict(
    "_SRefreshAssetBalancesRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
    },
    total=False,
)


class SRefreshAssetBalancesRequest(_SRefreshAssetBalancesRequestRequired, _SRefreshAssetBalancesRequestOptional):
    pass


_PRefreshAssetBalancesRequestRequired = TypedDict(
    "_PRefreshAssetBalancesRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_P']",
    },
)


_PRefreshAssetBalancesRequestOptional = TypedDict(
    "_PRefreshAssetBalancesRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
    },
    total=False,
)


class PRefreshAssetBalancesRequest(_PRefreshAssetBalancesRequestRequired, _PRefreshAssetBalancesRequestOptional):
    pass


_CRefreshAssetBalancesRequestRequired = TypedDict(
    "_CRefreshAssetBalancesRequestRequired",
    {
        "asset_type": "Literal['ASSET_TYPE_C', 'ASSET_TYPE_ERC20', 'ASSET_TYPE_ERC721', 'ASSET_TYPE_ERC1155']",
    },
)


_CRefreshAssetBalancesRequestOptional = TypedDict(
    "_CRefreshAssetBalancesRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "from_block": "int",
    },
    total=False,
)


class CRefreshAssetBalancesRequest(_CRefreshAssetBalancesRequestRequired, _CRefreshAssetBalancesRequestOptional):
    pass


TRegisterContractRequest = TypedDict(
    "TRegisterContractRequest",
    {
        "token_address": "str",
    },
)


RegisterContractResponse = TypedDict(
    "RegisterContractResponse",
    {
    },
)


SRegisterContractRequest = TypedDict(
    "SRegisterContractRequest",
    {
        "token_address": "str",
    },
)


CRegisterContractRequest = TypedDict(
    "CRegisterContractRequest",
    {
        "contract_address": "str",
        "contract_type": "Literal['CONTRACT_TYPE_ERC20', 'CONTRACT_TYPE_ERC721', 'CONTRACT_TYPE_ERC1155']",
    },
)


TRemoveContractRequest = TypedDict(
    "TRemoveContractRequest",
    {
        "token_address": "str",
    },
)


RemoveContractResponse = TypedDict(
    "RemoveContractResponse",
    {
    },
)


SRemoveContractRequest = TypedDict(
    "SRemoveContractRequest",
    {
        "token_address": "str",
    },
)


CRemoveContractRequest = TypedDict(
    "CRemoveContractRequest",
    {
        "contract_address": "str",
    },
)


_TGetStatementRequestRequired = TypedDict(
    "_TGetStatementRequestRequired",
    {
        "start_time": "int",
        "end_time": "int",
    },
)


_TGetStatementRequestOptional = TypedDict(
    "_TGetStatementRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "Literal['ASSET_TYPE_T']",
        "token_address": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class TGetStatementRequest(_TGetStatementRequestRequired, _TGetStatementRequestOptional):
    pass


StatementCorrection = TypedDict(
    "StatementCorrection",
    {
        "block": "int",
        "expected": "str",
        "found": "str",
    },
)


_TStatementLineRequired = TypedDict(
    "_TStatementLineRequired",
    {
        "address": "str",
        "asset_type": "str",
        "opening_balance": "str",
        "incoming": "str",
        "outgoing": "str",
        "fees": "str",
        "in_transit": "str",
        "closing_balance": "str",
        "unexplained": "str",
        "reasons": "list[str]",
    },
)


_TStatementLineOptional = TypedDict(
    "_TStatementLineOptional",
    {
        "asset_metadata": "ImportedToken",
        "corrections": "list[StatementCorrection]",
    },
    total=False,
)


class TStatementLine(_TStatementLineRequired, _TStatementLineOptional):
    pass


TStatement = TypedDict(
    "TStatement",
    {
        "start_block": "int",
        "end_block": "int",
        "lines": "list[TStatementLine]",
    },
)


TMovement = TypedDict(
    "TMovement",
    {
        "transfer": "TTransfer",
        "address": "str",
        "direction": "str",
        "fee": "str",
    },
)


TGetStatementResponse = TypedDict(
    "TGetStatementResponse",
    {
        "statement": "TStatement",
        "movements": "list[TMovement]",
        "pagination": "Pagination",
    },
)


_SGetStatementRequestRequired = TypedDict(
    "_SGetStatementRequestRequired",
    {
        "start_time": "int",
        "end_time": "int",
    },
)


_SGetStatementRequestOptional = TypedDict(
    "_SGetStatementRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "Literal['ASSET_TYPE_S']",
        "token_address": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class SGetStatementRequest(_SGetStatementRequestRequired, _SGetStatementRequestOptional):
    pass


_SStatementLineRequired = TypedDict(
    "_SStatementLineRequired",
    {
        "address": "str",
        "asset_type": "str",
        "opening_balance": "str",
        "incoming": "str",
        "outgoing": "str",
        "fees": "str",
        "in_transit": "str",
        "closing_balance": "str",
        "unexplained": "str",
        "reasons": "list[str]",
    },
)


_SStatementLineOptional = TypedDict(
    "_SStatementLineOptional",
    {
        "asset_metadata": "ImportedToken",
        "corrections": "list[StatementCorrection]",
    },
    total=False,
)


class SStatementLine(_SStatementLineRequired, _SStatementLineOptional):
    pass


SStatement = TypedDict(
    "SStatement",
    {
        "start_block": "int",
        "end_block": "int",
        "lines": "list[SStatementLine]",
    },
)


SMovement = TypedDict(
    "SMovement",
    {
        "transfer": "STransfer",
        "address": "str",
        "direction": "str",
        "fee": "str",
    },
)


SGetStatementResponse = TypedDict(
    "SGetStatementResponse",
    {
        "statement": "SStatement",
        "movements": "list[SMovement]",
        "pagination": "Pagination",
    },
)


_PGetStatementRequestRequired = TypedDict(
    "_PGetStatementRequestRequired",
    {
        "start_time": "int",
        "end_time": "int",
    },
)


_PGetStatementRequestOptional = TypedDict(
    "_PGetStatementRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "Literal['ASSET_TYPE_P']",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class PGetStatementRequest(_PGetStatementRequestRequired, _PGetStatementRequestOptional):
    pass


_PStatementLineRequired = TypedDict(
    "_PStatementLineRequired",
    {
        "address": "str",
        "asset_type": "str",
        "opening_balance": "str",
        "incoming": "str",
        "outgoing": "str",
        "fees": "str",
        "in_transit": "str",
        "closing_balance": "str",
        "unexplained": "str",
        "reasons": "list[str]",
    },
)


_PStatementLineOptional = TypedDict(
    "_PStatementLineOptional",
    {
        "corrections": "list[StatementCorrection]",
    },
    total=False,
)


class PStatementLine(_PStatementLineRequired, _PStatementLineOptional):
    pass


PStatement = TypedDict(
    "PStatement",
    {
        "start_block": "int",
        "end_block": "int",
        "lines": "list[PStatementLine]",
    },
)


PMovement = TypedDict(
    "PMovement",
    {
        "transfer": "PTransfer",
        "address": "str",
        "direction": "str",
        "fee": "str",
    },
)


PGetStatementResponse = TypedDict(
    "PGetStatementResponse",
    {
        "statement": "PStatement",
        "movements": "list[PMovement]",
        "pagination": "Pagination",
    },
)


_CGetStatementRequestRequired = TypedDict(
    "_CGetStatementRequestRequired",
    {
        "start_time": "int",
        "end_time": "int",
    },
)


_CGetStatementRequestOptional = TypedDict(
    "_CGetStatementRequestOptional",
    {
        "wallet_id": "str",
        "address": "str",
        "asset_type": "Literal['ASSET_TYPE_C', 'ASSET_TYPE_ERC20', 'ASSET_TYPE_ERC721', 'ASSET_TYPE_ERC1155']",
        "contract_address": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


class CGetStatementRequest(_CGetStatementRequestRequired, _CGetStatementRequestOptional):
    pass


_CStatementLineRequired = TypedDict(
    "_CStatementLineRequired",
    {
        "address": "str",
        "asset_type": "str",
        "asset_metadata": "TokenMetadata",
        "opening_balance": "str",
        "incoming": "str",
        "outgoing": "str",
        "fees": "str",
        "in_transit": "str",
        "closing_balance": "str",
        "unexplained": "str",
        "reasons": "list[str]",
    },
)


_CStatementLineOptional = TypedDict(
    "_CStatementLineOptional",
    {
        "corrections": "list[StatementCorrection]",
    },
    total=False,
)


class CStatementLine(_CStatementLineRequired, _CStatementLineOptional):
    pass


CStatement = TypedDict(
    "CStatement",
    {
        "start_block": "int",
        "end_block": "int",
        "lines": "list[CStatementLine]",
    },
)


CMovement = TypedDict(
    "CMovement",
    {
        "transfer": "CTransfer",
        "address": "str",
        "direction": "str",
        "fee": "str",
    },
)


CGetStatementResponse = TypedDict(
    "CGetStatementResponse",
    {
        "statement": "CStatement",
        "movements": "list[CMovement]",
        "pagination": "Pagination",
    },
)


ReconcileWalletRequest = TypedDict(
    "ReconcileWalletRequest",
    {
        "wallet_id": "str",
    },
)


_TBalanceDifferenceRequired = TypedDict(
    "_TBalanceDifferenceRequired",
    {
        "address": "str",
        "asset_type": "str",
        "expected": "str",
        "found": "str",
        "block": "int",
    },
)


_TBalanceDifferenceOptional = TypedDict(
    "_TBalanceDifferenceOptional",
    {
        "asset_metadata": "ImportedToken",
    },
    total=False,
)


class TBalanceDifference(_TBalanceDifferenceRequired, _TBalanceDifferenceOptional):
    pass


TReconcileWalletResponse = TypedDict(
    "TReconcileWalletResponse",
    {
        "differences": "list[TBalanceDifference]",
    },
)


_SBalanceDifferenceRequired = TypedDict(
    "_SBalanceDifferenceRequired",
    {
        "address": "str",
        "asset_type": "str",
        "expected": "str",
        "found": "str",
        "block": "int",
    },
)


_SBalanceDifferenceOptional = TypedDict(
    "_SBalanceDifferenceOptional",
    {
        "asset_metadata": "ImportedToken",
    },
    total=False,
)


class SBalanceDifference(_SBalanceDifferenceRequired, _SBalanceDifferenceOptional):
    pass


SReconcileWalletResponse = TypedDict(
    "SReconcileWalletResponse",
    {
        "differences": "list[SBalanceDifference]",
    },
)


PBalanceDifference = TypedDict(
    "PBalanceDifference",
    {
        "address": "str",
        "asset_type": "str",
        "expected": "str",
        "found": "str",
        "block": "int",
    },
)


PReconcileWalletResponse = TypedDict(
    "PReconcileWalletResponse",
    {
        "differences": "list[PBalanceDifference]",
    },
)


CBalanceDifference = TypedDict(
    "CBalanceDifference",
    {
        "address": "str",
        "asset_type": "str",
        "expected": "str",
        "found": "str",
        "block": "int",
        "asset_metadata": "TokenMetadata",
    },
)


CReconcileWalletResponse = TypedDict(
    "CReconcileWalletResponse",
    {
        "differences": "list[CBalanceDifference]",
    },
)


GetImportRequest = TypedDict(
    "GetImportRequest",
    {
        "import_id": "str",
    },
)


_ImportRequired = TypedDict(
    "_ImportRequired",
    {
        "import_id": "str",
        "wallet_id": "str",
        "address": "str",
        "state": "str",
        "from_block": "int",
        "current_block": "int",
        "to_block": "int",
        "untraced": "bool",
    },
)


_ImportOptional = TypedDict(
    "_ImportOptional",
    {
        "reason": "str",
    },
    total=False,
)


class Import(_ImportRequired, _ImportOptional):
    pass


GetImportResponse = TypedDict(
    "GetImportResponse",
    {
        "import": "Import",
    },
)


_ImportHistoryRequestRequired = TypedDict(
    "_ImportHistoryRequestRequired",
    {
        "address": "str",
    },
)


_ImportHistoryRequestOptional = TypedDict(
    "_ImportHistoryRequestOptional",
    {
        "from_block": "int",
        "from_time": "int",
    },
    total=False,
)


class ImportHistoryRequest(_ImportHistoryRequestRequired, _ImportHistoryRequestOptional):
    pass


ImportHistoryResponse = TypedDict(
    "ImportHistoryResponse",
    {
        "import_id": "str",
    },
)


GetWebhookRequest = TypedDict(
    "GetWebhookRequest",
    {
        "webhook_id": "str",
    },
)


_WebhookWithSecretRequired = TypedDict(
    "_WebhookWithSecretRequired",
    {
        "webhook_id": "str",
        "wallet_id": "str",
        "webhook_endpoint": "str",
        "confirmation": "int",
        "disabled": "bool",
        "create_time": "str",
        "secret": "str",
    },
)


_WebhookWithSecretOptional = TypedDict(
    "_WebhookWithSecretOptional",
    {
        "public_key": "str",
        "notification_types": "list[str]",
        "final": "bool",
    },
    total=False,
)


class WebhookWithSecret(_WebhookWithSecretRequired, _WebhookWithSecretOptional):
    pass


GetWebhookResponse = TypedDict(
    "GetWebhookResponse",
    {
        "webhook": "WebhookWithSecret",
    },
)


ListWebhookHeadersRequest = TypedDict(
    "ListWebhookHeadersRequest",
    {
        "webhook_id": "str",
    },
    total=False,
)


WebhookHeader = TypedDict(
    "WebhookHeader",
    {
        "webhook_header_id": "str",
        "webhook_id": "str",
        "header_key": "str",
        "header_value": "str",
    },
)


ListWebhookHeadersResponse = TypedDict(
    "ListWebhookHeadersResponse",
    {
        "webhook_headers": "list[WebhookHeader]",
    },
)


ListWebhooksRequest = TypedDict(
    "ListWebhooksRequest",
    {
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


_WebhookRequired = TypedDict(
    "_WebhookRequired",
    {
        "webhook_id": "str",
        "wallet_id": "str",
        "webhook_endpoint": "str",
        "confirmation": "int",
        "disabled": "bool",
        "create_time": "str",
    },
)


_WebhookOptional = TypedDict(
    "_WebhookOptional",
    {
        "public_key": "str",
        "notification_types": "list[str]",
        "final": "bool",
    },
    total=False,
)


class Webhook(_WebhookRequired, _WebhookOptional):
    pass


ListWebhooksResponse = TypedDict(
    "ListWebhooksResponse",
    {
        "webhooks": "list[Webhook]",
        "pagination": "Pagination",
    },
)


_TRegisterWebhookRequestRequired = TypedDict(
    "_TRegisterWebhookRequestRequired",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
    },
)


_TRegisterWebhookRequestOptional = TypedDict(
    "_TRegisterWebhookRequestOptional",
    {
        "wallet_id": "str",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_T_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED']]",
        "final": "bool",
    },
    total=False,
)


class TRegisterWebhookRequest(_TRegisterWebhookRequestRequired, _TRegisterWebhookRequestOptional):
    pass


RegisterWebhookResponse = TypedDict(
    "RegisterWebhookResponse",
    {
        "webhook_id": "str",
    },
)


_SRegisterWebhookRequestRequired = TypedDict(
    "_SRegisterWebhookRequestRequired",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
    },
)


_SRegisterWebhookRequestOptional = TypedDict(
    "_SRegisterWebhookRequestOptional",
    {
        "wallet_id": "str",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_S_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED']]",
        "final": "bool",
    },
    total=False,
)


class SRegisterWebhookRequest(_SRegisterWebhookRequestRequired, _SRegisterWebhookRequestOptional):
    pass


_PRegisterWebhookRequestRequired = TypedDict(
    "_PRegisterWebhookRequestRequired",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
    },
)


_PRegisterWebhookRequestOptional = TypedDict(
    "_PRegisterWebhookRequestOptional",
    {
        "wallet_id": "str",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_P_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED']]",
        "final": "bool",
    },
    total=False,
)


class PRegisterWebhookRequest(_PRegisterWebhookRequestRequired, _PRegisterWebhookRequestOptional):
    pass


_CRegisterWebhookRequestRequired = TypedDict(
    "_CRegisterWebhookRequestRequired",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
    },
)


_CRegisterWebhookRequestOptional = TypedDict(
    "_CRegisterWebhookRequestOptional",
    {
        "wallet_id": "str",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED']]",
        "final": "bool",
    },
    total=False,
)


class CRegisterWebhookRequest(_CRegisterWebhookRequestRequired, _CRegisterWebhookRequestOptional):
    pass


_RegisterWebhookHeaderRequestRequired = TypedDict(
    "_RegisterWebhookHeaderRequestRequired",
    {
        "header_key": "str",
        "header_value": "str",
    },
)


_RegisterWebhookHeaderRequestOptional = TypedDict(
    "_RegisterWebhookHeaderRequestOptional",
    {
        "webhook_id": "str",
    },
    total=False,
)


class RegisterWebhookHeaderRequest(_RegisterWebhookHeaderRequestRequired, _RegisterWebhookHeaderRequestOptional):
    pass


RegisterWebhookHeaderResponse = TypedDict(
    "RegisterWebhookHeaderResponse",
    {
        "webhook_header_id": "str",
    },
)


RemoveWebhookRequest = TypedDict(
    "RemoveWebhookRequest",
    {
        "webhook_id": "str",
    },
)


RemoveWebhookResponse = TypedDict(
    "RemoveWebhookResponse",
    {
    },
)


RemoveWebhookHeaderRequest = TypedDict(
    "RemoveWebhookHeaderRequest",
    {
        "webhook_header_id": "str",
    },
)


RemoveWebhookHeaderResponse = TypedDict(
    "RemoveWebhookHeaderResponse",
    {
    },
)


RotateWebhookSecretRequest = TypedDict(
    "RotateWebhookSecretRequest",
    {
        "webhook_id": "str",
    },
)


RotateWebhookSecretResponse = TypedDict(
    "RotateWebhookSecretResponse",
    {
    },
)


_TUpdateWebhookRequestRequired = TypedDict(
    "_TUpdateWebhookRequestRequired",
    {
        "webhook_id": "str",
    },
)


_TUpdateWebhookRequestOptional = TypedDict(
    "_TUpdateWebhookRequestOptional",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_T_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED']]",
        "final": "bool",
        "disabled": "bool",
    },
    total=False,
)


class TUpdateWebhookRequest(_TUpdateWebhookRequestRequired, _TUpdateWebhookRequestOptional):
    pass


UpdateWebhookResponse = TypedDict(
    "UpdateWebhookResponse",
    {
    },
)


_SUpdateWebhookRequestRequired = TypedDict(
    "_SUpdateWebhookRequestRequired",
    {
        "webhook_id": "str",
    },
)


_SUpdateWebhookRequestOptional = TypedDict(
    "_SUpdateWebhookRequestOptional",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_S_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED']]",
        "final": "bool",
        "disabled": "bool",
    },
    total=False,
)


class SUpdateWebhookRequest(_SUpdateWebhookRequestRequired, _SUpdateWebhookRequestOptional):
    pass


_PUpdateWebhookRequestRequired = TypedDict(
    "_PUpdateWebhookRequestRequired",
    {
        "webhook_id": "str",
    },
)


_PUpdateWebhookRequestOptional = TypedDict(
    "_PUpdateWebhookRequestOptional",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_P_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED']]",
        "final": "bool",
        "disabled": "bool",
    },
    total=False,
)


class PUpdateWebhookRequest(_PUpdateWebhookRequestRequired, _PUpdateWebhookRequestOptional):
    pass


_CUpdateWebhookRequestRequired = TypedDict(
    "_CUpdateWebhookRequestRequired",
    {
        "webhook_id": "str",
    },
)


_CUpdateWebhookRequestOptional = TypedDict(
    "_CUpdateWebhookRequestOptional",
    {
        "webhook_endpoint": "str",
        "confirmation": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED']]",
        "final": "bool",
        "disabled": "bool",
    },
    total=False,
)


class CUpdateWebhookRequest(_CUpdateWebhookRequestRequired, _CUpdateWebhookRequestOptional):
    pass


ListWebhookAttemptsRequest = TypedDict(
    "ListWebhookAttemptsRequest",
    {
        "webhook_history_id": "str",
    },
)


WebhookAttempt = TypedDict(
    "WebhookAttempt",
    {
        "attempt": "int",
        "attempt_time": "str",
        "status_code": "Optional[int]",
        "failure": "str",
        "duration_ms": "int",
        "response_excerpt": "str",
        "next_attempt_time": "Optional[str]",
    },
)


ListWebhookAttemptsResponse = TypedDict(
    "ListWebhookAttemptsResponse",
    {
        "webhook_attempts": "list[WebhookAttempt]",
    },
)


ListWebhookHistoriesRequest = TypedDict(
    "ListWebhookHistoriesRequest",
    {
        "webhook_id": "str",
        "start_time": "int",
        "end_time": "int",
        "webhook_status": "Literal['WEBHOOK_STATUS_PENDING', 'WEBHOOK_STATUS_RETRYING', 'WEBHOOK_STATUS_COMPLETED', 'WEBHOOK_STATUS_FAILED', 'WEBHOOK_STATUS_CANCELED']",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


WebhookHistory = TypedDict(
    "WebhookHistory",
    {
        "webhook_history_id": "str",
        "webhook_id": "str",
        "webhook_status": "str",
        "notification_type": "str",
        "delivery_count": "int",
        "delivery_time": "str",
        "data": "dict[str, Any]",
    },
)


ListWebhookHistoriesResponse = TypedDict(
    "ListWebhookHistoriesResponse",
    {
        "webhook_histories": "list[WebhookHistory]",
        "pagination": "Pagination",
    },
)


ResendWebhookRequest = TypedDict(
    "ResendWebhookRequest",
    {
        "webhook_history_id": "str",
    },
)


ResendWebhookResponse = TypedDict(
    "ResendWebhookResponse",
    {
    },
)


_ResendWebhooksRequestRequired = TypedDict(
    "_ResendWebhooksRequestRequired",
    {
        "webhook_id": "str",
    },
)


_ResendWebhooksRequestOptional = TypedDict(
    "_ResendWebhooksRequestOptional",
    {
        "start_time": "int",
        "end_time": "int",
        "webhook_status": "Literal['WEBHOOK_STATUS_PENDING', 'WEBHOOK_STATUS_RETRYING', 'WEBHOOK_STATUS_COMPLETED', 'WEBHOOK_STATUS_FAILED', 'WEBHOOK_STATUS_CANCELED']",
    },
    total=False,
)


class ResendWebhooksRequest(_ResendWebhooksRequestRequired, _ResendWebhooksRequestOptional):
    pass


ResendWebhooksResponse = TypedDict(
    "ResendWebhooksResponse",
    {
        "count": "int",
    },
)


SendTestWebhookRequest = TypedDict(
    "SendTestWebhookRequest",
    {
        "webhook_id": "str",
    },
)


SendTestWebhookResponse = TypedDict(
    "SendTestWebhookResponse",
    {
        "webhook_history_id": "str",
    },
)


TListNotificationsRequest = TypedDict(
    "TListNotificationsRequest",
    {
        "after": "str",
        "wait_seconds": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_T_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_T_BALANCE_DRIFTED', 'NOTIFICATION_TYPE_TEST']]",
        "wallet_id": "str",
        "page_size": "int",
    },
    total=False,
)


Notification = TypedDict(
    "Notification",
    {
        "webhook_history_id": "str",
        "webhook_id": "str",
        "organization_id": "str",
        "notification_type": "str",
        "create_time": "str",
        "data": "dict[str, Any]",
    },
)


ListNotificationsResponse = TypedDict(
    "ListNotificationsResponse",
    {
        "notifications": "list[Notification]",
        "next_after": "str",
    },
)


SListNotificationsRequest = TypedDict(
    "SListNotificationsRequest",
    {
        "after": "str",
        "wait_seconds": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_S_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_S_BALANCE_DRIFTED', 'NOTIFICATION_TYPE_TEST']]",
        "wallet_id": "str",
        "page_size": "int",
    },
    total=False,
)


PListNotificationsRequest = TypedDict(
    "PListNotificationsRequest",
    {
        "after": "str",
        "wait_seconds": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_P_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_P_BALANCE_DRIFTED', 'NOTIFICATION_TYPE_TEST']]",
        "wallet_id": "str",
        "page_size": "int",
    },
    total=False,
)


CListNotificationsRequest = TypedDict(
    "CListNotificationsRequest",
    {
        "after": "str",
        "wait_seconds": "int",
        "notification_types": "list[Literal['NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED', 'NOTIFICATION_TYPE_HISTORY_SEALED', 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED', 'NOTIFICATION_TYPE_TEST']]",
        "wallet_id": "str",
        "page_size": "int",
    },
    total=False,
)


GetBlockRequest = TypedDict(
    "GetBlockRequest",
    {
        "block_number": "int",
    },
)


Block = TypedDict(
    "Block",
    {
        "block_hash": "str",
        "block_number": "int",
        "difficulty": "int",
        "extra_data": "str",
        "gas_limit": "int",
        "gas_used": "int",
        "logs_bloom": "str",
        "miner": "str",
        "mix_hash": "str",
        "nonce": "str",
        "parent_hash": "str",
        "receipts_root": "str",
        "sha3_uncles": "str",
        "size": "int",
        "state_root": "str",
        "timestamp": "int",
        "transactions_root": "str",
        "uncles": "list[str]",
    },
)


GetBlockResponse = TypedDict(
    "GetBlockResponse",
    {
        "block": "Block",
    },
)


GetPendingTransactionRequest = TypedDict(
    "GetPendingTransactionRequest",
    {
        "transaction_hash": "str",
    },
)


PendingTransaction = TypedDict(
    "PendingTransaction",
    {
        "transaction_hash": "str",
        "from": "str",
        "to": "str",
        "gas": "int",
        "gas_price": "int",
        "input": "str",
        "nonce": "int",
        "value": "str",
        "r": "str",
        "s": "str",
        "v": "str",
        "record_time": "str",
    },
)


GetPendingTransactionResponse = TypedDict(
    "GetPendingTransactionResponse",
    {
        "pending_transaction": "PendingTransaction",
    },
)


QGetTransactionRequest = TypedDict(
    "QGetTransactionRequest",
    {
        "transaction_hash": "str",
    },
)


Transaction = TypedDict(
    "Transaction",
    {
        "transaction_hash": "str",
        "from": "str",
        "to": "str",
        "gas": "int",
        "gas_price": "int",
        "input": "str",
        "nonce": "int",
        "value": "str",
        "r": "str",
        "s": "str",
        "v": "str",
        "block_number": "int",
        "block_hash": "str",
        "transaction_index": "int",
    },
)


QGetTransactionResponse = TypedDict(
    "QGetTransactionResponse",
    {
        "transaction": "Transaction",
    },
)


GetTransactionReceiptRequest = TypedDict(
    "GetTransactionReceiptRequest",
    {
        "transaction_hash": "str",
    },
)


TransactionReceipt = TypedDict(
    "TransactionReceipt",
    {
        "transaction_hash": "str",
        "block_number": "int",
        "block_hash": "str",
        "transaction_index": "int",
        "contract_address": "str",
        "cumulative_gas_used": "int",
        "from": "str",
        "to": "str",
        "gas_used": "int",
        "logs_bloom": "str",
        "status": "Optional[int]",
        "effective_gas_price": "int",
    },
)


GetTransactionReceiptResponse = TypedDict(
    "GetTransactionReceiptResponse",
    {
        "transaction_receipt": "TransactionReceipt",
    },
)


ListInternalTransactionsRequest = TypedDict(
    "ListInternalTransactionsRequest",
    {
        "transaction_hash": "str",
    },
)


InternalTransaction = TypedDict(
    "InternalTransaction",
    {
        "transaction_hash": "str",
        "from": "str",
        "to": "str",
        "gas": "int",
        "gas_used": "int",
        "input": "str",
        "output": "str",
        "call_type": "str",
        "trace_index": "int",
        "value": "str",
        "error": "str",
    },
)


ListInternalTransactionsResponse = TypedDict(
    "ListInternalTransactionsResponse",
    {
        "internal_transactions": "list[InternalTransaction]",
    },
)


ListLogsRequest = TypedDict(
    "ListLogsRequest",
    {
        "transaction_hash": "str",
    },
)


Log = TypedDict(
    "Log",
    {
        "transaction_hash": "str",
        "address": "str",
        "data": "str",
        "topics": "list[str]",
        "block_number": "int",
        "block_hash": "str",
        "transaction_index": "int",
        "log_index": "int",
        "removed": "bool",
    },
)


ListLogsResponse = TypedDict(
    "ListLogsResponse",
    {
        "logs": "list[Log]",
    },
)


_ListPendingTransactionsRequestRequired = TypedDict(
    "_ListPendingTransactionsRequestRequired",
    {
        "from": "str",
    },
)


_ListPendingTransactionsRequestOptional = TypedDict(
    "_ListPendingTransactionsRequestOptional",
    {
        "nonce": "int",
    },
    total=False,
)


class ListPendingTransactionsRequest(_ListPendingTransactionsRequestRequired, _ListPendingTransactionsRequestOptional):
    pass


ListPendingTransactionsResponse = TypedDict(
    "ListPendingTransactionsResponse",
    {
        "pending_transactions": "list[PendingTransaction]",
    },
)


QListTransactionsRequest = TypedDict(
    "QListTransactionsRequest",
    {
        "transaction_hashes": "list[str]",
    },
    total=False,
)


QListTransactionsResponse = TypedDict(
    "QListTransactionsResponse",
    {
        "transactions": "list[Transaction]",
    },
)


AnchorSealRequest = TypedDict(
    "AnchorSealRequest",
    {
        "wallet_id": "str",
        "from": "str",
    },
)


AccessListEntry = TypedDict(
    "AccessListEntry",
    {
        "address": "str",
        "storage_keys": "list[str]",
    },
)


_ManagedTransactionRequired = TypedDict(
    "_ManagedTransactionRequired",
    {
        "wallet_id": "str",
        "transaction_id": "str",
        "transaction_hash": "str",
        "transaction_state": "str",
        "from": "str",
        "to": "str",
        "value": "str",
        "gas": "str",
        "gas_price": "str",
        "data": "str",
        "nonce": "str",
    },
)


_ManagedTransactionOptional = TypedDict(
    "_ManagedTransactionOptional",
    {
        "max_fee_per_gas": "str",
        "max_priority_fee_per_gas": "str",
        "access_list": "list[AccessListEntry]",
        "create_time": "str",
        "send_time": "str",
        "mine_time": "str",
        "block_number": "int",
        "block_hash": "str",
        "transaction_fee": "str",
        "failure_reason": "str",
    },
    total=False,
)


class ManagedTransaction(_ManagedTransactionRequired, _ManagedTransactionOptional):
    pass


AnchorSealResponse = TypedDict(
    "AnchorSealResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


CancelTransactionRequest = TypedDict(
    "CancelTransactionRequest",
    {
        "transaction_id": "str",
    },
)


CancelTransactionResponse = TypedDict(
    "CancelTransactionResponse",
    {
    },
)


Erc20Payload = TypedDict(
    "Erc20Payload",
    {
        "contract_address": "str",
        "value": "str",
    },
)


Erc721Payload = TypedDict(
    "Erc721Payload",
    {
        "contract_address": "str",
        "token_id": "str",
    },
)


Erc1155Payload = TypedDict(
    "Erc1155Payload",
    {
        "contract_address": "str",
        "token_id": "str",
        "value": "str",
    },
)


TokenPayload = TypedDict(
    "TokenPayload",
    {
        "erc20": "Erc20Payload",
        "erc721": "Erc721Payload",
        "erc1155": "Erc1155Payload",
    },
    total=False,
)


_CreateTokenTransactionRequestRequired = TypedDict(
    "_CreateTokenTransactionRequestRequired",
    {
        "wallet_id": "str",
        "from": "str",
        "to": "str",
        "contract_type": "Literal['CONTRACT_TYPE_ERC20', 'CONTRACT_TYPE_ERC721', 'CONTRACT_TYPE_ERC1155']",
        "token_payload": "TokenPayload",
    },
)


_CreateTokenTransactionRequestOptional = TypedDict(
    "_CreateTokenTransactionRequestOptional",
    {
        "gas": "str",
        "gas_price": "str",
        "max_fee_per_gas": "str",
        "max_priority_fee_per_gas": "str",
        "access_list": "list[AccessListEntry]",
        "nonce": "int",
        "transaction_id": "str",
    },
    total=False,
)


class CreateTokenTransactionRequest(_CreateTokenTransactionRequestRequired, _CreateTokenTransactionRequestOptional):
    pass


CreateTokenTransactionResponse = TypedDict(
    "CreateTokenTransactionResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


_CreateTransactionRequestRequired = TypedDict(
    "_CreateTransactionRequestRequired",
    {
        "wallet_id": "str",
        "from": "str",
        "to": "str",
        "value": "str",
    },
)


_CreateTransactionRequestOptional = TypedDict(
    "_CreateTransactionRequestOptional",
    {
        "data": "str",
        "gas": "str",
        "gas_price": "str",
        "max_fee_per_gas": "str",
        "max_priority_fee_per_gas": "str",
        "access_list": "list[AccessListEntry]",
        "nonce": "int",
        "transaction_id": "str",
    },
    total=False,
)


class CreateTransactionRequest(_CreateTransactionRequestRequired, _CreateTransactionRequestOptional):
    pass


CreateTransactionResponse = TypedDict(
    "CreateTransactionResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


CGetTransactionRequest = TypedDict(
    "CGetTransactionRequest",
    {
        "transaction_id": "str",
        "transaction_hash": "str",
    },
    total=False,
)


CGetTransactionResponse = TypedDict(
    "CGetTransactionResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


GetTransactionMessageToSignRequest = TypedDict(
    "GetTransactionMessageToSignRequest",
    {
        "transaction_id": "str",
    },
)


_TokenTransferRequired = TypedDict(
    "_TokenTransferRequired",
    {
        "contract_address": "str",
        "standard": "str",
        "value": "str",
    },
)


_TokenTransferOptional = TypedDict(
    "_TokenTransferOptional",
    {
        "token_id": "str",
    },
    total=False,
)


class TokenTransfer(_TokenTransferRequired, _TokenTransferOptional):
    pass


_TransactionPreviewRequired = TypedDict(
    "_TransactionPreviewRequired",
    {
        "kind": "str",
        "to": "str",
        "value": "str",
        "max_fee": "str",
    },
)


_TransactionPreviewOptional = TypedDict(
    "_TransactionPreviewOptional",
    {
        "token": "TokenTransfer",
        "balance_after": "str",
    },
    total=False,
)


class TransactionPreview(_TransactionPreviewRequired, _TransactionPreviewOptional):
    pass


_GetTransactionMessageToSignResponseRequired = TypedDict(
    "_GetTransactionMessageToSignResponseRequired",
    {
        "transaction_message_to_sign": "str",
    },
)


_GetTransactionMessageToSignResponseOptional = TypedDict(
    "_GetTransactionMessageToSignResponseOptional",
    {
        "unsigned_transaction": "str",
        "preview": "TransactionPreview",
    },
    total=False,
)


class GetTransactionMessageToSignResponse(_GetTransactionMessageToSignResponseRequired, _GetTransactionMessageToSignResponseOptional):
    pass


CListTransactionsRequest = TypedDict(
    "CListTransactionsRequest",
    {
        "wallet_id": "str",
        "address": "str",
        "page_size": "int",
        "page_token": "str",
    },
    total=False,
)


CListTransactionsResponse = TypedDict(
    "CListTransactionsResponse",
    {
        "transactions": "list[ManagedTransaction]",
        "pagination": "Pagination",
    },
)


SendTransactionRequest = TypedDict(
    "SendTransactionRequest",
    {
        "transaction_id": "str",
    },
)


SendTransactionResponse = TypedDict(
    "SendTransactionResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


_SpeedUpTransactionRequestRequired = TypedDict(
    "_SpeedUpTransactionRequestRequired",
    {
        "transaction_id": "str",
    },
)


_SpeedUpTransactionRequestOptional = TypedDict(
    "_SpeedUpTransactionRequestOptional",
    {
        "gas_price": "str",
        "max_fee_per_gas": "str",
        "max_priority_fee_per_gas": "str",
    },
    total=False,
)


class SpeedUpTransactionRequest(_SpeedUpTransactionRequestRequired, _SpeedUpTransactionRequestOptional):
    pass


SpeedUpTransactionResponse = TypedDict(
    "SpeedUpTransactionResponse",
    {
        "transaction": "ManagedTransaction",
    },
)


SubmitTransactionSignatureRequest = TypedDict(
    "SubmitTransactionSignatureRequest",
    {
        "transaction_id": "str",
        "signature": "str",
    },
)


SubmitTransactionSignatureResponse = TypedDict(
    "SubmitTransactionSignatureResponse",
    {
    },
)
