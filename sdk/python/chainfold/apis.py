# Generated from the operation table by npm run sdk. Do not edit.
"""Methods of all operations, by API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Optional, Union

from .pages import each_item
from .transport import CallOptions, Transport
from .types import *  # noqa: F403


def _given(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields if value is not None}


class TApi:
    """Operations of the API ``t``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_wallet(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TGetWalletResponse:
        """Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address.

        :param wallet_id: The wallet.
        :param address: One of its addresses.
        """
        return self._transport.call("/v1/t/GetWallet", "query", _given(("wallet_id", wallet_id), ("address", address)), options)

    def list_wallets(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TListWalletsResponse:
        """List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListWallets", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_wallet(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TWallet]:
        """Iterates over the items of all pages of ListWallets."""
        return each_item(lambda page: self._transport.call("/v1/t/ListWallets", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "wallets")

    def register_wallet(
        self,
        *,
        name: str,
        address: Optional[str] = None,
        import_asset: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWalletResponse:
        """Register a wallet and, optionally, its first address.

        :param name: The display name.
        :param address: Its first address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        """
        return self._transport.call("/v1/t/RegisterWallet", "command", _given(("name", name), ("address", address), ("import_asset", import_asset)), options)

    def batch_register_addresses(
        self,
        *,
        wallet_id: str,
        addresses: list[str],
        options: Optional[CallOptions] = None,
    ) -> BatchRegisterAddressesResponse:
        """Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds.

        :param wallet_id: The wallet.
        :param addresses: The addresses; duplicates count once.
        """
        return self._transport.call("/v1/t/BatchRegisterAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses)), options)

    def batch_remove_addresses(
        self,
        *,
        wallet_id: str,
        addresses: Optional[list[str]] = None,
        remove_all: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> BatchRemoveAddressesResponse:
        """Remove up to 1000 addresses at once, or every address of the wallet with remove_all.

        :param wallet_id: The wallet.
        :param addresses: The addresses; required unless `remove_all` is true.
        :param remove_all: True removes every address and overrides `addresses`.
        """
        return self._transport.call("/v1/t/BatchRemoveAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses), ("remove_all", remove_all)), options)

    def get_address(
        self,
        *,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> TGetAddressResponse:
        """Find the wallet that holds an address.

        :param address: The address.
        """
        return self._transport.call("/v1/t/GetAddress", "query", _given(("address", address)), options)

    def list_addresses(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TListAddressesResponse:
        """List the addresses of a wallet, or of all wallets, newest first.

        :param wallet_id: Only of this wallet.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListAddresses", "query", _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_address(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TAddress]:
        """Iterates over the items of all pages of ListAddresses."""
        return each_item(lambda page: self._transport.call("/v1/t/ListAddresses", "query", page, options), _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), "addresses")

    def register_address(
        self,
        *,
        wallet_id: str,
        address: str,
        import_asset: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterAddressResponse:
        """Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected.

        :param wallet_id: The wallet.
        :param address: The address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        """
        return self._transport.call("/v1/t/RegisterAddress", "command", _given(("wallet_id", wallet_id), ("address", address), ("import_asset", import_asset)), options)

    def remove_address(
        self,
        *,
        wallet_id: str,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveAddressResponse:
        """Stop tracking an address. Removing an address that the wallet does not hold changes nothing.

        :param wallet_id: The wallet.
        :param address: The address.
        """
        return self._transport.call("/v1/t/RemoveAddress", "command", _given(("wallet_id", wallet_id), ("address", address)), options)

    def get_balance_refresh(
        self,
        *,
        wallet_id: str,
        asset_type: Literal["ASSET_TYPE_T"],
        options: Optional[CallOptions] = None,
    ) -> TGetBalanceRefreshResponse:
        """Get the progress of a running RefreshAssetBalances: addresses read and in total.

        :param wallet_id: The wallet.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/t/GetBalanceRefresh", "query", _given(("wallet_id", wallet_id), ("asset_type", asset_type)), options)

    def import_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_T"],
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        token_account_address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportAssetResponse:
        """Read the balance of an address now. With token_address, also follow that token at the address from now on.

        :param address: The address; also required on `t` and `s` unless `token_account_address` determines the owner.
        :param asset_type: The type of assets.
        :param token_address: A jetton's master, or a coin type such as `0x5::usd::USD`.
        :param token_account_address: The jetton wallet, or a coin object; it must belong to the address.
        """
        return self._transport.call("/v1/t/ImportAsset", "command", _given(("address", address), ("asset_type", asset_type), ("token_address", token_address), ("token_account_address", token_account_address)), options)

    def list_assets(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_T"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        include_tokens: Optional[bool] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TListAssetsResponse:
        """List balances of one asset type, per address or summed over all addresses.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address.
        :param asset_type: The type of assets.
        :param token_address: This imported or registered token instead of the chain's own coin.
        :param include_tokens: All imported and registered tokens beside the chain's own coin.
        :param is_aggregated: True sums over all addresses: one record for each asset, with `address` `""`.
        :param exclude_zero_balance: True omits balances of 0.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListAssets", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("include_tokens", include_tokens), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), options)

    def each_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_T"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        include_tokens: Optional[bool] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TAsset]:
        """Iterates over the items of all pages of ListAssets."""
        return each_item(lambda page: self._transport.call("/v1/t/ListAssets", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("include_tokens", include_tokens), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), "assets")

    def list_contracts(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> TListContractsResponse:
        """List the followed token contracts, newest first."""
        return self._transport.call("/v1/t/ListContracts", "query", _given(), options)

    def list_transfers(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TListTransfersResponse:
        """List transfers of a wallet, an address or a transaction, newest first.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only from or to this address.
        :param transaction_hash: Only of this transaction; on `t` in hex or base64.
        :param start_time: Only blocks from this Unix second on.
        :param end_time: Only blocks up to this Unix second.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListTransfers", "query", _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_transfer(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TTransfer]:
        """Iterates over the items of all pages of ListTransfers."""
        return each_item(lambda page: self._transport.call("/v1/t/ListTransfers", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "transfers")

    def refresh_asset_balances(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_T"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RefreshAssetBalancesResponse:
        """Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height.

        :param wallet_id: The wallet.
        :param address: The address.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/t/RefreshAssetBalances", "command", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type)), options)

    def register_contract(
        self,
        *,
        token_address: str,
        options: Optional[CallOptions] = None,
    ) -> RegisterContractResponse:
        """Follow a token contract from now on. Rejected if the contract does not implement its contract_type.

        :param token_address: A jetton's master, or a coin type such as `0x5::usd::USD`.
        """
        return self._transport.call("/v1/t/RegisterContract", "command", _given(("token_address", token_address)), options)

    def remove_contract(
        self,
        *,
        token_address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveContractResponse:
        """Stop following a token contract. Removing an unregistered contract changes nothing.

        :param token_address: The jetton's master, or the coin type.
        """
        return self._transport.call("/v1/t/RemoveContract", "command", _given(("token_address", token_address)), options)

    def get_statement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_T"]] = None,
        token_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TGetStatementResponse:
        """Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address; 404 if it was never registered.
        :param asset_type: Only assets of this type.
        :param token_address: Only this token.
        :param start_time: The Unix second after which blocks are part of the period.
        :param end_time: The Unix second up to which blocks are part of the period.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/GetStatement", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_statement_movement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_T"]] = None,
        token_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TMovement]:
        """Iterates over the items of all pages of GetStatement."""
        return each_item(lambda page: self._transport.call("/v1/t/GetStatement", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "movements")

    def reconcile_wallet(
        self,
        *,
        wallet_id: str,
        options: Optional[CallOptions] = None,
    ) -> TReconcileWalletResponse:
        """Compare the balances of a wallet with the node at a final block, and correct those that differ.

        :param wallet_id: The wallet.
        """
        return self._transport.call("/v1/t/ReconcileWallet", "command", _given(("wallet_id", wallet_id)), options)

    def get_import(
        self,
        *,
        import_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetImportResponse:
        """Get the state and the progress of an import.

        :param import_id: The import.
        """
        return self._transport.call("/v1/t/GetImport", "query", _given(("import_id", import_id)), options)

    def import_history(
        self,
        *,
        address: str,
        from_block: Optional[int] = None,
        from_time: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportHistoryResponse:
        """Import the transfers of an address from before its registration, in the background and without notifications.

        :param address: The address.
        :param from_block: The first block to import.
        :param from_time: The Unix second from which on to import: the first block is the last one at or before it.
        """
        return self._transport.call("/v1/t/ImportHistory", "command", _given(("address", address), ("from_block", from_block), ("from_time", from_time)), options)

    def get_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetWebhookResponse:
        """Get a webhook, including the secret that signs its deliveries.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/t/GetWebhook", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhook_headers(
        self,
        *,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHeadersResponse:
        """List the headers of a webhook, or, if none is given, the headers sent to every webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/t/ListWebhookHeaders", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhooks(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhooksResponse:
        """List the webhooks, newest first.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListWebhooks", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Webhook]:
        """Iterates over the items of all pages of ListWebhooks."""
        return each_item(lambda page: self._transport.call("/v1/t/ListWebhooks", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "webhooks")

    def register_webhook(
        self,
        *,
        webhook_endpoint: str,
        confirmation: int,
        wallet_id: Optional[str] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_T_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_T_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookResponse:
        """Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.

        :param wallet_id: Only of this wallet.
        :param webhook_endpoint: The URL of the receiver.
        :param confirmation: The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1.
        :param notification_types: A list of the types of notifications that the webhook asks for; by default that of the API's activity alone.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        """
        return self._transport.call("/v1/t/RegisterWebhook", "command", _given(("wallet_id", wallet_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final)), options)

    def register_webhook_header(
        self,
        *,
        header_key: str,
        header_value: str,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookHeaderResponse:
        """Add a header to the deliveries of a webhook, or of every webhook if none is given.

        :param webhook_id: Only for this webhook.
        :param header_key: The name of the header, an HTTP token.
        :param header_value: The value of the header, Latin-1 without control characters.
        """
        return self._transport.call("/v1/t/RegisterWebhookHeader", "command", _given(("webhook_id", webhook_id), ("header_key", header_key), ("header_value", header_value)), options)

    def remove_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookResponse:
        """Remove a webhook. Its pending deliveries are canceled.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/t/RemoveWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def remove_webhook_header(
        self,
        *,
        webhook_header_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookHeaderResponse:
        """Remove a header from deliveries.

        :param webhook_header_id: The header.
        """
        return self._transport.call("/v1/t/RemoveWebhookHeader", "command", _given(("webhook_header_id", webhook_header_id)), options)

    def rotate_webhook_secret(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RotateWebhookSecretResponse:
        """Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/t/RotateWebhookSecret", "command", _given(("webhook_id", webhook_id)), options)

    def update_webhook(
        self,
        *,
        webhook_id: str,
        webhook_endpoint: Optional[str] = None,
        confirmation: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_T_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_T_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        disabled: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> UpdateWebhookResponse:
        """Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are.

        :param webhook_id: The webhook.
        :param webhook_endpoint: The new URL of the receiver.
        :param confirmation: The new depth at which the webhook fires.
        :param notification_types: The new list of the types of notifications.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        :param disabled: `true` suspends sending immediately, `false` resumes it.
        """
        return self._transport.call("/v1/t/UpdateWebhook", "command", _given(("webhook_id", webhook_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final), ("disabled", disabled)), options)

    def list_webhook_attempts(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookAttemptsResponse:
        """List the attempts of a delivery with their outcomes, oldest first.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/t/ListWebhookAttempts", "query", _given(("webhook_history_id", webhook_history_id)), options)

    def list_webhook_histories(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHistoriesResponse:
        """List deliveries to webhooks with their outcomes, newest first.

        :param webhook_id: Only of this webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/t/ListWebhookHistories", "query", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook_history(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookHistory]:
        """Iterates over the items of all pages of ListWebhookHistories."""
        return each_item(lambda page: self._transport.call("/v1/t/ListWebhookHistories", "query", page, options), _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), "webhook_histories")

    def resend_webhook(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhookResponse:
        """Resend a delivery now. A disabled webhook is enabled again.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/t/ResendWebhook", "command", _given(("webhook_history_id", webhook_history_id)), options)

    def resend_webhooks(
        self,
        *,
        webhook_id: str,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhooksResponse:
        """Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again.

        :param webhook_id: The webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        """
        return self._transport.call("/v1/t/ResendWebhooks", "command", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status)), options)

    def send_test_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> SendTestWebhookResponse:
        """Send a test notification to a webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/t/SendTestWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def list_notifications(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_T_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_T_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ListNotificationsResponse:
        """List notifications, oldest first, and wait for new ones. No webhook is required.

        :param after: The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning.
        :param wait_seconds: The seconds to wait for the first notification if there is none.
        :param notification_types: Only notifications of these types.
        :param wallet_id: Only notifications about this wallet.
        :param page_size: The maximum number of items.
        """
        return self._transport.call("/v1/t/ListNotifications", "query", _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), options)

    def each_notification(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_T_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_T_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Notification]:
        """Iterates over the items of ListNotifications, and waits for later ones."""
        return each_item(lambda page: self._transport.call("/v1/t/ListNotifications", "query", page, options), _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), "notifications")


class SApi:
    """Operations of the API ``s``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_wallet(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SGetWalletResponse:
        """Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address.

        :param wallet_id: The wallet.
        :param address: One of its addresses.
        """
        return self._transport.call("/v1/s/GetWallet", "query", _given(("wallet_id", wallet_id), ("address", address)), options)

    def list_wallets(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SListWalletsResponse:
        """List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListWallets", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_wallet(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[SWallet]:
        """Iterates over the items of all pages of ListWallets."""
        return each_item(lambda page: self._transport.call("/v1/s/ListWallets", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "wallets")

    def register_wallet(
        self,
        *,
        name: str,
        address: Optional[str] = None,
        import_asset: Optional[bool] = None,
        confirmation: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWalletResponse:
        """Register a wallet and, optionally, its first address.

        :param name: The display name.
        :param address: Its first address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        :param confirmation: The number of required confirmations.
        """
        return self._transport.call("/v1/s/RegisterWallet", "command", _given(("name", name), ("address", address), ("import_asset", import_asset), ("confirmation", confirmation)), options)

    def update_confirmation(
        self,
        *,
        wallet_id: str,
        confirmation: int,
        options: Optional[CallOptions] = None,
    ) -> UpdateConfirmationResponse:
        """Change the number of confirmations after which the balances of a wallet are updated.

        :param wallet_id: The wallet.
        :param confirmation: The number of required confirmations.
        """
        return self._transport.call("/v1/s/UpdateConfirmation", "command", _given(("wallet_id", wallet_id), ("confirmation", confirmation)), options)

    def batch_register_addresses(
        self,
        *,
        wallet_id: str,
        addresses: list[str],
        options: Optional[CallOptions] = None,
    ) -> BatchRegisterAddressesResponse:
        """Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds.

        :param wallet_id: The wallet.
        :param addresses: The addresses; duplicates count once.
        """
        return self._transport.call("/v1/s/BatchRegisterAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses)), options)

    def batch_remove_addresses(
        self,
        *,
        wallet_id: str,
        addresses: Optional[list[str]] = None,
        remove_all: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> BatchRemoveAddressesResponse:
        """Remove up to 1000 addresses at once, or every address of the wallet with remove_all.

        :param wallet_id: The wallet.
        :param addresses: The addresses; required unless `remove_all` is true.
        :param remove_all: True removes every address and overrides `addresses`.
        """
        return self._transport.call("/v1/s/BatchRemoveAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses), ("remove_all", remove_all)), options)

    def get_address(
        self,
        *,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> SGetAddressResponse:
        """Find the wallet that holds an address.

        :param address: The address.
        """
        return self._transport.call("/v1/s/GetAddress", "query", _given(("address", address)), options)

    def list_addresses(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SListAddressesResponse:
        """List the addresses of a wallet, or of all wallets, newest first.

        :param wallet_id: Only of this wallet.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListAddresses", "query", _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_address(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[SAddress]:
        """Iterates over the items of all pages of ListAddresses."""
        return each_item(lambda page: self._transport.call("/v1/s/ListAddresses", "query", page, options), _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), "addresses")

    def register_address(
        self,
        *,
        wallet_id: str,
        address: str,
        import_asset: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterAddressResponse:
        """Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected.

        :param wallet_id: The wallet.
        :param address: The address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        """
        return self._transport.call("/v1/s/RegisterAddress", "command", _given(("wallet_id", wallet_id), ("address", address), ("import_asset", import_asset)), options)

    def remove_address(
        self,
        *,
        wallet_id: str,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveAddressResponse:
        """Stop tracking an address. Removing an address that the wallet does not hold changes nothing.

        :param wallet_id: The wallet.
        :param address: The address.
        """
        return self._transport.call("/v1/s/RemoveAddress", "command", _given(("wallet_id", wallet_id), ("address", address)), options)

    def get_balance_refresh(
        self,
        *,
        wallet_id: str,
        asset_type: Literal["ASSET_TYPE_S"],
        options: Optional[CallOptions] = None,
    ) -> SGetBalanceRefreshResponse:
        """Get the progress of a running RefreshAssetBalances: addresses read and in total.

        :param wallet_id: The wallet.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/s/GetBalanceRefresh", "query", _given(("wallet_id", wallet_id), ("asset_type", asset_type)), options)

    def import_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_S"],
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        token_account_address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportAssetResponse:
        """Read the balance of an address now. With token_address, also follow that token at the address from now on.

        :param address: The address; also required on `t` and `s` unless `token_account_address` determines the owner.
        :param asset_type: The type of assets.
        :param token_address: A jetton's master, or a coin type such as `0x5::usd::USD`.
        :param token_account_address: The jetton wallet, or a coin object; it must belong to the address.
        """
        return self._transport.call("/v1/s/ImportAsset", "command", _given(("address", address), ("asset_type", asset_type), ("token_address", token_address), ("token_account_address", token_account_address)), options)

    def list_assets(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_S"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        include_tokens: Optional[bool] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SListAssetsResponse:
        """List balances of one asset type, per address or summed over all addresses.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address.
        :param asset_type: The type of assets.
        :param token_address: This imported or registered token instead of the chain's own coin.
        :param include_tokens: All imported and registered tokens beside the chain's own coin.
        :param is_aggregated: True sums over all addresses: one record for each asset, with `address` `""`.
        :param exclude_zero_balance: True omits balances of 0.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListAssets", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("include_tokens", include_tokens), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), options)

    def each_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_S"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        token_address: Optional[str] = None,
        include_tokens: Optional[bool] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[SAsset]:
        """Iterates over the items of all pages of ListAssets."""
        return each_item(lambda page: self._transport.call("/v1/s/ListAssets", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("include_tokens", include_tokens), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), "assets")

    def list_contracts(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> SListContractsResponse:
        """List the followed token contracts, newest first."""
        return self._transport.call("/v1/s/ListContracts", "query", _given(), options)

    def list_transfers(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_digest: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SListTransfersResponse:
        """List transfers of a wallet, an address or a transaction, newest first.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only from or to this address.
        :param transaction_digest: Only of this transaction.
        :param start_time: Only blocks from this Unix second on.
        :param end_time: Only blocks up to this Unix second.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListTransfers", "query", _given(("wallet_id", wallet_id), ("address", address), ("transaction_digest", transaction_digest), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_transfer(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_digest: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[STransfer]:
        """Iterates over the items of all pages of ListTransfers."""
        return each_item(lambda page: self._transport.call("/v1/s/ListTransfers", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("transaction_digest", transaction_digest), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "transfers")

    def refresh_asset_balances(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_S"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RefreshAssetBalancesResponse:
        """Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height.

        :param wallet_id: The wallet.
        :param address: The address.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/s/RefreshAssetBalances", "command", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type)), options)

    def register_contract(
        self,
        *,
        token_address: str,
        options: Optional[CallOptions] = None,
    ) -> RegisterContractResponse:
        """Follow a token contract from now on. Rejected if the contract does not implement its contract_type.

        :param token_address: A jetton's master, or a coin type such as `0x5::usd::USD`.
        """
        return self._transport.call("/v1/s/RegisterContract", "command", _given(("token_address", token_address)), options)

    def remove_contract(
        self,
        *,
        token_address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveContractResponse:
        """Stop following a token contract. Removing an unregistered contract changes nothing.

        :param token_address: The jetton's master, or the coin type.
        """
        return self._transport.call("/v1/s/RemoveContract", "command", _given(("token_address", token_address)), options)

    def get_statement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_S"]] = None,
        token_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SGetStatementResponse:
        """Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address; 404 if it was never registered.
        :param asset_type: Only assets of this type.
        :param token_address: Only this token.
        :param start_time: The Unix second after which blocks are part of the period.
        :param end_time: The Unix second up to which blocks are part of the period.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/GetStatement", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_statement_movement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_S"]] = None,
        token_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[SMovement]:
        """Iterates over the items of all pages of GetStatement."""
        return each_item(lambda page: self._transport.call("/v1/s/GetStatement", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("token_address", token_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "movements")

    def reconcile_wallet(
        self,
        *,
        wallet_id: str,
        options: Optional[CallOptions] = None,
    ) -> SReconcileWalletResponse:
        """Compare the balances of a wallet with the node at a final block, and correct those that differ.

        :param wallet_id: The wallet.
        """
        return self._transport.call("/v1/s/ReconcileWallet", "command", _given(("wallet_id", wallet_id)), options)

    def get_import(
        self,
        *,
        import_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetImportResponse:
        """Get the state and the progress of an import.

        :param import_id: The import.
        """
        return self._transport.call("/v1/s/GetImport", "query", _given(("import_id", import_id)), options)

    def import_history(
        self,
        *,
        address: str,
        from_block: Optional[int] = None,
        from_time: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportHistoryResponse:
        """Import the transfers of an address from before its registration, in the background and without notifications.

        :param address: The address.
        :param from_block: The first block to import.
        :param from_time: The Unix second from which on to import: the first block is the last one at or before it.
        """
        return self._transport.call("/v1/s/ImportHistory", "command", _given(("address", address), ("from_block", from_block), ("from_time", from_time)), options)

    def get_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetWebhookResponse:
        """Get a webhook, including the secret that signs its deliveries.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/s/GetWebhook", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhook_headers(
        self,
        *,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHeadersResponse:
        """List the headers of a webhook, or, if none is given, the headers sent to every webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/s/ListWebhookHeaders", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhooks(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhooksResponse:
        """List the webhooks, newest first.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListWebhooks", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Webhook]:
        """Iterates over the items of all pages of ListWebhooks."""
        return each_item(lambda page: self._transport.call("/v1/s/ListWebhooks", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "webhooks")

    def register_webhook(
        self,
        *,
        webhook_endpoint: str,
        confirmation: int,
        wallet_id: Optional[str] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_S_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_S_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookResponse:
        """Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.

        :param wallet_id: Only of this wallet.
        :param webhook_endpoint: The URL of the receiver.
        :param confirmation: The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1.
        :param notification_types: A list of the types of notifications that the webhook asks for; by default that of the API's activity alone.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        """
        return self._transport.call("/v1/s/RegisterWebhook", "command", _given(("wallet_id", wallet_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final)), options)

    def register_webhook_header(
        self,
        *,
        header_key: str,
        header_value: str,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookHeaderResponse:
        """Add a header to the deliveries of a webhook, or of every webhook if none is given.

        :param webhook_id: Only for this webhook.
        :param header_key: The name of the header, an HTTP token.
        :param header_value: The value of the header, Latin-1 without control characters.
        """
        return self._transport.call("/v1/s/RegisterWebhookHeader", "command", _given(("webhook_id", webhook_id), ("header_key", header_key), ("header_value", header_value)), options)

    def remove_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookResponse:
        """Remove a webhook. Its pending deliveries are canceled.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/s/RemoveWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def remove_webhook_header(
        self,
        *,
        webhook_header_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookHeaderResponse:
        """Remove a header from deliveries.

        :param webhook_header_id: The header.
        """
        return self._transport.call("/v1/s/RemoveWebhookHeader", "command", _given(("webhook_header_id", webhook_header_id)), options)

    def rotate_webhook_secret(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RotateWebhookSecretResponse:
        """Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/s/RotateWebhookSecret", "command", _given(("webhook_id", webhook_id)), options)

    def update_webhook(
        self,
        *,
        webhook_id: str,
        webhook_endpoint: Optional[str] = None,
        confirmation: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_S_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_S_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        disabled: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> UpdateWebhookResponse:
        """Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are.

        :param webhook_id: The webhook.
        :param webhook_endpoint: The new URL of the receiver.
        :param confirmation: The new depth at which the webhook fires.
        :param notification_types: The new list of the types of notifications.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        :param disabled: `true` suspends sending immediately, `false` resumes it.
        """
        return self._transport.call("/v1/s/UpdateWebhook", "command", _given(("webhook_id", webhook_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final), ("disabled", disabled)), options)

    def list_webhook_attempts(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookAttemptsResponse:
        """List the attempts of a delivery with their outcomes, oldest first.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/s/ListWebhookAttempts", "query", _given(("webhook_history_id", webhook_history_id)), options)

    def list_webhook_histories(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHistoriesResponse:
        """List deliveries to webhooks with their outcomes, newest first.

        :param webhook_id: Only of this webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/s/ListWebhookHistories", "query", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook_history(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookHistory]:
        """Iterates over the items of all pages of ListWebhookHistories."""
        return each_item(lambda page: self._transport.call("/v1/s/ListWebhookHistories", "query", page, options), _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), "webhook_histories")

    def resend_webhook(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhookResponse:
        """Resend a delivery now. A disabled webhook is enabled again.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/s/ResendWebhook", "command", _given(("webhook_history_id", webhook_history_id)), options)

    def resend_webhooks(
        self,
        *,
        webhook_id: str,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhooksResponse:
        """Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again.

        :param webhook_id: The webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        """
        return self._transport.call("/v1/s/ResendWebhooks", "command", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status)), options)

    def send_test_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> SendTestWebhookResponse:
        """Send a test notification to a webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/s/SendTestWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def list_notifications(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_S_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_S_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ListNotificationsResponse:
        """List notifications, oldest first, and wait for new ones. No webhook is required.

        :param after: The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning.
        :param wait_seconds: The seconds to wait for the first notification if there is none.
        :param notification_types: Only notifications of these types.
        :param wallet_id: Only notifications about this wallet.
        :param page_size: The maximum number of items.
        """
        return self._transport.call("/v1/s/ListNotifications", "query", _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), options)

    def each_notification(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_S_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_S_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Notification]:
        """Iterates over the items of ListNotifications, and waits for later ones."""
        return each_item(lambda page: self._transport.call("/v1/s/ListNotifications", "query", page, options), _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), "notifications")


class PApi:
    """Operations of the API ``p``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_wallet(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PGetWalletResponse:
        """Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address.

        :param wallet_id: The wallet.
        :param address: One of its addresses.
        """
        return self._transport.call("/v1/p/GetWallet", "query", _given(("wallet_id", wallet_id), ("address", address)), options)

    def list_wallets(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PListWalletsResponse:
        """List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListWallets", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_wallet(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PWallet]:
        """Iterates over the items of all pages of ListWallets."""
        return each_item(lambda page: self._transport.call("/v1/p/ListWallets", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "wallets")

    def register_wallet(
        self,
        *,
        name: str,
        address: Optional[str] = None,
        import_asset: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWalletResponse:
        """Register a wallet and, optionally, its first address.

        :param name: The display name.
        :param address: Its first address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        """
        return self._transport.call("/v1/p/RegisterWallet", "command", _given(("name", name), ("address", address), ("import_asset", import_asset)), options)

    def batch_register_addresses(
        self,
        *,
        wallet_id: str,
        addresses: list[str],
        options: Optional[CallOptions] = None,
    ) -> BatchRegisterAddressesResponse:
        """Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds.

        :param wallet_id: The wallet.
        :param addresses: The addresses; duplicates count once.
        """
        return self._transport.call("/v1/p/BatchRegisterAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses)), options)

    def batch_remove_addresses(
        self,
        *,
        wallet_id: str,
        addresses: Optional[list[str]] = None,
        remove_all: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> BatchRemoveAddressesResponse:
        """Remove up to 1000 addresses at once, or every address of the wallet with remove_all.

        :param wallet_id: The wallet.
        :param addresses: The addresses; required unless `remove_all` is true.
        :param remove_all: True removes every address and overrides `addresses`.
        """
        return self._transport.call("/v1/p/BatchRemoveAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses), ("remove_all", remove_all)), options)

    def list_addresses(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PListAddressesResponse:
        """List the addresses of a wallet, or of all wallets, newest first.

        :param wallet_id: Only of this wallet.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListAddresses", "query", _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_address(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PAddress]:
        """Iterates over the items of all pages of ListAddresses."""
        return each_item(lambda page: self._transport.call("/v1/p/ListAddresses", "query", page, options), _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), "addresses")

    def register_address(
        self,
        *,
        wallet_id: str,
        address: str,
        import_asset: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterAddressResponse:
        """Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected.

        :param wallet_id: The wallet.
        :param address: The address.
        :param import_asset: Also reads the address's current balance, so that its earlier funds count.
        """
        return self._transport.call("/v1/p/RegisterAddress", "command", _given(("wallet_id", wallet_id), ("address", address), ("import_asset", import_asset)), options)

    def remove_address(
        self,
        *,
        wallet_id: str,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveAddressResponse:
        """Stop tracking an address. Removing an address that the wallet does not hold changes nothing.

        :param wallet_id: The wallet.
        :param address: The address.
        """
        return self._transport.call("/v1/p/RemoveAddress", "command", _given(("wallet_id", wallet_id), ("address", address)), options)

    def get_balance_refresh(
        self,
        *,
        wallet_id: str,
        asset_type: Literal["ASSET_TYPE_P"],
        options: Optional[CallOptions] = None,
    ) -> PGetBalanceRefreshResponse:
        """Get the progress of a running RefreshAssetBalances: addresses read and in total.

        :param wallet_id: The wallet.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/p/GetBalanceRefresh", "query", _given(("wallet_id", wallet_id), ("asset_type", asset_type)), options)

    def import_asset(
        self,
        *,
        address: str,
        asset_type: Literal["ASSET_TYPE_P"],
        options: Optional[CallOptions] = None,
    ) -> ImportAssetResponse:
        """Read the balance of an address now. With token_address, also follow that token at the address from now on.

        :param address: The address; also required on `t` and `s` unless `token_account_address` determines the owner.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/p/ImportAsset", "command", _given(("address", address), ("asset_type", asset_type)), options)

    def list_assets(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_P"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PListAssetsResponse:
        """List balances of one asset type, per address or summed over all addresses.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address.
        :param asset_type: The type of assets.
        :param is_aggregated: True sums over all addresses: one record for each asset, with `address` `""`.
        :param exclude_zero_balance: True omits balances of 0.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListAssets", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), options)

    def each_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_P"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PAsset]:
        """Iterates over the items of all pages of ListAssets."""
        return each_item(lambda page: self._transport.call("/v1/p/ListAssets", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), "assets")

    def list_transfers(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PListTransfersResponse:
        """List transfers of a wallet, an address or a transaction, newest first.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only from or to this address.
        :param transaction_hash: Only of this transaction; on `t` in hex or base64.
        :param start_time: Only blocks from this Unix second on.
        :param end_time: Only blocks up to this Unix second.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListTransfers", "query", _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_transfer(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PTransfer]:
        """Iterates over the items of all pages of ListTransfers."""
        return each_item(lambda page: self._transport.call("/v1/p/ListTransfers", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "transfers")

    def refresh_asset_balances(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_P"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RefreshAssetBalancesResponse:
        """Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height.

        :param wallet_id: The wallet.
        :param address: The address.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/p/RefreshAssetBalances", "command", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type)), options)

    def get_statement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_P"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> PGetStatementResponse:
        """Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address; 404 if it was never registered.
        :param asset_type: Only assets of this type.
        :param start_time: The Unix second after which blocks are part of the period.
        :param end_time: The Unix second up to which blocks are part of the period.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/GetStatement", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_statement_movement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_P"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PMovement]:
        """Iterates over the items of all pages of GetStatement."""
        return each_item(lambda page: self._transport.call("/v1/p/GetStatement", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "movements")

    def reconcile_wallet(
        self,
        *,
        wallet_id: str,
        options: Optional[CallOptions] = None,
    ) -> PReconcileWalletResponse:
        """Compare the balances of a wallet with the node at a final block, and correct those that differ.

        :param wallet_id: The wallet.
        """
        return self._transport.call("/v1/p/ReconcileWallet", "command", _given(("wallet_id", wallet_id)), options)

    def get_import(
        self,
        *,
        import_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetImportResponse:
        """Get the state and the progress of an import.

        :param import_id: The import.
        """
        return self._transport.call("/v1/p/GetImport", "query", _given(("import_id", import_id)), options)

    def import_history(
        self,
        *,
        address: str,
        from_block: Optional[int] = None,
        from_time: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportHistoryResponse:
        """Import the transfers of an address from before its registration, in the background and without notifications.

        :param address: The address.
        :param from_block: The first block to import.
        :param from_time: The Unix second from which on to import: the first block is the last one at or before it.
        """
        return self._transport.call("/v1/p/ImportHistory", "command", _given(("address", address), ("from_block", from_block), ("from_time", from_time)), options)

    def get_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetWebhookResponse:
        """Get a webhook, including the secret that signs its deliveries.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/p/GetWebhook", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhook_headers(
        self,
        *,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHeadersResponse:
        """List the headers of a webhook, or, if none is given, the headers sent to every webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/p/ListWebhookHeaders", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhooks(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhooksResponse:
        """List the webhooks, newest first.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListWebhooks", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Webhook]:
        """Iterates over the items of all pages of ListWebhooks."""
        return each_item(lambda page: self._transport.call("/v1/p/ListWebhooks", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "webhooks")

    def register_webhook(
        self,
        *,
        webhook_endpoint: str,
        confirmation: int,
        wallet_id: Optional[str] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_P_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_P_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookResponse:
        """Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.

        :param wallet_id: Only of this wallet.
        :param webhook_endpoint: The URL of the receiver.
        :param confirmation: The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1.
        :param notification_types: A list of the types of notifications that the webhook asks for; by default that of the API's activity alone.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        """
        return self._transport.call("/v1/p/RegisterWebhook", "command", _given(("wallet_id", wallet_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final)), options)

    def register_webhook_header(
        self,
        *,
        header_key: str,
        header_value: str,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookHeaderResponse:
        """Add a header to the deliveries of a webhook, or of every webhook if none is given.

        :param webhook_id: Only for this webhook.
        :param header_key: The name of the header, an HTTP token.
        :param header_value: The value of the header, Latin-1 without control characters.
        """
        return self._transport.call("/v1/p/RegisterWebhookHeader", "command", _given(("webhook_id", webhook_id), ("header_key", header_key), ("header_value", header_value)), options)

    def remove_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookResponse:
        """Remove a webhook. Its pending deliveries are canceled.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/p/RemoveWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def remove_webhook_header(
        self,
        *,
        webhook_header_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookHeaderResponse:
        """Remove a header from deliveries.

        :param webhook_header_id: The header.
        """
        return self._transport.call("/v1/p/RemoveWebhookHeader", "command", _given(("webhook_header_id", webhook_header_id)), options)

    def rotate_webhook_secret(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RotateWebhookSecretResponse:
        """Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/p/RotateWebhookSecret", "command", _given(("webhook_id", webhook_id)), options)

    def update_webhook(
        self,
        *,
        webhook_id: str,
        webhook_endpoint: Optional[str] = None,
        confirmation: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_P_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_P_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        disabled: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> UpdateWebhookResponse:
        """Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are.

        :param webhook_id: The webhook.
        :param webhook_endpoint: The new URL of the receiver.
        :param confirmation: The new depth at which the webhook fires.
        :param notification_types: The new list of the types of notifications.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        :param disabled: `true` suspends sending immediately, `false` resumes it.
        """
        return self._transport.call("/v1/p/UpdateWebhook", "command", _given(("webhook_id", webhook_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final), ("disabled", disabled)), options)

    def list_webhook_attempts(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookAttemptsResponse:
        """List the attempts of a delivery with their outcomes, oldest first.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/p/ListWebhookAttempts", "query", _given(("webhook_history_id", webhook_history_id)), options)

    def list_webhook_histories(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHistoriesResponse:
        """List deliveries to webhooks with their outcomes, newest first.

        :param webhook_id: Only of this webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/p/ListWebhookHistories", "query", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook_history(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookHistory]:
        """Iterates over the items of all pages of ListWebhookHistories."""
        return each_item(lambda page: self._transport.call("/v1/p/ListWebhookHistories", "query", page, options), _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), "webhook_histories")

    def resend_webhook(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhookResponse:
        """Resend a delivery now. A disabled webhook is enabled again.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/p/ResendWebhook", "command", _given(("webhook_history_id", webhook_history_id)), options)

    def resend_webhooks(
        self,
        *,
        webhook_id: str,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhooksResponse:
        """Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again.

        :param webhook_id: The webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        """
        return self._transport.call("/v1/p/ResendWebhooks", "command", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status)), options)

    def send_test_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> SendTestWebhookResponse:
        """Send a test notification to a webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/p/SendTestWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def list_notifications(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_P_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_P_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ListNotificationsResponse:
        """List notifications, oldest first, and wait for new ones. No webhook is required.

        :param after: The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning.
        :param wait_seconds: The seconds to wait for the first notification if there is none.
        :param notification_types: Only notifications of these types.
        :param wallet_id: Only notifications about this wallet.
        :param page_size: The maximum number of items.
        """
        return self._transport.call("/v1/p/ListNotifications", "query", _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), options)

    def each_notification(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_P_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_P_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Notification]:
        """Iterates over the items of ListNotifications, and waits for later ones."""
        return each_item(lambda page: self._transport.call("/v1/p/ListNotifications", "query", page, options), _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), "notifications")


class CApi:
    """Operations of the API ``c``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_wallet(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CGetWalletResponse:
        """Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address.

        :param wallet_id: The wallet.
        :param address: One of its addresses.
        """
        return self._transport.call("/v1/c/GetWallet", "query", _given(("wallet_id", wallet_id), ("address", address)), options)

    def list_wallets(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CListWalletsResponse:
        """List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListWallets", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_wallet(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[CWallet]:
        """Iterates over the items of all pages of ListWallets."""
        return each_item(lambda page: self._transport.call("/v1/c/ListWallets", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "wallets")

    def register_wallet(
        self,
        *,
        name: str,
        address: Optional[str] = None,
        confirmation: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWalletResponse:
        """Register a wallet and, optionally, its first address.

        :param name: The display name.
        :param address: Its first address.
        :param confirmation: The number of required confirmations.
        """
        return self._transport.call("/v1/c/RegisterWallet", "command", _given(("name", name), ("address", address), ("confirmation", confirmation)), options)

    def update_confirmation(
        self,
        *,
        wallet_id: str,
        confirmation: int,
        options: Optional[CallOptions] = None,
    ) -> UpdateConfirmationResponse:
        """Change the number of confirmations after which the balances of a wallet are updated.

        :param wallet_id: The wallet.
        :param confirmation: The number of required confirmations.
        """
        return self._transport.call("/v1/c/UpdateConfirmation", "command", _given(("wallet_id", wallet_id), ("confirmation", confirmation)), options)

    def batch_register_addresses(
        self,
        *,
        wallet_id: str,
        addresses: list[str],
        options: Optional[CallOptions] = None,
    ) -> BatchRegisterAddressesResponse:
        """Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds.

        :param wallet_id: The wallet.
        :param addresses: The addresses; duplicates count once.
        """
        return self._transport.call("/v1/c/BatchRegisterAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses)), options)

    def batch_remove_addresses(
        self,
        *,
        wallet_id: str,
        addresses: Optional[list[str]] = None,
        remove_all: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> BatchRemoveAddressesResponse:
        """Remove up to 1000 addresses at once, or every address of the wallet with remove_all.

        :param wallet_id: The wallet.
        :param addresses: The addresses; required unless `remove_all` is true.
        :param remove_all: True removes every address and overrides `addresses`.
        """
        return self._transport.call("/v1/c/BatchRemoveAddresses", "command", _given(("wallet_id", wallet_id), ("addresses", addresses), ("remove_all", remove_all)), options)

    def list_addresses(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CListAddressesResponse:
        """List the addresses of a wallet, or of all wallets, newest first.

        :param wallet_id: Only of this wallet.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListAddresses", "query", _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_address(
        self,
        *,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[CAddress]:
        """Iterates over the items of all pages of ListAddresses."""
        return each_item(lambda page: self._transport.call("/v1/c/ListAddresses", "query", page, options), _given(("wallet_id", wallet_id), ("page_size", page_size), ("page_token", page_token)), "addresses")

    def register_address(
        self,
        *,
        wallet_id: str,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> RegisterAddressResponse:
        """Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected.

        :param wallet_id: The wallet.
        :param address: The address.
        """
        return self._transport.call("/v1/c/RegisterAddress", "command", _given(("wallet_id", wallet_id), ("address", address)), options)

    def remove_address(
        self,
        *,
        wallet_id: str,
        address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveAddressResponse:
        """Stop tracking an address. Removing an address that the wallet does not hold changes nothing.

        :param wallet_id: The wallet.
        :param address: The address.
        """
        return self._transport.call("/v1/c/RemoveAddress", "command", _given(("wallet_id", wallet_id), ("address", address)), options)

    def get_balance_refresh(
        self,
        *,
        wallet_id: str,
        asset_type: Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"],
        options: Optional[CallOptions] = None,
    ) -> CGetBalanceRefreshResponse:
        """Get the progress of a running RefreshAssetBalances: addresses read and in total.

        :param wallet_id: The wallet.
        :param asset_type: The type of assets.
        """
        return self._transport.call("/v1/c/GetBalanceRefresh", "query", _given(("wallet_id", wallet_id), ("asset_type", asset_type)), options)

    def list_assets(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        contract_address: Optional[str] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CListAssetsResponse:
        """List balances of one asset type, per address or summed over all addresses.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address.
        :param asset_type: The type of assets.
        :param contract_address: Only tokens of this contract.
        :param is_aggregated: True sums over all addresses: one record for each asset, with `address` `""`.
        :param exclude_zero_balance: True omits balances of 0.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListAssets", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("contract_address", contract_address), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), options)

    def each_asset(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        contract_address: Optional[str] = None,
        is_aggregated: Optional[bool] = None,
        exclude_zero_balance: Optional[bool] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[CAsset]:
        """Iterates over the items of all pages of ListAssets."""
        return each_item(lambda page: self._transport.call("/v1/c/ListAssets", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("contract_address", contract_address), ("is_aggregated", is_aggregated), ("exclude_zero_balance", exclude_zero_balance), ("page_size", page_size), ("page_token", page_token)), "assets")

    def list_contracts(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> CListContractsResponse:
        """List the followed token contracts, newest first."""
        return self._transport.call("/v1/c/ListContracts", "query", _given(), options)

    def list_transfers(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CListTransfersResponse:
        """List transfers of a wallet, an address or a transaction, newest first.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only from or to this address.
        :param transaction_hash: Only of this transaction; on `t` in hex or base64.
        :param start_time: Only blocks from this Unix second on.
        :param end_time: Only blocks up to this Unix second.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListTransfers", "query", _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_transfer(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[CTransfer]:
        """Iterates over the items of all pages of ListTransfers."""
        return each_item(lambda page: self._transport.call("/v1/c/ListTransfers", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("transaction_hash", transaction_hash), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "transfers")

    def refresh_asset_balances(
        self,
        *,
        asset_type: Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"],
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        from_block: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> RefreshAssetBalancesResponse:
        """Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height.

        :param wallet_id: The wallet.
        :param address: The address.
        :param asset_type: The type of assets.
        :param from_block: The first block whose logs are looked through for received tokens.
        """
        return self._transport.call("/v1/c/RefreshAssetBalances", "command", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("from_block", from_block)), options)

    def register_contract(
        self,
        *,
        contract_address: str,
        contract_type: Literal["CONTRACT_TYPE_ERC20", "CONTRACT_TYPE_ERC721", "CONTRACT_TYPE_ERC1155"],
        options: Optional[CallOptions] = None,
    ) -> RegisterContractResponse:
        """Follow a token contract from now on. Rejected if the contract does not implement its contract_type.

        :param contract_address: The token contract.
        :param contract_type: The standard of the contract.
        """
        return self._transport.call("/v1/c/RegisterContract", "command", _given(("contract_address", contract_address), ("contract_type", contract_type)), options)

    def remove_contract(
        self,
        *,
        contract_address: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveContractResponse:
        """Stop following a token contract. Removing an unregistered contract changes nothing.

        :param contract_address: The token contract.
        """
        return self._transport.call("/v1/c/RemoveContract", "command", _given(("contract_address", contract_address)), options)

    def get_statement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"]] = None,
        contract_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CGetStatementResponse:
        """Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference.

        :param wallet_id: Only of this wallet; 404 if it does not exist.
        :param address: Only of this address; 404 if it was never registered.
        :param asset_type: Only assets of this type.
        :param contract_address: Only tokens of this contract.
        :param start_time: The Unix second after which blocks are part of the period.
        :param end_time: The Unix second up to which blocks are part of the period.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/GetStatement", "query", _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("contract_address", contract_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), options)

    def each_statement_movement(
        self,
        *,
        start_time: int,
        end_time: int,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        asset_type: Optional[Literal["ASSET_TYPE_C", "ASSET_TYPE_ERC20", "ASSET_TYPE_ERC721", "ASSET_TYPE_ERC1155"]] = None,
        contract_address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[CMovement]:
        """Iterates over the items of all pages of GetStatement."""
        return each_item(lambda page: self._transport.call("/v1/c/GetStatement", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("asset_type", asset_type), ("contract_address", contract_address), ("start_time", start_time), ("end_time", end_time), ("page_size", page_size), ("page_token", page_token)), "movements")

    def reconcile_wallet(
        self,
        *,
        wallet_id: str,
        options: Optional[CallOptions] = None,
    ) -> CReconcileWalletResponse:
        """Compare the balances of a wallet with the node at a final block, and correct those that differ.

        :param wallet_id: The wallet.
        """
        return self._transport.call("/v1/c/ReconcileWallet", "command", _given(("wallet_id", wallet_id)), options)

    def get_import(
        self,
        *,
        import_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetImportResponse:
        """Get the state and the progress of an import.

        :param import_id: The import.
        """
        return self._transport.call("/v1/c/GetImport", "query", _given(("import_id", import_id)), options)

    def import_history(
        self,
        *,
        address: str,
        from_block: Optional[int] = None,
        from_time: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ImportHistoryResponse:
        """Import the transfers of an address from before its registration, in the background and without notifications.

        :param address: The address.
        :param from_block: The first block to import.
        :param from_time: The Unix second from which on to import: the first block is the last one at or before it.
        """
        return self._transport.call("/v1/c/ImportHistory", "command", _given(("address", address), ("from_block", from_block), ("from_time", from_time)), options)

    def get_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetWebhookResponse:
        """Get a webhook, including the secret that signs its deliveries.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/c/GetWebhook", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhook_headers(
        self,
        *,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHeadersResponse:
        """List the headers of a webhook, or, if none is given, the headers sent to every webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/c/ListWebhookHeaders", "query", _given(("webhook_id", webhook_id)), options)

    def list_webhooks(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhooksResponse:
        """List the webhooks, newest first.

        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListWebhooks", "query", _given(("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Webhook]:
        """Iterates over the items of all pages of ListWebhooks."""
        return each_item(lambda page: self._transport.call("/v1/c/ListWebhooks", "query", page, options), _given(("page_size", page_size), ("page_token", page_token)), "webhooks")

    def register_webhook(
        self,
        *,
        webhook_endpoint: str,
        confirmation: int,
        wallet_id: Optional[str] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookResponse:
        """Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.

        :param wallet_id: Only of this wallet.
        :param webhook_endpoint: The URL of the receiver.
        :param confirmation: The depth at which the webhook fires (blocks; checkpoints on `s`); 0 is the same as 1.
        :param notification_types: A list of the types of notifications that the webhook asks for; by default that of the API's activity alone.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        """
        return self._transport.call("/v1/c/RegisterWebhook", "command", _given(("wallet_id", wallet_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final)), options)

    def register_webhook_header(
        self,
        *,
        header_key: str,
        header_value: str,
        webhook_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> RegisterWebhookHeaderResponse:
        """Add a header to the deliveries of a webhook, or of every webhook if none is given.

        :param webhook_id: Only for this webhook.
        :param header_key: The name of the header, an HTTP token.
        :param header_value: The value of the header, Latin-1 without control characters.
        """
        return self._transport.call("/v1/c/RegisterWebhookHeader", "command", _given(("webhook_id", webhook_id), ("header_key", header_key), ("header_value", header_value)), options)

    def remove_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookResponse:
        """Remove a webhook. Its pending deliveries are canceled.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/c/RemoveWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def remove_webhook_header(
        self,
        *,
        webhook_header_id: str,
        options: Optional[CallOptions] = None,
    ) -> RemoveWebhookHeaderResponse:
        """Remove a header from deliveries.

        :param webhook_header_id: The header.
        """
        return self._transport.call("/v1/c/RemoveWebhookHeader", "command", _given(("webhook_header_id", webhook_header_id)), options)

    def rotate_webhook_secret(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> RotateWebhookSecretResponse:
        """Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/c/RotateWebhookSecret", "command", _given(("webhook_id", webhook_id)), options)

    def update_webhook(
        self,
        *,
        webhook_id: str,
        webhook_endpoint: Optional[str] = None,
        confirmation: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED"]]] = None,
        final: Optional[bool] = None,
        disabled: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> UpdateWebhookResponse:
        """Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are.

        :param webhook_id: The webhook.
        :param webhook_endpoint: The new URL of the receiver.
        :param confirmation: The new depth at which the webhook fires.
        :param notification_types: The new list of the types of notifications.
        :param final: Whether a transfer that was notified as pending is notified once more when it is confirmed.
        :param disabled: `true` suspends sending immediately, `false` resumes it.
        """
        return self._transport.call("/v1/c/UpdateWebhook", "command", _given(("webhook_id", webhook_id), ("webhook_endpoint", webhook_endpoint), ("confirmation", confirmation), ("notification_types", notification_types), ("final", final), ("disabled", disabled)), options)

    def list_webhook_attempts(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookAttemptsResponse:
        """List the attempts of a delivery with their outcomes, oldest first.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/c/ListWebhookAttempts", "query", _given(("webhook_history_id", webhook_history_id)), options)

    def list_webhook_histories(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListWebhookHistoriesResponse:
        """List deliveries to webhooks with their outcomes, newest first.

        :param webhook_id: Only of this webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListWebhookHistories", "query", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), options)

    def each_webhook_history(
        self,
        *,
        webhook_id: Optional[str] = None,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookHistory]:
        """Iterates over the items of all pages of ListWebhookHistories."""
        return each_item(lambda page: self._transport.call("/v1/c/ListWebhookHistories", "query", page, options), _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status), ("page_size", page_size), ("page_token", page_token)), "webhook_histories")

    def resend_webhook(
        self,
        *,
        webhook_history_id: str,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhookResponse:
        """Resend a delivery now. A disabled webhook is enabled again.

        :param webhook_history_id: The notification.
        """
        return self._transport.call("/v1/c/ResendWebhook", "command", _given(("webhook_history_id", webhook_history_id)), options)

    def resend_webhooks(
        self,
        *,
        webhook_id: str,
        start_time: Optional[int] = None,
        end_time: Optional[int] = None,
        webhook_status: Optional[Literal["WEBHOOK_STATUS_PENDING", "WEBHOOK_STATUS_RETRYING", "WEBHOOK_STATUS_COMPLETED", "WEBHOOK_STATUS_FAILED", "WEBHOOK_STATUS_CANCELED"]] = None,
        options: Optional[CallOptions] = None,
    ) -> ResendWebhooksResponse:
        """Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again.

        :param webhook_id: The webhook.
        :param start_time: Only from this Unix second on.
        :param end_time: Only up to this Unix second.
        :param webhook_status: Only with this status.
        """
        return self._transport.call("/v1/c/ResendWebhooks", "command", _given(("webhook_id", webhook_id), ("start_time", start_time), ("end_time", end_time), ("webhook_status", webhook_status)), options)

    def send_test_webhook(
        self,
        *,
        webhook_id: str,
        options: Optional[CallOptions] = None,
    ) -> SendTestWebhookResponse:
        """Send a test notification to a webhook.

        :param webhook_id: The webhook.
        """
        return self._transport.call("/v1/c/SendTestWebhook", "command", _given(("webhook_id", webhook_id)), options)

    def list_notifications(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ListNotificationsResponse:
        """List notifications, oldest first, and wait for new ones. No webhook is required.

        :param after: The place after which to list: a `webhook_history_id`, a `next_after`, or `latest` for new ones only; by default the beginning.
        :param wait_seconds: The seconds to wait for the first notification if there is none.
        :param notification_types: Only notifications of these types.
        :param wallet_id: Only notifications about this wallet.
        :param page_size: The maximum number of items.
        """
        return self._transport.call("/v1/c/ListNotifications", "query", _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), options)

    def each_notification(
        self,
        *,
        after: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        notification_types: Optional[list[Literal["NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED", "NOTIFICATION_TYPE_HISTORY_SEALED", "NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED", "NOTIFICATION_TYPE_TEST"]]] = None,
        wallet_id: Optional[str] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Notification]:
        """Iterates over the items of ListNotifications, and waits for later ones."""
        return each_item(lambda page: self._transport.call("/v1/c/ListNotifications", "query", page, options), _given(("after", after), ("wait_seconds", wait_seconds), ("notification_types", notification_types), ("wallet_id", wallet_id), ("page_size", page_size)), "notifications")

    def anchor_seal(
        self,
        *,
        wallet_id: str,
        from_: str,
        options: Optional[CallOptions] = None,
    ) -> AnchorSealResponse:
        """Prepare a transaction from an address to itself whose data is the head of the seal log. Sign and send it as usual.

        :param wallet_id: The wallet.
        :param from_: An address of the wallet.
        """
        return self._transport.call("/v1/c/AnchorSeal", "command", _given(("wallet_id", wallet_id), ("from", from_)), options)

    def cancel_transaction(
        self,
        *,
        transaction_id: str,
        options: Optional[CallOptions] = None,
    ) -> CancelTransactionResponse:
        """Cancel a transaction. A sent transaction is canceled by a replacement with the same nonce, which you sign and send.

        :param transaction_id: The id of the managed transaction.
        """
        return self._transport.call("/v1/c/CancelTransaction", "command", _given(("transaction_id", transaction_id)), options)

    def create_token_transaction(
        self,
        *,
        wallet_id: str,
        from_: str,
        to: str,
        contract_type: Literal["CONTRACT_TYPE_ERC20", "CONTRACT_TYPE_ERC721", "CONTRACT_TYPE_ERC1155"],
        token_payload: TokenPayload,
        gas: Optional[str] = None,
        gas_price: Optional[str] = None,
        max_fee_per_gas: Optional[str] = None,
        max_priority_fee_per_gas: Optional[str] = None,
        access_list: Optional[list[AccessListEntry]] = None,
        nonce: Optional[int] = None,
        transaction_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateTokenTransactionResponse:
        """Prepare a transaction that sends tokens. The contract need not be registered.

        :param wallet_id: The wallet.
        :param from_: An address of the wallet.
        :param to: The receiver of the tokens.
        :param contract_type: The token standard.
        :param token_payload: The sent tokens.
        :param gas: The gas limit; by default the node's estimate.
        :param gas_price: The price of a unit of gas, decimal, wei; by default the node's price.
        :param max_fee_per_gas: The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2 (EIP-1559), never together with `gas_price`; by default twice the base fee and the priority fee.
        :param max_priority_fee_per_gas: The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2, never together with `gas_price`; by default the node's suggestion.
        :param access_list: Contracts and storage that the transaction accesses (EIP-2930); by default none.
        :param nonce: The nonce; by default the next free one.
        :param transaction_id: The id of the transaction; by default a UUID; a repeated id returns the same transaction for the same content and is 409 for other content.
        """
        return self._transport.call("/v1/c/CreateTokenTransaction", "command", _given(("wallet_id", wallet_id), ("from", from_), ("to", to), ("contract_type", contract_type), ("token_payload", token_payload), ("gas", gas), ("gas_price", gas_price), ("max_fee_per_gas", max_fee_per_gas), ("max_priority_fee_per_gas", max_priority_fee_per_gas), ("access_list", access_list), ("nonce", nonce), ("transaction_id", transaction_id)), options)

    def create_transaction(
        self,
        *,
        wallet_id: str,
        from_: str,
        to: str,
        value: str,
        data: Optional[str] = None,
        gas: Optional[str] = None,
        gas_price: Optional[str] = None,
        max_fee_per_gas: Optional[str] = None,
        max_priority_fee_per_gas: Optional[str] = None,
        access_list: Optional[list[AccessListEntry]] = None,
        nonce: Optional[int] = None,
        transaction_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateTransactionResponse:
        """Prepare a transaction from an address of a wallet. Missing gas, gas_price and nonce are filled in.

        :param wallet_id: The wallet.
        :param from_: An address of the wallet.
        :param to: The receiver.
        :param value: The amount, decimal, wei.
        :param data: The input data, hex; by default `0x`.
        :param gas: The gas limit; by default the node's estimate.
        :param gas_price: The price of a unit of gas, decimal, wei; by default the node's price.
        :param max_fee_per_gas: The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2 (EIP-1559), never together with `gas_price`; by default twice the base fee and the priority fee.
        :param max_priority_fee_per_gas: The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2, never together with `gas_price`; by default the node's suggestion.
        :param access_list: Contracts and storage that the transaction accesses (EIP-2930); by default none.
        :param nonce: The nonce; by default the next free one.
        :param transaction_id: The id of the transaction; by default a UUID; a repeated id returns the same transaction for the same content and is 409 for other content.
        """
        return self._transport.call("/v1/c/CreateTransaction", "command", _given(("wallet_id", wallet_id), ("from", from_), ("to", to), ("value", value), ("data", data), ("gas", gas), ("gas_price", gas_price), ("max_fee_per_gas", max_fee_per_gas), ("max_priority_fee_per_gas", max_priority_fee_per_gas), ("access_list", access_list), ("nonce", nonce), ("transaction_id", transaction_id)), options)

    def get_transaction(
        self,
        *,
        transaction_id: Optional[str] = None,
        transaction_hash: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CGetTransactionResponse:
        """Get a managed transaction by its id or hash.

        :param transaction_id: The id of the managed transaction.
        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/c/GetTransaction", "query", _given(("transaction_id", transaction_id), ("transaction_hash", transaction_hash)), options)

    def get_transaction_message_to_sign(
        self,
        *,
        transaction_id: str,
        options: Optional[CallOptions] = None,
    ) -> GetTransactionMessageToSignResponse:
        """Get the 32-byte hash that the sender signs without a prefix; the hash of the cancellation while it is being canceled.

        :param transaction_id: The id of the managed transaction.
        """
        return self._transport.call("/v1/c/GetTransactionMessageToSign", "query", _given(("transaction_id", transaction_id)), options)

    def list_transactions(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CListTransactionsResponse:
        """List the managed transactions of a wallet or an address, newest first.

        :param wallet_id: The wallet.
        :param address: The sender.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/c/ListTransactions", "query", _given(("wallet_id", wallet_id), ("address", address), ("page_size", page_size), ("page_token", page_token)), options)

    def each_transaction(
        self,
        *,
        wallet_id: Optional[str] = None,
        address: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ManagedTransaction]:
        """Iterates over the items of all pages of ListTransactions."""
        return each_item(lambda page: self._transport.call("/v1/c/ListTransactions", "query", page, options), _given(("wallet_id", wallet_id), ("address", address), ("page_size", page_size), ("page_token", page_token)), "transactions")

    def send_transaction(
        self,
        *,
        transaction_id: str,
        options: Optional[CallOptions] = None,
    ) -> SendTransactionResponse:
        """Send the signed transaction or cancellation. Repeating the call is safe.

        :param transaction_id: The id of the managed transaction.
        """
        return self._transport.call("/v1/c/SendTransaction", "command", _given(("transaction_id", transaction_id)), options)

    def speed_up_transaction(
        self,
        *,
        transaction_id: str,
        gas_price: Optional[str] = None,
        max_fee_per_gas: Optional[str] = None,
        max_priority_fee_per_gas: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SpeedUpTransactionResponse:
        """Prepare a transaction that replaces a sent one: the same content and nonce at fees of at least 1.125 times the old ones.

        :param transaction_id: The id of the sent transaction.
        :param gas_price: The price of a unit of gas, decimal, wei; makes a legacy transaction.
        :param max_fee_per_gas: The maximum fee per unit of gas, decimal, wei; makes a transaction of type 2.
        :param max_priority_fee_per_gas: The maximum priority fee per unit of gas, decimal, wei; makes a transaction of type 2.
        """
        return self._transport.call("/v1/c/SpeedUpTransaction", "command", _given(("transaction_id", transaction_id), ("gas_price", gas_price), ("max_fee_per_gas", max_fee_per_gas), ("max_priority_fee_per_gas", max_priority_fee_per_gas)), options)

    def submit_transaction_signature(
        self,
        *,
        transaction_id: str,
        signature: str,
        options: Optional[CallOptions] = None,
    ) -> SubmitTransactionSignatureResponse:
        """Submit the signature: r, s and v, or the 64-byte form of EIP-2098.

        :param transaction_id: The id of the managed transaction.
        :param signature: `0x` hex: r, s and v in 65 bytes (v is 0 or 1, 27 or 28, or the EIP-155 value, which may be longer), or 64 bytes of EIP-2098; s in its lower half.
        """
        return self._transport.call("/v1/c/SubmitTransactionSignature", "command", _given(("transaction_id", transaction_id), ("signature", signature)), options)


class QApi:
    """Operations of the API ``q``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_block(
        self,
        *,
        block_number: int,
        options: Optional[CallOptions] = None,
    ) -> GetBlockResponse:
        """Get a block by its number.

        :param block_number: The height.
        """
        return self._transport.call("/v1/q/GetBlock", "query", _given(("block_number", block_number)), options)

    def get_pending_transaction(
        self,
        *,
        transaction_hash: str,
        options: Optional[CallOptions] = None,
    ) -> GetPendingTransactionResponse:
        """Get a pending transaction by its hash. record_time is the time when it was first seen.

        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/q/GetPendingTransaction", "query", _given(("transaction_hash", transaction_hash)), options)

    def get_transaction(
        self,
        *,
        transaction_hash: str,
        options: Optional[CallOptions] = None,
    ) -> QGetTransactionResponse:
        """Get a mined transaction by its hash.

        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/q/GetTransaction", "query", _given(("transaction_hash", transaction_hash)), options)

    def get_transaction_receipt(
        self,
        *,
        transaction_hash: str,
        options: Optional[CallOptions] = None,
    ) -> GetTransactionReceiptResponse:
        """Get the receipt of a transaction. status is 1 for success, 0 for failure, and null if the node reports none.

        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/q/GetTransactionReceipt", "query", _given(("transaction_hash", transaction_hash)), options)

    def list_internal_transactions(
        self,
        *,
        transaction_hash: str,
        options: Optional[CallOptions] = None,
    ) -> ListInternalTransactionsResponse:
        """List the internal calls of a transaction, each before the calls it made. Requires a node that supports tracing.

        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/q/ListInternalTransactions", "query", _given(("transaction_hash", transaction_hash)), options)

    def list_logs(
        self,
        *,
        transaction_hash: str,
        options: Optional[CallOptions] = None,
    ) -> ListLogsResponse:
        """List the logs of a transaction, in order.

        :param transaction_hash: The hash of the transaction.
        """
        return self._transport.call("/v1/q/ListLogs", "query", _given(("transaction_hash", transaction_hash)), options)

    def list_pending_transactions(
        self,
        *,
        from_: str,
        nonce: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> ListPendingTransactionsResponse:
        """List the pending transactions of a sender by nonce, or only those with a given nonce.

        :param from_: The sender.
        :param nonce: Only those with this nonce.
        """
        return self._transport.call("/v1/q/ListPendingTransactions", "query", _given(("from", from_), ("nonce", nonce)), options)

    def list_transactions(
        self,
        *,
        transaction_hashes: Optional[list[str]] = None,
        options: Optional[CallOptions] = None,
    ) -> QListTransactionsResponse:
        """Get up to 100 mined transactions by their hashes, in the order of the request.

        :param transaction_hashes: The hashes of the transactions; by default none.
        """
        return self._transport.call("/v1/q/ListTransactions", "query", _given(("transaction_hashes", transaction_hashes)), options)


class AdminApi:
    """Operations of the API ``admin``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_credential(
        self,
        *,
        organization_id: str,
        role: Optional[Literal["client", "admin", "auditor"]] = None,
        name: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateCredentialResponse:
        """Issue a credential for an organization. Its secret is shown only in this answer.

        :param organization_id: The organization.
        :param role: The role of the credential.
        :param name: A name for people, shown by ListCredentials and in the history.
        """
        return self._transport.call("/v1/admin/CreateCredential", "command", _given(("organization_id", organization_id), ("role", role), ("name", name)), options)

    def create_organization(
        self,
        *,
        name: str,
        domain: str,
        options: Optional[CallOptions] = None,
    ) -> CreateOrganizationResponse:
        """Create an organization with a unique domain.

        :param name: The display name.
        :param domain: The unique short name of the organization.
        """
        return self._transport.call("/v1/admin/CreateOrganization", "command", _given(("name", name), ("domain", domain)), options)

    def delete_credential(
        self,
        *,
        api_key: str,
        api_secret: str,
        options: Optional[CallOptions] = None,
    ) -> DeleteCredentialResponse:
        """Delete a credential, given its key and secret. It is rejected from then on and cannot be restored.

        :param api_key: The public key, also used in gateway addresses.
        :param api_secret: The secret.
        """
        return self._transport.call("/v1/admin/DeleteCredential", "command", _given(("api_key", api_key), ("api_secret", api_secret)), options)

    def delete_rate_limit(
        self,
        *,
        organization_id: str,
        chain: Optional[Literal["", "T", "S", "P", "C", "Q"]] = None,
        options: Optional[CallOptions] = None,
    ) -> DeleteRateLimitResponse:
        """Delete an organization's rate-limit record of one chain, or all its records if no chain is given.

        :param organization_id: The organization.
        :param chain: The chain: T, S, P, C or Q; `""` stands for every chain without its own record.
        """
        return self._transport.call("/v1/admin/DeleteRateLimit", "command", _given(("organization_id", organization_id), ("chain", chain)), options)

    def get_limits(
        self,
        *,
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> GetLimitsResponse:
        """List an organization's quotas with limit and usage; your own by default.

        :param organization_id: The organization; by default the caller's own.
        """
        return self._transport.call("/v1/admin/GetLimits", "query", _given(("organization_id", organization_id)), options)

    def get_organization_by_domain(
        self,
        *,
        domain: str,
        options: Optional[CallOptions] = None,
    ) -> GetOrganizationByDomainResponse:
        """Find an organization by its domain.

        :param domain: The unique short name of the organization.
        """
        return self._transport.call("/v1/admin/GetOrganizationByDomain", "query", _given(("domain", domain)), options)

    def get_rate_limit(
        self,
        *,
        organization_id: str,
        chain: Optional[Literal["", "T", "S", "P", "C", "Q"]] = None,
        options: Optional[CallOptions] = None,
    ) -> GetRateLimitResponse:
        """Get the rate limits of an organization on a chain, or, without a chain, on chains without their own record.

        :param organization_id: The organization.
        :param chain: The chain: T, S, P, C or Q; `""` stands for every chain without its own record.
        """
        return self._transport.call("/v1/admin/GetRateLimit", "query", _given(("organization_id", organization_id), ("chain", chain)), options)

    def list_credentials(
        self,
        *,
        organization_id: str,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListCredentialsResponse:
        """List the credentials of an organization, newest first, without their secrets.

        :param organization_id: The organization.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/admin/ListCredentials", "query", _given(("organization_id", organization_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_credential(
        self,
        *,
        organization_id: str,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Credential]:
        """Iterates over the items of all pages of ListCredentials."""
        return each_item(lambda page: self._transport.call("/v1/admin/ListCredentials", "query", page, options), _given(("organization_id", organization_id), ("page_size", page_size), ("page_token", page_token)), "credentials")

    def list_rate_limits(
        self,
        *,
        organization_id: str,
        chain: Optional[Literal["", "T", "S", "P", "C", "Q"]] = None,
        options: Optional[CallOptions] = None,
    ) -> ListRateLimitsResponse:
        """List the rate-limit records of an organization.

        :param organization_id: The organization.
        :param chain: The chain: T, S, P, C or Q; `""` stands for every chain without its own record.
        """
        return self._transport.call("/v1/admin/ListRateLimits", "query", _given(("organization_id", organization_id), ("chain", chain)), options)

    def set_quota(
        self,
        *,
        organization_id: str,
        quota: Literal["wallets", "addresses", "webhooks", "webhook_headers", "contracts", "imports", "credentials", "gateway_tokens", "open_transactions", "gateway_connections", "storage_bytes"],
        limit: int,
        options: Optional[CallOptions] = None,
    ) -> SetQuotaResponse:
        """Set a quota of an organization. Existing resources above the quota are kept; no more can be added.

        :param organization_id: The organization.
        :param quota: The name of the quota.
        :param limit: The largest number that the organization may have.
        """
        return self._transport.call("/v1/admin/SetQuota", "command", _given(("organization_id", organization_id), ("quota", quota), ("limit", limit)), options)

    def set_rate_limit(
        self,
        *,
        organization_id: str,
        per_second_limit: int,
        per_hour_limit: int,
        per_day_limit: int,
        per_month_limit: int,
        chain: Optional[Literal["", "T", "S", "P", "C", "Q"]] = None,
        options: Optional[CallOptions] = None,
    ) -> SetRateLimitResponse:
        """Set the rate limits of an organization on one chain, or, without a chain, on chains without their own record.

        :param organization_id: The organization.
        :param chain: The chain: T, S, P, C or Q; `""` stands for every chain without its own record.
        :param per_second_limit: The maximum total cost of calls in a second.
        :param per_hour_limit: The maximum total cost of calls in an hour.
        :param per_day_limit: The maximum total cost of calls in a day.
        :param per_month_limit: The maximum total cost of calls in a calendar month, UTC.
        """
        return self._transport.call("/v1/admin/SetRateLimit", "command", _given(("organization_id", organization_id), ("chain", chain), ("per_second_limit", per_second_limit), ("per_hour_limit", per_hour_limit), ("per_day_limit", per_day_limit), ("per_month_limit", per_month_limit)), options)

    def create_gateway_token(
        self,
        *,
        name: str,
        organization_id: Optional[str] = None,
        chains: Optional[list[Literal["C", "c", "Q", "q"]]] = None,
        methods: Optional[list[str]] = None,
        origins: Optional[list[str]] = None,
        expire_time: Optional[Union[str, int]] = None,
        per_second_limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateGatewayTokenResponse:
        """Create a key for gateway calls only, limited to chains, methods and origins. It is shown only in this answer.

        :param organization_id: The organization; by default the caller's own.
        :param name: A name for people.
        :param chains: The chains that the token is for, by tag or as in gateway addresses.
        :param methods: The methods that the token is for, each under either of its names; one that the gateway does not offer is 400.
        :param origins: The origins whose web pages may use the token, such as `https://app.example`.
        :param expire_time: The time from which on the token is refused: an ISO time with its zone, or Unix seconds; not in the past.
        :param per_second_limit: What calls with the token may cost in a second, within the limits of the organization.
        """
        return self._transport.call("/v1/admin/CreateGatewayToken", "command", _given(("organization_id", organization_id), ("name", name), ("chains", chains), ("methods", methods), ("origins", origins), ("expire_time", expire_time), ("per_second_limit", per_second_limit)), options)

    def delete_gateway_token(
        self,
        *,
        gateway_token_id: str,
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> DeleteGatewayTokenResponse:
        """Delete a gateway token. It is rejected from then on, and its open connections are closed.

        :param organization_id: The organization; by default the caller's own.
        :param gateway_token_id: The token.
        """
        return self._transport.call("/v1/admin/DeleteGatewayToken", "command", _given(("organization_id", organization_id), ("gateway_token_id", gateway_token_id)), options)

    def list_gateway_tokens(
        self,
        *,
        organization_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListGatewayTokensResponse:
        """List an organization's gateway tokens, newest first, without the tokens themselves; your own by default.

        :param organization_id: The organization; by default the caller's own.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/admin/ListGatewayTokens", "query", _given(("organization_id", organization_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_gateway_token(
        self,
        *,
        organization_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[GatewayToken]:
        """Iterates over the items of all pages of ListGatewayTokens."""
        return each_item(lambda page: self._transport.call("/v1/admin/ListGatewayTokens", "query", page, options), _given(("organization_id", organization_id), ("page_size", page_size), ("page_token", page_token)), "gateway_tokens")

    def set_gateway_keys(
        self,
        *,
        gateway_keys: Literal["api_key", "tokens"],
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> SetGatewayKeysResponse:
        """Set which keys the gateway accepts from an organization: api_keys and tokens (`api_key`), or only tokens (`tokens`).

        :param organization_id: The organization; by default the caller's own.
        :param gateway_keys: The keys that the gateway takes.
        """
        return self._transport.call("/v1/admin/SetGatewayKeys", "command", _given(("organization_id", organization_id), ("gateway_keys", gateway_keys)), options)

    def create_session(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> CreateSessionResponse:
        """Sign in to the console: open a session, whose cookie authenticates queries of the same browser."""
        return self._transport.call("/v1/admin/CreateSession", "command", _given(), options)

    def delete_session(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeleteSessionResponse:
        """Sign out of the console: end the session of the cookie, or without a cookie all sessions of the credential."""
        return self._transport.call("/v1/admin/DeleteSession", "command", _given(), options)

    def get_consistency_proof(
        self,
        *,
        from_: int,
        to: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> GetConsistencyProofResponse:
        """Get the proof that the seal log of size `to` extends that of size `from`; `to` is the current size by default.

        :param from_: The size of the log that was seen.
        :param to: The size of the later log; by default the present one.
        """
        return self._transport.call("/v1/admin/GetConsistencyProof", "query", _given(("from", from_), ("to", to)), options)

    def get_inclusion_proof(
        self,
        *,
        event_id: str,
        organization_id: Optional[str] = None,
        position: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> GetInclusionProofResponse:
        """Get the proof that the signed head of the seal log covers an event: its number, its seal and the inclusion path.

        :param organization_id: The organization; by default the caller's own.
        :param event_id: The event.
        :param position: Its position, which spares a search through the history.
        """
        return self._transport.call("/v1/admin/GetInclusionProof", "query", _given(("organization_id", organization_id), ("event_id", event_id), ("position", position)), options)

    def list_events(
        self,
        *,
        organization_id: Optional[str] = None,
        as_of: Optional[Union[str, int]] = None,
        from_: Optional[Union[str, int]] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        types: Optional[list[str]] = None,
        actor: Optional[str] = None,
        wallet_id: Optional[str] = None,
        stream: Optional[str] = None,
        correlation_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListEventsResponse:
        """List an organization's events, newest first, as of a position or an ISO time; your own by default.

        :param organization_id: The organization; by default the caller's own.
        :param as_of: Only up to this event position or ISO time with its zone, inclusive.
        :param from_: Only from this event position or ISO time with its zone, inclusive.
        :param order: `asc` lists the oldest events first.
        :param types: Only events of these types.
        :param actor: Only events with this id or kind of actor.
        :param wallet_id: Only events that name this wallet in `walletId`.
        :param stream: Only events of this stream.
        :param correlation_id: Only events that this request, or this cause, led to.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/admin/ListEvents", "query", _given(("organization_id", organization_id), ("as_of", as_of), ("from", from_), ("order", order), ("types", types), ("actor", actor), ("wallet_id", wallet_id), ("stream", stream), ("correlation_id", correlation_id), ("page_size", page_size), ("page_token", page_token)), options)

    def each_event(
        self,
        *,
        organization_id: Optional[str] = None,
        as_of: Optional[Union[str, int]] = None,
        from_: Optional[Union[str, int]] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        types: Optional[list[str]] = None,
        actor: Optional[str] = None,
        wallet_id: Optional[str] = None,
        stream: Optional[str] = None,
        correlation_id: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Event]:
        """Iterates over the items of all pages of ListEvents."""
        return each_item(lambda page: self._transport.call("/v1/admin/ListEvents", "query", page, options), _given(("organization_id", organization_id), ("as_of", as_of), ("from", from_), ("order", order), ("types", types), ("actor", actor), ("wallet_id", wallet_id), ("stream", stream), ("correlation_id", correlation_id), ("page_size", page_size), ("page_token", page_token)), "events")

    def get_history_bounds(
        self,
        *,
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> GetHistoryBoundsResponse:
        """Get the positions and times of an organization's first and last event; your own by default.

        :param organization_id: The organization; by default the caller's own.
        """
        return self._transport.call("/v1/admin/GetHistoryBounds", "query", _given(("organization_id", organization_id)), options)

    def verify_history(
        self,
        *,
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> VerifyHistoryResponse:
        """Verify an organization's stored events against their seals and the seal log; your own by default.

        :param organization_id: The organization; by default the caller's own.
        """
        return self._transport.call("/v1/admin/VerifyHistory", "query", _given(("organization_id", organization_id)), options)

    def export_history(
        self,
        *,
        organization_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[bytes]:
        """Export an organization's history as the verifiable file of `chainfold audit export`: NDJSON, hash-chained and signed.

        :param organization_id: The organization; by default the caller's own.
        """
        return self._transport.call("/v1/admin/ExportHistory", "query", _given(("organization_id", organization_id)), options)

    def diff_history(
        self,
        *,
        from_: Union[str, int],
        organization_id: Optional[str] = None,
        to: Optional[Union[str, int]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> DiffHistoryResponse:
        """List how an organization's records changed between two moments, and what was undone in between.

        :param organization_id: The organization; by default the caller's own.
        :param from_: The earlier moment.
        :param to: The later moment; by default now.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/admin/DiffHistory", "query", _given(("organization_id", organization_id), ("from", from_), ("to", to), ("page_size", page_size), ("page_token", page_token)), options)

    def each_history_difference(
        self,
        *,
        from_: Union[str, int],
        organization_id: Optional[str] = None,
        to: Optional[Union[str, int]] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Difference]:
        """Iterates over the items of all pages of DiffHistory."""
        return each_item(lambda page: self._transport.call("/v1/admin/DiffHistory", "query", page, options), _given(("organization_id", organization_id), ("from", from_), ("to", to), ("page_size", page_size), ("page_token", page_token)), "differences")

    def list_access(
        self,
        *,
        organization_id: Optional[str] = None,
        from_: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListAccessResponse:
        """List reads of an organization's secrets, exports of its history and its refused requests, newest first.

        :param organization_id: The organization; by default the caller's own.
        :param from_: ISO time with its zone from which to list.
        :param page_size: The maximum number of items.
        :param page_token: `next_page_token` of the previous page.
        """
        return self._transport.call("/v1/admin/ListAccess", "query", _given(("organization_id", organization_id), ("from", from_), ("page_size", page_size), ("page_token", page_token)), options)

    def each_access(
        self,
        *,
        organization_id: Optional[str] = None,
        from_: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Iterator[Access]:
        """Iterates over the items of all pages of ListAccess."""
        return each_item(lambda page: self._transport.call("/v1/admin/ListAccess", "query", page, options), _given(("organization_id", organization_id), ("from", from_), ("page_size", page_size), ("page_token", page_token)), "accesses")


class Apis:
    """All APIs of the service."""

    def __init__(self, transport: Transport) -> None:
        self.t = TApi(transport)
        self.s = SApi(transport)
        self.p = PApi(transport)
        self.c = CApi(transport)
        self.q = QApi(transport)
        self.admin = AdminApi(transport)
