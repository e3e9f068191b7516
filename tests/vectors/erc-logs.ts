import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import solc from 'solc';
import { type Abi, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { startDevelopmentEvm } from '../../infrastructure/chains/development/evm/chain.js';
import { artifacts } from '../../infrastructure/chains/development/evm/contracts/artifacts.js';
import { silent } from '../support/silent.js';
import { caller, type ExpectedTransfer, type LogCase, logCases } from './erc-log-cases.js';

/** Log as the EVM wrote it, and the transfer that the code under test must read from the log. */
export type LogVector = {
  readonly name: string;
  readonly contract: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly expect: ExpectedTransfer;
};
type Deployable = { readonly abi: Abi; readonly bytecode: Hex };
type Receipt = {
  readonly contractAddress: string;
  readonly status: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly Hex[]; readonly data: Hex }[];
};

const emitter = (): Deployable => {
  const content = readFileSync(new URL('Emitter.sol', import.meta.url), 'utf8');
  const settings = {
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const input = { language: 'Solidity', sources: { 'Emitter.sol': { content } }, settings };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  assert.deepEqual(errors, []);
  const { abi, evm } = contracts['Emitter.sol'].Emitter;
  return { abi, bytecode: `0x${evm.bytecode.object}` };
};

const deployable = ({ abi, bytecode }: { readonly abi: readonly string[]; readonly bytecode: string }): Deployable => ({
  abi: parseAbi(abi),
  bytecode: bytecode as Hex,
});

/**
 * Records the log of every case on a new development chain, where the contracts have the same addresses in each run.
 * Returns null if EDR, the optional EVM of that chain, is not installed.
 */
export const recordLogs = async (): Promise<readonly LogVector[] | null> => {
  const chain = await startDevelopmentEvm({ blockMs: 0, log: silent });
  if (!chain) return null;
  const send = async (transaction: object) => {
    const hash = await chain.request('eth_sendTransaction', [{ from: caller, ...transaction }]);
    const receipt = (await chain.request('eth_getTransactionReceipt', [hash])) as Receipt;
    assert.equal(receipt.status, '0x1');
    return receipt;
  };
  const contracts: Readonly<Record<LogCase['contract'], Deployable>> = {
    Emitter: emitter(),
    TestErc20: deployable(artifacts.TestErc20),
    TestErc721: deployable(artifacts.TestErc721),
    TestErc1155: deployable(artifacts.TestErc1155),
  };
  const addresses = new Map<string, string>();
  for (const [name, { bytecode }] of Object.entries(contracts))
    addresses.set(name, (await send({ data: bytecode })).contractAddress);
  const vectors: LogVector[] = [];
  for (const { name, contract, call, args, expect } of logCases) {
    const data = encodeFunctionData({ abi: contracts[contract].abi, functionName: call, args: [...args] });
    const { logs } = await send({ to: addresses.get(contract), data });
    const [log, ...others] = logs;
    assert(log && others.length === 0, name);
    vectors.push({ name, contract: log.address, topics: log.topics, data: log.data, expect });
  }
  await chain.close();
  return vectors;
};
