import { amountText, assetText, blockText, type Sentences } from './sentence.js';

type ChainType =
  | 'WalletRegistered'
  | 'ConfirmationUpdated'
  | 'AddressRegistered'
  | 'AddressRemoved'
  | 'AssetImported'
  | 'TokenAccountFound'
  | 'RemovalStarted'
  | 'RemovalEnded'
  | 'ContractRegistered'
  | 'ContractRemoved'
  | 'ContractBalancesFailed'
  | 'ContractBalancesRecovered'
  | 'TokenDescribed'
  | 'TransferObserved'
  | 'TransferConfirmed'
  | 'TransferRemoved'
  | 'BalanceTouched'
  | 'BalanceRead'
  | 'BalanceRefreshed'
  | 'BalanceSetAside'
  | 'BalanceDrifted'
  | 'ImportRequested'
  | 'ImportCompleted'
  | 'ImportFailed'
  | 'ActivitySettled'
  | 'ActivityClosed'
  | 'ActivityDropped'
  | 'BlockUnreadable'
  | 'BalancesReadInstead'
  | 'BlockRetryRequested'
  | 'BlockRead'
  | 'ReplacementAccepted'
  | 'ReplacementFollowed'
  | 'RefreshStarted'
  | 'RefreshAdvanced'
  | 'RefreshEnded';

/**
 * Functions that describe an event in a sentence, keyed by event type: events of wallets, addresses, transfers,
 * balances and blocks.
 */
export const chainSentences: Sentences<ChainType> = {
  WalletRegistered: ({ name }) => `registered wallet ${name}`,
  ConfirmationUpdated: ({ walletId, confirmation }, names) =>
    `set the confirmations of wallet ${names.wallet(walletId)} to ${confirmation}`,
  AddressRegistered: ({ walletId, address }, names) =>
    `registered address ${address} in wallet ${names.wallet(walletId)}`,
  AddressRemoved: ({ walletId, address }, names) => `removed address ${address} from wallet ${names.wallet(walletId)}`,
  AssetImported: ({ address, asset }) => `began to follow ${assetText(asset)} at ${address}`,
  TokenAccountFound: ({ address, asset, account }) => `found account ${account} of ${address} for ${assetText(asset)}`,
  RemovalStarted: ({ walletId }, names) => `began to remove all addresses of wallet ${names.wallet(walletId)}`,
  RemovalEnded: ({ walletId }, names) => `removed all addresses of wallet ${names.wallet(walletId)}`,
  ContractRegistered: ({ contract, standard }) => `registered ${standard} contract ${contract}`,
  ContractRemoved: ({ contract }) => `removed contract ${contract}`,
  ContractBalancesFailed: ({ contract, reason }) => `could not read balances of contract ${contract}: ${reason}`,
  ContractBalancesRecovered: ({ contract }) => `could read balances of contract ${contract} again`,
  TokenDescribed: ({ contract, tokenId }) => `read the description of ${contract}${tokenId && ` #${tokenId}`}`,
  TransferObserved: ({ walletId, block, imported, transfer: { from, to, value, asset, failed } }, names) =>
    `${imported ? 'imported' : 'saw'} a ${failed ? 'failed ' : ''}transfer of ${amountText(value, asset)} from ${from} to ${to} in ${blockText(block)} for wallet ${names.wallet(walletId)}`,
  TransferConfirmed: ({ walletId, block, transaction }, names) =>
    `confirmed a transfer of transaction ${transaction} in ${blockText(block)} for wallet ${names.wallet(walletId)}`,
  TransferRemoved: ({ walletId, block, transaction }, names) =>
    `took back a transfer of transaction ${transaction}, because a reorg removed ${blockText(block)}, for wallet ${names.wallet(walletId)}`,
  BalanceTouched: ({ address, asset, block }) =>
    `noted that ${blockText(block)} may change the balance of ${assetText(asset)} at ${address}`,
  BalanceRead: ({ address, asset, balance, at }) =>
    `read a balance of ${amountText(balance, asset)} at ${address} in ${blockText(at)}`,
  BalanceRefreshed: ({ address, asset, balance, at }) =>
    `read a balance of ${amountText(balance, asset)} at ${address} in ${blockText(at)} on request`,
  BalanceSetAside: ({ address, asset, reason }) =>
    `could not read the balance of ${assetText(asset)} at ${address}: ${reason}`,
  BalanceDrifted: ({ address, asset, expected, found, block }) =>
    `found ${found} instead of ${amountText(expected, asset)} at ${address} in ${blockText(block)}`,
  ImportRequested: ({ address, fromBlock, toBlock }) =>
    `asked to import the history of ${address} in blocks ${fromBlock} to ${toBlock}`,
  ImportCompleted: ({ address, completeSince, untraced }) =>
    `imported the history of ${address} since block ${completeSince}${untraced ? ' without transfers of coins by contracts' : ''}`,
  ImportFailed: ({ address, reason }) => `could not import the history of ${address}: ${reason}`,
  ActivitySettled: ({ walletId, block }, names) =>
    `recorded the activity of wallet ${names.wallet(walletId)} in ${blockText(block)}`,
  ActivityClosed: ({ walletId, block }, names) =>
    `finished the activity of wallet ${names.wallet(walletId)} in ${blockText(block)}`,
  ActivityDropped: ({ walletId, block }, names) =>
    `dropped the activity of wallet ${names.wallet(walletId)}, because a reorg removed ${blockText(block)}`,
  BlockUnreadable: ({ block, reason }) => `skipped ${blockText(block)}, which no node returned: ${reason}`,
  BalancesReadInstead: ({ block }) => `read all balances in place of ${blockText(block)}`,
  BlockRetryRequested: ({ block }) => `asked to read ${blockText(block)} again`,
  BlockRead: ({ block }) => `read ${blockText(block)}, which was skipped before`,
  ReplacementAccepted: ({ block, replacement }) =>
    `accepted block ${replacement} in place of final ${blockText(block)}`,
  ReplacementFollowed: ({ block, replacement }) => `followed block ${replacement} in place of ${blockText(block)}`,
  RefreshStarted: ({ walletId, total }, names) =>
    `began to read the balances of ${total} addresses of wallet ${names.wallet(walletId)}`,
  RefreshAdvanced: ({ walletId, done }, names) =>
    `has read the balances of ${done} addresses of wallet ${names.wallet(walletId)}`,
  RefreshEnded: ({ walletId }, names) => `finished reading the balances of wallet ${names.wallet(walletId)}`,
};
