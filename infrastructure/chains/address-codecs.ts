import { Address } from '@ton/core/dist/address/Address.js';
import { getAddress } from 'ethers/address';
import type { AddressCodec, AddressCodecs } from '../../application/ports/codec.js';
import { evmFault, suiFault, tonFault } from './address-faults.js';
import { nativeCoinType, normalCoinType } from './sui/coin-type.js';

/** Lower-case EVM address, which the codecs of all chains accept (docs/specification.md#41-addresses). */
const evmPattern = /^0x[a-f0-9]{40}$/;
const mixedCase = /^0x[a-fA-F0-9]{40}$/;

const evm: AddressCodec = {
  parse: (input) => {
    if (evmPattern.test(input)) return input;
    const stored = input.toLowerCase();
    return mixedCase.test(input) && getAddress(stored) === input ? stored : null;
  },
  fault: evmFault,
  friendly: () => '',
  transaction: (input) => input.toLowerCase(),
  asset: () => null,
  assetForm: null,
};

const suiPattern = /^0x[a-fA-F0-9]{64}$/;

const sui: AddressCodec = {
  parse: (input) => {
    if (evmPattern.test(input)) return input;
    return suiPattern.test(input) ? input.toLowerCase() : null;
  },
  fault: suiFault,
  friendly: () => '',
  transaction: (input) => input,
  asset: (input) => {
    const contract = normalCoinType(input);
    if (contract === null) return null;
    return contract === nativeCoinType ? { standard: 'native' } : { standard: 'token', contract };
  },
  assetForm: 'a coin type such as 0x2::sui::SUI',
};

const rawPattern = /^(?:0|-1):[a-fA-F0-9]{64}$/;
const friendlyPattern = /^[A-Za-z0-9+/_-]{48}$/;
const workchains = [0, -1];
const hashPattern = /^[A-Za-z0-9+/_-]{43}=?$/;

const parseFriendly = (input: string) => {
  try {
    const { address } = Address.parseFriendly(input);
    return workchains.includes(address.workChain) ? address.toRawString() : null;
  } catch {
    return null;
  }
};

const isTestOnly = (input: string) => {
  try {
    return Address.parseFriendly(input).isTestOnly;
  } catch {
    return false;
  }
};

const parseTon = (input: string) => {
  if (rawPattern.test(input)) return input.toLowerCase();
  return friendlyPattern.test(input) ? parseFriendly(input) : null;
};

const ton: AddressCodec = {
  parse: (input) => (evmPattern.test(input) ? input : parseTon(input)),
  isForTests: (input) => friendlyPattern.test(input) && isTestOnly(input),
  fault: tonFault,
  friendly: (address) =>
    rawPattern.test(address) ? Address.parseRaw(address).toString({ bounceable: false, urlSafe: true }) : '',
  // Hashes may be given in hex, base64 or base64url.
  transaction: (input) =>
    hashPattern.test(input) ? Buffer.from(input, 'base64').toString('hex') : input.toLowerCase(),
  asset: (input) => {
    const contract = parseTon(input);
    return contract === null ? null : { standard: 'token', contract };
  },
  assetForm: 'the address of a jetton master: workchain:hash, or 48 characters of base64',
};

export const addressCodecs: AddressCodecs = { evm, sui, ton };
