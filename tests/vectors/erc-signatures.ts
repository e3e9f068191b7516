import { parseAbi, toEventSelector, toFunctionSelector } from 'viem';

/**
 * Interfaces, parsed by viem, as declared in the texts of ERC-20, ERC-721, ERC-1155 and ERC-165, and in the code of
 * CryptoKitties (which follows a draft of ERC-721) and of WETH9.
 */
export const ercs = {
  erc20: parseAbi([
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address owner) view returns (uint256)',
    'function transfer(address to, uint256 value) returns (bool)',
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
  ]),
  erc721: parseAbi([
    'function balanceOf(address owner) view returns (uint256)',
    'function ownerOf(uint256 tokenId) view returns (address)',
    'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data) payable',
    'function safeTransferFrom(address from, address to, uint256 tokenId) payable',
    'function transferFrom(address from, address to, uint256 tokenId) payable',
    'function approve(address approved, uint256 tokenId) payable',
    'function setApprovalForAll(address operator, bool approved)',
    'function getApproved(uint256 tokenId) view returns (address)',
    'function isApprovedForAll(address owner, address operator) view returns (bool)',
    'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  ]),
  earlyErc721: parseAbi([
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address owner) view returns (uint256)',
    'function ownerOf(uint256 tokenId) view returns (address)',
    'function approve(address to, uint256 tokenId)',
    'function transfer(address to, uint256 tokenId)',
    'function transferFrom(address from, address to, uint256 tokenId)',
    'function tokensOfOwner(address owner) view returns (uint256[])',
    'function tokenMetadata(uint256 tokenId, string transport) view returns (string)',
    'event Transfer(address from, address to, uint256 tokenId)',
  ]),
  weth9: parseAbi([
    'event Deposit(address indexed dst, uint256 wad)',
    'event Withdrawal(address indexed src, uint256 wad)',
  ]),
  erc1155: parseAbi([
    'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
    'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
    'function balanceOf(address owner, uint256 id) view returns (uint256)',
    'function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])',
    'function setApprovalForAll(address operator, bool approved)',
    'function isApprovedForAll(address owner, address operator) view returns (bool)',
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
    'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ]),
  erc165: parseAbi(['function supportsInterface(bytes4 id) view returns (bool)']),
  erc721Metadata: parseAbi(['function tokenURI(uint256 tokenId) view returns (string)']),
  erc1155Metadata: parseAbi(['function uri(uint256 id) view returns (string)']),
} as const;

const entries = Object.values(ercs).flatMap((abi) => [...abi]);
const functionsOf = (abi: (typeof ercs)[keyof typeof ercs]) => abi.filter((entry) => entry.type === 'function');
const joined = (selectors: readonly string[]) =>
  `0x${selectors
    .reduce((sum, selector) => sum ^ BigInt(selector), 0n)
    .toString(16)
    .padStart(8, '0')}`;

/** Selectors and interface ids of the standards, each with the name of its function, event or interface. */
export const ercNumbers: ReadonlyMap<string, string> = new Map([
  ...entries.map((entry): [string, string] =>
    entry.type === 'event'
      ? [toEventSelector(entry), `event ${entry.name}`]
      : [toFunctionSelector(entry), `function ${entry.name}`],
  ),
  // ERC-165 defines the id of an interface as the exclusive or of its function selectors.
  ...(['erc721', 'earlyErc721', 'erc1155'] as const).map((name): [string, string] => [
    joined(functionsOf(ercs[name]).map((entry) => toFunctionSelector(entry))),
    `interface ${name}`,
  ]),
  ['0xffffffff', 'the interface that ERC-165 lets no contract support'],
]);
