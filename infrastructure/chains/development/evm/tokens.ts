import { Interface } from 'ethers/abi';
import { invalid, RpcError, rpcCode } from '../rpc-error.js';
import { artifacts } from './contracts/artifacts.js';
import type { Evm } from './edr.js';
import type { Receipt } from './faucet.js';

export type TokenType = 'ERC-20' | 'ERC-721' | 'ERC-1155';

const interfaces: Readonly<Record<TokenType, Interface>> = {
  'ERC-20': new Interface(artifacts.TestErc20.abi),
  'ERC-721': new Interface(artifacts.TestErc721.abi),
  'ERC-1155': new Interface(artifacts.TestErc1155.abi),
};

/** Creation bytecode by token type. */
export const creationCode: Readonly<Record<TokenType, string>> = {
  'ERC-20': artifacts.TestErc20.bytecode,
  'ERC-721': artifacts.TestErc721.bytecode,
  'ERC-1155': artifacts.TestErc1155.bytecode,
};

/**
 * ERC-165 interface ids of ERC-721 and ERC-1155. A contract that supports neither id counts as ERC-20, because ERC-20
 * has no common interface id.
 */
const claims: readonly (readonly [id: string, type: TokenType])[] = [
  ['0x80ac58cd', 'ERC-721'],
  ['0xd9b67a26', 'ERC-1155'],
];

const supports = async (evm: Evm, to: string, id: string) => {
  const data = interfaces['ERC-20'].encodeFunctionData('supportsInterface', [id]);
  try {
    return BigInt(await evm<string>('eth_call', { to, data }, 'latest')) === 1n;
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcCode.reverted) return false;
    throw error;
  }
};

export const typeOf = async (evm: Evm, token: string): Promise<TokenType> => {
  if ((await evm<string>('eth_getCode', token, 'latest')) === '0x')
    return invalid('token must be the address of a contract');
  for (const [id, type] of claims) if (await supports(evm, token, id)) return type;
  return 'ERC-20';
};

type Wanted = { readonly to: string; readonly value: bigint | undefined; readonly tokenId: bigint | undefined };
type Mint = {
  readonly data: string;
  minted(receipt: Receipt): { readonly value?: string; readonly token_id?: string };
};

const amount = (value: bigint | undefined) => value ?? invalid('value is required');

const mintOne = ({ to, value, tokenId = value }: Wanted) =>
  tokenId === undefined
    ? interfaces['ERC-721'].encodeFunctionData('mint(address)', [to])
    : interfaces['ERC-721'].encodeFunctionData('mint(address,uint256)', [to, tokenId]);

/**
 * Functions, by token type, that build the call data for minting a token and read the minted token from the receipt.
 */
export const mint: Readonly<Record<TokenType, (wanted: Wanted) => Mint>> = {
  'ERC-20': ({ to, value }) => ({
    data: interfaces['ERC-20'].encodeFunctionData('mint', [to, amount(value)]),
    minted: () => ({ value: String(value) }),
  }),
  // ERC-721 tokens are unique, so `value` is the token id unless `tokenId` is given. If neither is given, the contract
  // takes the next free id.
  'ERC-721': (wanted) => ({
    data: mintOne(wanted),
    minted: ({ logs }) => ({ token_id: String(BigInt(logs[0]?.topics[3] ?? 0)) }),
  }),
  'ERC-1155': ({ to, value, tokenId = 1n }) => ({
    data: interfaces['ERC-1155'].encodeFunctionData('mint', [to, tokenId, amount(value)]),
    minted: () => ({ token_id: String(tokenId), value: String(value) }),
  }),
};
