import { createRequire } from 'node:module';
import { Interface } from 'ethers';
import type { World } from '../world.js';

type Ask = World['ask'];
type Receipt = { readonly contractAddress: string };
type Compiled = { readonly abi: string; readonly evm: { readonly bytecode: { readonly object: string } } };
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: { readonly Hostile: { readonly Coin: Compiled; readonly Picture: Compiled } };
};
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const source = `
pragma solidity ^0.8.24;

contract Coin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function totalSupply() external pure returns (uint256) {
        return 1;
    }

    /// Returns a balance of the contract itself, which a registration reads. Any other balance takes all gas.
    function balanceOf(address owner) external view returns (uint256) {
        while (owner != address(this)) {}
        return 0;
    }

    function mint(address to, uint256 times) external {
        for (uint256 i = 0; i < times; i++) emit Transfer(address(0), to, 1);
    }
}

contract Picture {
    string private _uri;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    constructor(string memory uri) {
        _uri = uri;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function tokenURI(uint256) external view returns (string memory) {
        return _uri;
    }

    function mint(address to, uint256 id) external {
        emit Transfer(address(0), to, id);
    }
}
`;

const compile = () => {
  const input = {
    language: 'Solidity',
    sources: { Hostile: { content: source } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (!contracts?.Hostile) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return contracts.Hostile;
};

/** Creates one contract and returns its address, and a function that calls its method `mint`. */
const deploy = async (ask: Ask, { abi, evm }: Compiled, ...args: readonly unknown[]) => {
  const contract = new Interface(abi);
  // Sends from the last account, which sends no other transactions.
  const [from] = (await ask<string[]>('eth_accounts')).slice(-1);
  const data = `0x${evm.bytecode.object}${contract.encodeDeploy(args).slice(2)}`;
  const hash = await ask<string>('eth_sendTransaction', { from, data });
  const { contractAddress: address } = await ask<Receipt>('eth_getTransactionReceipt', hash);
  return {
    address,
    mint: (...given: readonly unknown[]) =>
      ask<string>('eth_sendTransaction', { from, to: address, data: contract.encodeFunctionData('mint', given) }),
  };
};

/** Deploys an ERC-20 contract that uses all gas to read a balance, and an ERC-721 contract with metadata at `uri`. */
export const deployHostileContracts = async (ask: Ask, uri: string) => {
  const { Coin, Picture } = compile();
  return { coin: await deploy(ask, Coin), picture: await deploy(ask, Picture, uri) };
};
