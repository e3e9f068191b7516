import { mapInSlices, slicesOf } from '../../../application/async/slices.js';
import type { Header } from '../../../application/ports/chain.js';
import type { Holding } from '../../../domain/aggregates/ledger.js';
import type { Asset } from '../../../domain/asset.js';
import { failInvalidAnswer, NodeFault } from '../../nodes/node-fault.js';
import { record } from '../../nodes/raw.js';
import { addressIn, addressWord, numberIn, tokenWord } from './abi.js';
import type { Node, Nodes } from './nodes.js';
import { answerOf, type Outcome, type RpcCall, resultOf } from './outcome.js';
import { hash, inHex, quantity } from './wire.js';

/** Holdings per batch; with the call that goes before them they stay below the usual batch size of 100. */
const holdingsAtOnce = 98;
const chunksAtOnce = 4;
/** Gas limit of a call: plenty for a balance, and it soon stops a contract that never ends. */
const maxGas = inHex(300_000);
const nobody = `0x${'0'.repeat(40)}`;
const selectors = { balanceOf: '0x70a08231', ownerOf: '0x6352211e', balanceOfToken: '0x00fdd58e' };

type Question<T> = {
  readonly call: (block: unknown) => RpcCall;
  readonly read: (outcome: Outcome | undefined) => T;
};

const ask = (contract: string, data: string) => (block: unknown) => ({
  method: 'eth_call',
  params: [{ to: contract, data, gas: maxGas }, block],
});
/** Answer of an address without code: at this block the contract does not exist, so every balance of it is 0. */
const noCode = '0x';
const readNumber = (outcome: Outcome | undefined) => {
  const answer = answerOf(outcome);
  return answer === noCode ? '0' : (numberIn(answer)?.toString() ?? null);
};

const readOwner = (address: string) => (outcome: Outcome | undefined) => {
  // ERC-721 makes contracts revert for a token without an owner, such as a burnt one.
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
    call: ask(contract, `${selectors.balanceOf}${addressWord(address)}`),
    read: readNumber,
  }),
  erc721: ({ address, contract, token }) => ({
    call: ask(contract, `${selectors.ownerOf}${token}`),
    read: readOwner(address),
  }),
  erc1155: ({ address, contract, token }) => ({
    call: ask(contract, `${selectors.balanceOfToken}${addressWord(address)}${token}`),
    read: readNumber,
  }),
};

/** Returns null for a token id that no contract can have. */
const questionFor = ({ address, asset }: Holding): Question<string | null> | null => {
  const contract = 'contract' in asset ? asset.contract : '';
  const token = 'tokenId' in asset ? tokenWord(asset.tokenId) : '';
  if (token === null || asset.standard === 'token') return null;
  return questions[asset.standard]({ address, contract, token });
};

const balanceOfNobody = (block: unknown): RpcCall => ({ method: 'eth_getBalance', params: [nobody, block] });

/**
 * Tells whether a node accepts a block by its hash (EIP-1898). Some refuse it, and some ignore it, which shows in an
 * answer for a hash that cannot exist.
 */
const takesHashes = async (node: Node, at: Header): Promise<boolean> => {
  const [real, absurd] = await node.batch(
    [at.hash, inHex(0).padEnd(66, '0')].map((blockHash) => balanceOfNobody({ blockHash })),
  );
  return real !== undefined && 'result' in real && absurd !== undefined && 'fault' in absurd;
};

/**
 * Asks at a block hash. The first call distinguishes a node that lacks the block from a contract that does not answer.
 */
const askByHash = async (node: Node, asked: readonly Question<unknown>[], { hash: blockHash }: Header) => {
  const calls = asked.map(({ call }) => call({ blockHash }));
  const [check, ...outcomes] = await node.batch([balanceOfNobody({ blockHash }), ...calls]);
  resultOf(check);
  return outcomes;
};

const confirmNumber = async (node: Node, at: Header) => {
  const block = await node.call('eth_getBlockByNumber', [inHex(at.number), false]);
  if (block === null) throw new NodeFault('missing', 'does not know the block yet');
  if (hash(record(block, 'the block').hash, 'the block hash') !== at.hash) failInvalidAnswer('is on another fork');
};

/** Asks at a height and checks the block's hash before and after, because the node may switch forks in between. */
const askByNumber = async (node: Node, asked: readonly Question<unknown>[], at: Header) => {
  await confirmNumber(node, at);
  const outcomes = await node.batch(asked.map(({ call }) => call(inHex(at.number))));
  await confirmNumber(node, at);
  // The node knows the block by its number, so refusing its hash means that it does not support hashes.
  node.can.stateByHash = false;
  return outcomes;
};

const askNode = async <T>(node: Node, asked: readonly Question<T>[], at: Header) => {
  const byHash = node.can.stateByHash ?? (await takesHashes(node, at));
  if (byHash) node.can.stateByHash = true;
  const outcomes = await (byHash ? askByHash : askByNumber)(node, asked, at);
  return asked.map(({ read }, i) => read(outcomes[i]));
};

/** Reads the chain's state as of exactly that block; all questions must fit into one batch. */
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
