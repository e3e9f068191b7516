import type { Asset, TokenStandard } from '../../../domain/asset.js';

/**
 * Contracts of the scripted chain. The contracts answer calls as the token standards define, except for answers that a
 * test overrides.
 */

export type Contract = {
  readonly standard?: TokenStandard;
  /** ERC-165 id that the contract reports in place of the id of its standard. */
  readonly interfaceId?: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly uri?: string;
  /**
   * Answers, keyed by function selector, that override those of the standard. An error object makes the call fail.
   */
  readonly answers?: Readonly<Record<string, string | ContractError>>;
};
export type ContractError = { readonly code: number; readonly message: string };
/** State of the chain that a call sees. */
export type World = {
  balance(asset: Asset, address: string): bigint;
  owner(contract: string, tokenId: string): string | undefined;
};

export const reverted: ContractError = { code: 3, message: 'execution reverted' };
export const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
export const addressWord = (address: string): string => address.slice(2).padStart(64, '0');
export const bytes32 = (text: string): string => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
export const abiText = (text: string | Uint8Array): string => {
  const bytes = Buffer.from(text);
  return `0x${word(32)}${word(bytes.length)}${bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')}`;
};

const interfaceIds: Partial<Record<TokenStandard, string>> = { erc721: '80ac58cd', erc1155: 'd9b67a26' };
type Called = { readonly contract: Contract; readonly address: string; readonly args: string; readonly world: World };
const argument = (args: string, index: number) => args.slice(index * 64, (index + 1) * 64);
const number = (text: string) => BigInt(`0x${text}`);
const addressIn = (text: string) => `0x${text.slice(24)}`;

const text =
  (key: 'name' | 'symbol' | 'uri') =>
  ({ contract }: Called) =>
    contract[key] === undefined ? reverted : abiText(contract[key]);

const methods: Readonly<Record<string, (called: Called) => string | ContractError>> = {
  '06fdde03': text('name'),
  '95d89b41': text('symbol'),
  c87b56dd: text('uri'),
  '0e89341c': text('uri'),
  '313ce567': ({ contract: { decimals } }) => (decimals === undefined ? reverted : `0x${word(decimals)}`),
  '18160ddd': ({ contract }) => (contract.standard === 'erc1155' ? reverted : `0x${word(10n ** 30n)}`),
  '01ffc9a7': ({ contract, args }) => {
    const own = contract.interfaceId ?? (contract.standard && interfaceIds[contract.standard]);
    return own ? `0x${word(Number(['01ffc9a7', own].includes(args.slice(0, 8))))}` : reverted;
  },
  '70a08231': ({ address, args, world }) =>
    `0x${word(world.balance({ standard: 'erc20', contract: address }, addressIn(argument(args, 0))))}`,
  '6352211e': ({ address, args, world }) => {
    const owner = world.owner(address, number(argument(args, 0)).toString());
    return owner && number(owner.slice(2)) > 0n ? `0x${addressWord(owner)}` : reverted;
  },
  '00fdd58e': ({ address, args, world }) => {
    const tokenId = number(argument(args, 1)).toString();
    const holder = addressIn(argument(args, 0));
    return `0x${word(world.balance({ standard: 'erc1155', contract: address, tokenId }, holder))}`;
  },
};

export const contractsOf = () => {
  const deployed = new Map<string, { readonly contract: Contract; readonly since: number }>();
  const at = (address: string, block: number) => {
    const found = deployed.get(address);
    return found && found.since <= block ? found.contract : null;
  };
  return {
    deploy: (address: string, contract: Contract, since: number) => {
      deployed.set(address, { contract, since });
    },
    code: (address: string, block: number) => (at(address, block) ? '0x6001' : '0x'),
    call: (address: string, data: string, block: number, world: World): string | ContractError => {
      const contract = at(address, block);
      if (!contract) return '0x';
      const selector = data.slice(0, 10);
      const method = contract.answers?.[selector] ?? methods[selector.slice(2)];
      if (typeof method !== 'function') return method ?? reverted;
      return method({ contract, address, args: data.slice(10), world });
    },
  };
};
export type Contracts = ReturnType<typeof contractsOf>;

const topics = {
  Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  TransferSingle: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
};
const topic = (address: string) => `0x${addressWord(address)}`;

/** Builds the log that a token of the asset's standard writes for a transfer. */
export const tokenLog = (
  asset: Exclude<Asset, { standard: 'native' | 'token' }>,
  from: string,
  to: string,
  value = 1n,
) => {
  const address = asset.contract;
  const parties = [topic(from), topic(to)];
  if (asset.standard === 'erc20') return { address, topics: [topics.Transfer, ...parties], data: `0x${word(value)}` };
  const token = word(BigInt(asset.tokenId));
  return asset.standard === 'erc721'
    ? { address, topics: [topics.Transfer, ...parties, `0x${token}`], data: '0x' }
    : { address, topics: [topics.TransferSingle, topic(from), ...parties], data: `0x${token}${word(value)}` };
};
