/**
 * Descriptions of operations, by name, or by `api.Name` for an API with another operation of the same name, worded as
 * in docs/specification.md. A test checks that they are equal.
 */
export const operationTexts: Readonly<Record<string, string>> = {
  CreateCredential:
    'Issues a credential of an organization. Only this answer has the secret; a retry with the same `idempotency-key` returns it again.',
  CreateOrganization: 'Creates an organization under an unused domain; a used one is 409.',
  DeleteCredential:
    'Deletes the credential with the given key and secret, for any caller. Every node then refuses it permanently, and its data key is destroyed. A wrong key or secret is 404, and the answer does not tell which.',
  DeleteRateLimit:
    'Deletes an organization\'s record of one chain; without `chain` all its records; with `""` the record of every chain.',
  GetLimits:
    'Returns every quota of an organization with its limit and its use. A client sees its own organization, an admin every organization.',
  GetOrganizationByDomain: 'Returns the organization with a domain. A client finds only its own.',
  GetRateLimit:
    'Returns the record that applies to an organization on a chain, at top level: that of the chain, otherwise that of every chain, otherwise the defaults.',
  ListCredentials: 'Lists the credentials of an organization, newest first, without deleted ones and without secrets.',
  ListRateLimits: 'Lists the stored records of an organization, newest first; all of them, or that of one chain.',
  SetQuota:
    'Sets a quota of an organization. An organization that has more keeps what it has and gets no more. The change takes effect on every node within a second.',
  SetRateLimit:
    'Sets all four limits of an organization on a chain; without `chain` on every chain without its own record. A limit of 0 excludes the organization. The change takes effect on every node within a second.',
  CreateGatewayToken:
    'Creates a key for calls to the gateway alone. Only this answer has the token; a retry with the same `idempotency-key` returns it again. A client creates tokens of its own organization, an admin of every organization. A list that is absent leaves its kind open.',
  DeleteGatewayToken:
    'Deletes a gateway token. Every node refuses it within a second, closes its connections, and its data key is destroyed. A token that does not exist, or no longer, is 404.',
  ListGatewayTokens:
    'Lists the gateway tokens of an organization, newest first, without deleted ones and without the tokens themselves, and tells which keys the gateway takes. A client sees its own organization, an admin every organization.',
  CreateSession:
    'Opens a session for a browser. The answer sets the cookie `__Host-chainfold`, which authenticates queries that the console sends; a command, and a query whose answer holds a secret, still needs a signature. A session ends after 30 minutes without a request, 8 hours after it began, with DeleteSession, and when its credential is deleted. A credential has at most 10; one more ends the oldest. Every role may call it. Over plain HTTP from another machine it is refused.',
  DeleteSession:
    'Ends the session of the cookie that is sent and removes the cookie; the cookie is enough, without a signature. A signed request without the cookie ends all sessions of the credential.',
  SetGatewayKeys:
    'Sets which keys the gateway takes of an organization: api_keys and tokens (`api_key`, as at first), or tokens alone (`tokens`). With `tokens` an api_key is refused there like an unknown one, within a second and also on open connections. Operations are not affected.',
  GetConsistencyProof:
    'Proves that the seal log of size `to` begins with all seals of the log of size `from`, in their order (RFC 9162, section 2.1.4).',
  GetInclusionProof:
    'Proves that an event is under the newest signed head of the seal log: `inclusion_path` leads from `leaf`, which names the seal over the event, to the root of `head`. A client proves events of its own organization, an admin those of every organization. An event that is not sealed yet is 409 `FAILED_PRECONDITION`; a seal follows within an hour.',
  ListEvents:
    "Lists an organization's history, newest first, in pages that stay stable while history grows. A client sees its own organization, an admin every organization. The filters apply to events as the caller sees them, and an event is listed if it passes all of them. A page reads at most 2000 events. With a filter it may therefore have fewer events than `page_size`, or none, and still a `next_page_token`.",
  GetHistoryBounds:
    'Returns positions and commit times of the first and the last event of an organization, such as for choosing a period. A client sees its own organization, an admin every organization.',
  VerifyHistory:
    'Verifies the stored events of an organization against their seals and the seal log, as `chainfold audit verify --organization` does. `valid` is `true` for a proven history, `false` for one with a flaw, which `first` describes, and `null` for one that nothing covers yet. The service vouches for itself here; to verify without trusting it, verify an export with a key from elsewhere. Each call reads every event of the organization. At most two run at the same time in a process, one for each organization; the others wait.',
  GetWallet:
    'Returns a wallet with all its addresses, by its id or one of its addresses; with both, the wallet must have the address. Otherwise the answer is 404. An answer with more than 1000 addresses is written while it is read: it has no `content-length`, and it is whole only if the connection ends it properly. The transfers and balances of a wallet are complete where a node of the chain traces. On an EVM chain without such a node, coins that contracts moved have no records, and balances are read again only for addresses that receipts name; `chainfold projections status` says which chains are traced.',
  ListWallets: 'Lists the wallets, newest first, each with all its addresses; a page with many addresses ends early.',
  RegisterWallet:
    'Creates a wallet together with its first address, if one is given. Another call creates another wallet, unless it has the same `idempotency-key`.',
  UpdateConfirmation:
    'Changes the number of confirmations after which transfers of a wallet count, including pending ones. A request without `confirmation` sets the default.',
  BatchRegisterAddresses:
    'Adds many addresses at once: all or none. Each that is bad (400) or held elsewhere (409) is named in `errors`.',
  BatchRemoveAddresses:
    'Removes several addresses atomically; addresses that the wallet does not have are ignored. `remove_all` removes every address of the wallet: up to 1000 atomically, more in atomic steps of 100, also across a restart. Addresses that are registered after the request stay.',
  GetAddress: 'Returns the wallet of an address, as a record at top level; 404 when there is none.',
  ListAddresses: 'Lists the addresses of a wallet, or of all wallets, newest first.',
  RegisterAddress:
    'Adds an address to a wallet. Adding it again changes nothing; an address of another wallet of the organization is 409.',
  RemoveAddress:
    'Stops tracking an address. Its transfers stay listed, its assets do not. Removing an address that the wallet does not have changes nothing.',
  GetBalanceRefresh:
    'Tells how many addresses of a wallet the running RefreshAssetBalances has read, and the `from_block` of the last one that looked for received tokens and ended: of the contracts and addresses that were registered when it began, every token that was received since is listed. For contracts and addresses that were registered later, tokens are listed from their registration on. It is absent before the first.',
  ReconcileWallet:
    'Compares the balances of a wallet of at most 1000 addresses with the node at a final block that the follower has processed, and corrects those that differ. Each difference is recorded as BalanceDrifted. The answer lists the differences that were found. Calls for one wallet at the same time share a comparison, and an organization compares one wallet at a time; further calls wait. audit.md says which balances are compared.',
  ImportHistory:
    'Imports the transfers and fees of an address from before its registration, in the background and across restarts: those of the native coin, and of the tokens that are followed at the address. GetImport tells how far it is. Imported transfers are listed and counted in statements like others, but nobody is notified of them. They change no balance; a balance that was never read is read once the current head is confirmed. Without `from_block` and `from_time` the import begins at the first block that the nodes have. Blocks that were followed or imported before are not recorded twice. While an import of the address runs, a request for blocks that it covers answers its id; an earlier block is 409. A block after the registration is 400.',
  GetImport:
    'Tells how far an import is. A completed one says from which block on the history of the address is complete: from `from_block`. A failed one has the reason, such as blocks that no node keeps; request it again from a later block, or after connecting an archive node.',
  ImportAsset:
    'Reads the balance of an address immediately, and again when the current head block is confirmed. With `token_address` or `token_account_address` it also tracks the tokens of that kind, until the address is removed.',
  ListAssets:
    'Lists balances of one asset type: one for each address and asset, newest first, or aggregated, in the order of their contracts. Removed addresses and contracts have none.',
  ListContracts: 'Lists the registered tokens, newest first.',
  'c.ListContracts': 'Lists the registered token contracts, newest first.',
  GetStatement:
    'Returns the statement of a wallet, or of one address that it has or had, for a period: for each asset the balance at both ends, the movements and fees between them, and any amount that these do not explain. Movements are newest first. audit.md defines the period and explains the figures with an example.',
  ListTransfers:
    'Lists transfers of a wallet, an address or a transaction, newest first by block time. Several filters must all match.',
  RefreshAssetBalances:
    'Reads balances from the node at the confirmed height: of one address, or of all addresses of a wallet. The first 100 addresses are read before the answer, or fewer if they have more than 500 balances together; at least one is. The rest is read after the answer, also across restarts; GetBalanceRefresh tells how far. While a wallet is read, a further call for the same asset type joins the running one. Only balances that changed are stored. A node cannot list the tokens of an address that have ids, so those of ERC-721 and ERC-1155 are read that were seen before. With `from_block` the logs from that block on are looked through for tokens of the registered contracts that the wallet received, and those that it still holds are listed, also if they came before RegisterContract. This happens after the answer; GetBalanceRefresh says from which block on the tokens are complete. `from_block` needs one of these two types and a whole wallet, otherwise the answer is 400; it is 409 while another refresh of the wallet and type is running.',
  RegisterContract:
    'Starts tracking a token at every address of the organization, including those registered later. What is no jetton master, or no coin type of the chain, is refused with the reason. ImportAsset is not needed then. On `t` the jetton wallet of each address is looked for first: `TokenAccountFound` is recorded for each, and deposits are tracked from then on; a balance from before is read at that moment. On `s` deposits are tracked at once; RefreshAssetBalances reads balances from before.',
  'c.RegisterContract':
    'Starts tracking a token contract. A contract that does not behave as its type is refused with the reason. Registering it again with another type is 409.',
  RemoveContract:
    'Stops tracking a token, except at addresses that imported it. Removing an unregistered token changes nothing.',
  'c.RemoveContract': 'Stops tracking a token contract. Removing an unregistered contract changes nothing.',
  GetWebhook: 'Returns a webhook with the secret that signs its notifications.',
  ListWebhookHeaders: 'Lists the headers of a webhook, or without `webhook_id` those of all webhooks.',
  ListWebhooks: 'Lists the webhooks, newest first, without their secrets.',
  RegisterWebhook:
    'Registers a URL for the activity of a wallet, or without `wallet_id` of every wallet of the API, including later ones. A forbidden URL is 400.',
  RegisterWebhookHeader:
    'Adds a header to every notification of a webhook, or without `webhook_id` of all webhooks, from the next attempt on. Reserved names are 400.',
  RemoveWebhook:
    'Removes a webhook and its own headers. Undelivered notifications become `WEBHOOK_STATUS_CANCELED`; a notification that is being sent may still arrive.',
  RemoveWebhookHeader: 'Removes a header and destroys its value.',
  RotateWebhookSecret:
    'Replaces the secret of a webhook, and with it the key of its v1a signatures; GetWebhook returns the new ones. For 24 hours, notifications are signed with the old ones as well. A second rotation ends the overlap of the first.',
  UpdateWebhook:
    'Changes the given settings of a webhook. A new URL passes the same checks as at the registration, and a forbidden one is 400; the secret and the keys stay the same. New settings apply to notifications that are created afterwards, and a new URL also to the next attempt of every earlier one. Two concurrent changes of the URL or the secret can be 409 `CONFLICT`.',
  ListNotifications:
    'Lists notifications, oldest first and at least once: every notification to a webhook, with the same body and id, and every activity that no webhook is notified of, with an empty `webhook_id`. If there are none, waits up to `wait_seconds` for the first. A page may have fewer notifications than `page_size`, or none, although more follow; continue with `next_after`.',
  ListWebhookAttempts:
    'Lists the attempts of a notification, oldest first. After many resends, only the last 50 are listed.',
  ListWebhookHistories: 'Lists notifications and their status, newest first by creation time.',
  ResendWebhook:
    'Sends a notification again, immediately and under the same id, in any status. A disabled webhook becomes active again, and all its waiting notifications are sent.',
  ResendWebhooks:
    'Sends notifications of a webhook again, immediately and under the same ids: those with `webhook_status`, or without it all that are not `WEBHOOK_STATUS_COMPLETED`. A disabled webhook becomes active again. More than 10,000 matching notifications are 409 `FAILED_PRECONDITION`, and none is sent.',
  SendTestWebhook:
    'Sends a notification of the type `NOTIFICATION_TYPE_TEST` to one webhook. It is signed, retried and listed like any other. A disabled webhook is 409 `FAILED_PRECONDITION`.',
  GetBlock: 'Returns a block by its number.',
  GetPendingTransaction:
    'Returns a pending transaction. The service keeps the newest 10 000 that it has seen, for up to 3 hours.',
  GetTransaction: 'Returns a mined transaction.',
  'c.GetTransaction':
    'Returns a managed transaction by its id or its hash, including the hash of its cancellation; with both, they must belong together.',
  GetTransactionReceipt: 'Returns the receipt of a mined transaction.',
  ListInternalTransactions:
    'Lists the calls of contracts within a transaction, each before its own calls, without the transaction itself. Without a node that can trace the answer is 503.',
  ListLogs: 'Lists the logs of a transaction, in order.',
  ListPendingTransactions: 'Lists the pending transactions of a sender, in the order of their nonces.',
  ListTransactions:
    'Returns mined transactions by their hashes, in the requested order. Hashes that are in no block are omitted.',
  'c.ListTransactions':
    'Lists the managed transactions of a wallet or of a sender, newest first; with both, those of that sender in that wallet.',
  AnchorSeal:
    'Prepares a transaction of an address of a wallet to itself, of value 0, whose data is the newest head of the seal log: the bytes `chainfold-log-1` in ASCII, the 32 bytes of the root, and the size in 8 bytes. It is signed and sent like any other.',
  CancelTransaction:
    'Cancels an unsent transaction immediately and releases its nonce. A `SENT` transaction becomes `CANCELING`: sign and send its cancellation. A `CANCELING` transaction whose cancellation every node refused may be canceled again, with a higher price.',
  CreateTokenTransaction:
    'Prepares a transaction that sends tokens: `transfer` of ERC-20, `safeTransferFrom` of ERC-721 and ERC-1155. The contract need not be registered. In the answer, `to` is the contract and `value` is 0. `token_payload` has only the member for `contract_type`; a payload of ERC-1155 is accepted with any of the types.',
  CreateTransaction:
    'Prepares a transaction of an address of a wallet and reserves its nonce. Section 4.5 lists the defaults of absent fields.',
  GetTransactionMessageToSign:
    'Returns the 32-byte digest of the unsigned transaction, a legacy one (EIP-155) or one of type 2 (EIP-1559), as `0x` hex, which the sender signs without a prefix. While the transaction is `CANCELING`, it is the digest of the cancellation. Without anything to sign the answer is 409. Extensions: `unsigned_transaction` is the transaction without a signature, as wallets and signing devices read it; compute its digest yourself to check what you sign. `preview` tells a person what the transaction does.',
  SendTransaction:
    'Records the transaction as sent, then sends it to every node; while `CANCELING`, it sends the cancellation. For a `SENT`, `MINED` or `CONFIRMED` transaction it returns the transaction again. When every node refuses the transaction definitively, it becomes `SIGNED` again (while canceling it stays `CANCELING`), and the answer is 409 with the reason. When the outcome is unknown, it is `SENT` (or `CANCELING`) and rebroadcast until the outcome is known.',
  SpeedUpTransaction:
    "Prepares a transaction that replaces a `SENT` one: the same content and nonce, at fees of at least 1.125 times those of the old one, or the node's suggestion if that is higher. Without given fees it has the type of the old one. Sign and send it like any other; once it is mined, the old transaction is `REPLACED`. Both keep their ids.",
  SubmitTransactionSignature:
    'Submits the signature of that digest. A signature that does not recover to `from` is 400. The same signature again, before sending, changes nothing.',
  ExportHistory:
    'Returns the history of an organization as the file of `chainfold audit export`: lines of JSON (`application/x-ndjson`), hash-chained and signed, which `chainfold audit verify FILE --key` verifies anywhere. The table shows the members of the first line. The answer is streamed, and a connection that breaks off before the last line, which has `head`, means that the file is incomplete. Errors are reported before the first line. A history that contains an api_key of another organization, as older releases stored it, is 409 `FAILED_PRECONDITION` for clients and auditors; an admin can export it. Each call is recorded in the access log.',
  DiffHistory:
    'Lists how the records of an organization changed between two moments, as `chainfold audit diff` does, and what was undone in between. `from` and `to` are an event position or an ISO time with its zone; the answer has the positions they stand for. Further pages keep the moments of the first page. Clients and auditors see neither encrypted secrets nor full api_keys. An organization with more events than `CHAINFOLD_AS_OF_EVENTS` gets 503.',
  ListAccess:
    'Lists the access log of an organization, newest first: answers with secrets, exports of the history, and requests that were refused after they authenticated. The log is not part of the history. It keeps entries for `CHAINFOLD_ACCESS_LOG_DAYS` (90 days), at most 5000 refused requests and 5000 others for each organization. A secret or export is answered only after its entry is stored; a refused request appears within a second.',
};
