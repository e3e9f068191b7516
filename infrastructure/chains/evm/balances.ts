import { mapInSlices, slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import type { Asset } from '../../../domain/asset.js';
import { failInvalidAnswer, NodeFault } from '../../nodes/node-fault.js';
import { record } from '../../nodes/raw.js';
import { addressIn, addressWord, numberIn, tokenWord } from './abi.js';
import type { Node, Nodes } from './nodes.js';
import { answerOf, type Outcome, type RpcCall, resultOf } from './outcome.js';
import { hash, inHex, quantity } from './wire.js';

/**
 * Maximum number of balances read with one batch. Together with the leading check call, a batch stays below 100 calls,
 * a common limit of nodes.
 */
const holdingsAtOnce = 98;
const chunksAtOnce = 4;
/** Gas limit of a call: plenty for one value, and low enough to stop an endless loop quickly. */
export const maxGas = inHex(300_000);
const zeroAddress = `0x${'0'.repeat(40)}`;
const selectors = { balanceOf: '0x70a08231', ownerOf: '0x6352211e', balanceOfToken: '0x00fdd58e' };

type Question<T> = {
  readonly call: (block: unknown) => RpcCall;
  readonly read: (outcome: Outcome | undefined) => T;
};

const contractCall = (contract: string, data: string) => (block: unknown) => ({
  method: 'eth_call',
  params: [{ to: contract, data, gas: maxGas }, block],
});
/**
 * Result of a contract call at an address without code. The contract does not exist at this block, so every balance is
 * 0.
 */
const noCode = '0x';
const readNumber = (outcome: Outcome | undefined) => {
  const answer = answerOf(outcome);
  return answer === noCode ? '0' : (numberIn(answer)?.toString() ?? null);
};

const readOwner = (address: string) => (outcome: Outcome | undefined) => {
  // ERC-721 contracts revert for a token without an owner, such as a burnt one.
  if (outcome && 'fault' in outcome && outcome.fault.kind === 'reverted') return '0';
  if (answerOf(outcome) === noCode) return '0';
  const owner = addressIn(answerOf(outcome));
  if (owner === null) return null;
  return owner === address ? '1' : '0';
};

const readNative = (outcome: Outcome | undefined) => quantity(resultOf(outcome), 'the balance').toString();

type Asked = { readonly address: string; readonly contract: string; readonly token: string };

const questions: Readonly<Record<Exclude<Asset['standard'], 'token'>, (asked: Asked) => Question<string | null>>> = {
  native: ({ address }) => ({
    call: (block) => ({ method: 'eth_getBalance', params: [address, block] }),
    read: readNative,
  }),
  erc20: ({ address, contract }) => ({
    call: contractCall(contract, `${selectors.balanceOf}${addressWord(address)}`),
    read: readNumber,
  }),
  erc721: ({ address, contract, token }) => ({
    call: contractCall(contract, `${selectors.ownerOf}${token}`),
    read: readOwner(address),
  }),
  erc1155: ({ address, contract, token }) => ({
    call: contractCall(contract, `${selectors.balanceOfToken}${addressWord(address)}${token}`),
    read: readNumber,
  }),
};

/**
 * Returns the call that reads the balance of a holding; null for an invalid token id and for the standard `token`,
 * which EVM chains do not have.
 */
const questionFor = ({ address, asset }: Holding): Question<string | null> | null => {
  const contract = 'contract' in asset ? asset.contract : '';
  const token = 'tokenId' in asset ? tokenWord(asset.tokenId) : '';
  if (token === null || asset.standard === 'token') return null;
  return questions[asset.standard]({ address, contract, token });
};

const balanceOfZeroAddress = (block: unknown): RpcCall => ({ method: 'eth_getBalance', params: [zeroAddress, block] });

/**
 * Returns whether a node supports block hashes as parameters (EIP-1898). Some nodes reject the hash. Other nodes ignore
 * the hash, and therefore also answer for a hash that cannot exist.
 */
const supportsBlockHash = async (node: Node, at: Header): Promise<boolean> => {
  const [real, impossible] = await node.batch(
    [at.hash, inHex(0).padEnd(66, '0')].map((blockHash) => balanceOfZeroAddress({ blockHash })),
  );
  return real !== undefined && 'result' in real && impossible !== undefined && 'fault' in impossible;
};

/**
 * Queries the state at a block hash. The first call fails if the node lacks the block, so that other failures can be
 * attributed to the contract.
 */
const askByHash = async (node: Node, asked: readonly Question<unknown>[], { hash: blockHash }: Header) => {
  const calls = asked.map(({ call }) => call({ blockHash }));
  const [check, ...outcomes] = await node.batch([balanceOfZeroAddress({ blockHash }), ...calls]);
  resultOf(check);
  return outcomes;
};

const confirmNumber = async (node: Node, at: Header) => {
  const block = await node.call('eth_getBlockByNumber', [inHex(at.number), false]);
  if (block === null) throw new NodeFault('missing', 'does not have the block yet');
  if (hash(record(block, 'the block').hash, 'the block hash') !== at.hash) failInvalidAnswer('is on another fork');
};

/** Queries the state at a height and checks the block hash before and after, because the node may switch forks. */
const askByNumber = async (node: Node, asked: readonly Question<unknown>[], at: Header) => {
  await confirmNumber(node, at);
  const outcomes = await node.batch(asked.map(({ call }) => call(inHex(at.number))));
  await confirmNumber(node, at);
  // The node has the block, so `supportsBlockHash` returned false because the node does not support block hashes as
  // parameters.
  node.can.stateByHash = false;
  return outcomes;
};

const askNode = async <T>(node: Node, asked: readonly Question<T>[], at: Header) => {
  const byHash = node.can.stateByHash ?? (await supportsBlockHash(node, at));
  if (byHash) node.can.stateByHash = true;
  const outcomes = await (byHash ? askByHash : askByNumber)(node, asked, at);
  return asked.map(({ read }, i) => read(outcomes[i]));
};

/** Reads the state of the chain as of exactly block `at`. All questions must fit into one batch. */
export const askAt = <T>(nodes: Nodes, asked: readonly Question<T>[], at: Header): Promise<T[]> =>
  nodes.use((node) => askNode(node, asked, at));

const chunk = async (nodes: Nodes, holdings: readonly Holding[], at: Header): Promise<(string | null)[]> => {
  const asked = holdings.map(questionFor);
  const possible = asked.filter((question) => question !== null);
  const answers = await askAt(nodes, possible, at);
  let next = 0;
  return asked.map((question) => (question ? (answers[next++] ?? null) : null));
};

export const readBalances = async (
  nodes: Nodes,
  holdings: readonly Holding[],
  at: Header,
): Promise<readonly (string | null)[]> => {
  const chunks = [...slicesOf(holdings, holdingsAtOnce)];
  return (await mapInSlices(chunks, chunksAtOnce, (some) => chunk(nodes, some, at))).flat();
};
