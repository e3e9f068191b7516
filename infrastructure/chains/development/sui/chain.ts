import type { Log } from '../../../../application/ports/system.js';
import { fullAddress } from '../../sui/addresses.js';
import { nativeCoinType, normalCoinType } from '../../sui/coin-type.js';
import type { DevelopmentControls } from '../development-node.js';
import { createInterval } from '../interval.js';
import { readNumber } from '../parameters.js';
import { invalid } from '../rpc-error.js';
import { createSuiLedger, type SuiLedger } from './ledger.js';
import { serveSui } from './server.js';

const faucet = fullAddress('0xfa0ce7');
const treasury = 2n ** 62n;
/** Part of the faucet's balance reserved for gas. */
const reserve = 10n ** 9n;
/** Exclusive upper bound of the chain's 64-bit amounts. */
const maxUnits = 2n ** 64n;

const readReceiver = (to: unknown) =>
  typeof to === 'string' && /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(to)
    ? fullAddress(to)
    : invalid('to must be an address: 0x followed by 64 or 40 hex digits');
const readValue = (value: unknown) => {
  const units = readNumber('value', value);
  return units > 0n && units < maxUnits ? units : invalid('value must be from 1 to 2^64 - 1');
};
const readToken = (token: unknown) =>
  token == null
    ? nativeCoinType
    : (normalCoinType(String(token)) ?? invalid('token must be a coin type such as 0x5::usd::USD'));

/** Transfers native coins from the faucet. Other coins are minted; an unknown coin type is created. */
const transfer = (ledger: SuiLedger, options: Readonly<Record<string, unknown>>) => {
  const [to, value, coinType] = [readReceiver(options.to), readValue(options.value), readToken(options.token)];
  const isNative = coinType === nativeCoinType;
  if (isNative && value > ledger.balance(faucet, coinType) - reserve)
    return invalid('value exceeds the balance of the faucet');
  const paid = { address: faucet, coinType, amount: -value };
  const received = { address: to, coinType, amount: value };
  const digest = ledger.execute({ sender: faucet, changes: isNative ? [paid, received] : [received] });
  const checkpoint = ledger.makeCheckpoint();
  return {
    transaction_digest: digest,
    transaction_hash: digest,
    block_hash: checkpoint.digest,
    block_number: Number(checkpoint.sequenceNumber),
    to: options.to,
    value: String(value),
    ...(!isNative && { token: coinType }),
  };
};

const fund = (ledger: SuiLedger) =>
  ledger.execute({ sender: faucet, changes: [{ address: faucet, coinType: nativeCoinType, amount: treasury }] });

/**
 * Starts a new chain with a checkpoint every `blockMs` milliseconds. If `blockMs` is 0, checkpoints are made only on
 * request and for each transfer.
 */
export const startDevelopmentSui = async ({ blockMs, log }: { readonly blockMs: number; readonly log: Log }) => {
  const ledger = createSuiLedger(Date.now);
  fund(ledger);
  const { url, close } = await serveSui(ledger);
  const interval = createInterval(
    async () => ledger.makeCheckpoint(),
    (error) => log.warn({ err: error, family: 'sui' }, 'Development chain failed to produce a checkpoint'),
  );
  interval.every(blockMs);
  const controls: DevelopmentControls = {
    transfer: async (options) => transfer(ledger, options),
    mine: async (blocks) => {
      for (let made = 0; made < blocks; made++) ledger.makeCheckpoint();
    },
  };
  return {
    urls: [url],
    controls,
    close: async () => {
      interval.every(0);
      await close();
    },
  };
};
