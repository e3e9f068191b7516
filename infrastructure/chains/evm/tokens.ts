import type { Chain } from '../../../application/ports/chain.js';
import type { Asset, TokenStandard } from '../../../domain/asset.js';
import { fail } from '../../../domain/failure.js';
import { type TokenDescription, truncateName } from '../../../domain/token-description.js';
import { addressWord, isTrue, numberIn, textIn, tokenWord } from './abi.js';
import type { Node, Nodes } from './nodes.js';
import { answerOf } from './outcome.js';

const supportsInterface = '0x01ffc9a7';
const interfaces = {
  erc165: '01ffc9a7',
  none: 'ffffffff',
  erc721: '80ac58cd',
  /**
   * Interface id of the ERC-721 draft that CryptoKitties and its copies implement. The draft's Transfer event has no
   * indexed parameters.
   */
  earlyErc721: '9a20483d',
  erc1155: 'd9b67a26',
};
/** Returns the data of the call that asks a contract whether it supports an interface (ERC-165). */
export const supportsCall = (name: keyof typeof interfaces): string =>
  `${supportsInterface}${interfaces[name].padEnd(64, '0')}`;

const selectors = {
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  decimals: '0x313ce567',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
};
/** Maximum number of bytes of a name that are decoded: enough for the longest name that is stored. */
const maxNameBytes = 800;
const maxUriBytes = 16 * 1024;
const maxDecimals = 255n;

const ask = async <K extends string>(node: Node, to: string, asked: Readonly<Record<K, string>>) => {
  const entries = Object.entries<string>(asked);
  const outcomes = await node.batch([
    { method: 'eth_getCode', params: [to, 'latest'] },
    ...entries.map(([, data]) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })),
  ]);
  const [code, ...answers] = outcomes.map(answerOf);
  return {
    hasCode: typeof code === 'string' && code.length > 2,
    answers: Object.fromEntries(entries.map(([key], i) => [key, answers[i]])) as Record<K, unknown>,
  };
};

const askAbout = (node: Node, contract: string) =>
  ask(node, contract, {
    ...selectors,
    balanceOf: `${selectors.balanceOf}${addressWord(contract)}`,
    erc165: supportsCall('erc165'),
    none: supportsCall('none'),
    erc721: supportsCall('erc721'),
    earlyErc721: supportsCall('earlyErc721'),
    erc1155: supportsCall('erc1155'),
  });
type About = Awaited<ReturnType<typeof askAbout>>['answers'];

const claims = { erc721: ['erc721', 'earlyErc721'], erc1155: ['erc1155'] } as const;

/**
 * Returns whether a contract supports a standard. A contract that also claims the invalid interface id 0xffffffff is
 * not believed (ERC-165).
 */
const supports = (about: About, standard: 'erc721' | 'erc1155') =>
  isTrue(about.erc165) && !isTrue(about.none) && claims[standard].some((key) => isTrue(about[key]));

/** Functions, by standard, that return why a contract does not conform to the standard, or null if it does. */
const objections: Readonly<Record<TokenStandard, (about: About) => string | null>> = {
  erc20: (about) => {
    if (supports(about, 'erc721')) return 'The contract is not an ERC-20 token: it supports ERC-721.';
    if (supports(about, 'erc1155')) return 'The contract is not an ERC-20 token: it supports ERC-1155.';
    const answers = [about.totalSupply, about.balanceOf].every((answer) => numberIn(answer) !== null);
    return answers ? null : 'The contract is not an ERC-20 token: totalSupply or balanceOf does not return a number.';
  },
  erc721: (about) => (supports(about, 'erc721') ? null : 'The contract does not report support for ERC-721 (ERC-165).'),
  erc1155: (about) =>
    supports(about, 'erc1155') ? null : 'The contract does not report support for ERC-1155 (ERC-165).',
};

const nameIn = (answer: unknown) => truncateName(textIn(answer, maxNameBytes)?.text ?? '');

const descriptionIn = (about: About, standard: TokenStandard): TokenDescription => {
  const [name, symbol] = [nameIn(about.name), nameIn(about.symbol)];
  const decimals = standard === 'erc20' ? numberIn(about.decimals) : null;
  return {
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(decimals !== null && decimals <= maxDecimals && { decimals: Number(decimals) }),
  };
};

/**
 * Creates a function that reads a token contract. The function rejects the contract only if all nodes agree, because a
 * lagging node may not have the contract yet.
 */
export const readContract =
  (nodes: Nodes): Chain['contract'] =>
  async (contract, standard) => {
    if (standard === 'token')
      return fail('FAILED_PRECONDITION', 'A token on an EVM chain needs a standard: erc20, erc721 or erc1155.');
    let objection = '';
    const found = await nodes.find(async (node) => {
      const { hasCode, answers } = await askAbout(node, contract);
      const reason = hasCode ? objections[standard](answers) : 'No contract found at this address.';
      if (reason === null) return descriptionIn(answers, standard);
      objection = reason;
      return null;
    });
    return found ?? fail('FAILED_PRECONDITION', objection);
  };

/**
 * Functions, by standard, that build the call for the URI of a token. An ERC-1155 URI may contain the placeholder
 * `{id}`, which `fill` replaces with the token id.
 */
const uriCalls: Readonly<Record<string, (token: string) => { data: string; fill(uri: string): string }>> = {
  erc721: (token) => ({ data: `0xc87b56dd${token}`, fill: (uri) => uri }),
  erc1155: (token) => ({ data: `0x0e89341c${token}`, fill: (uri) => uri.replaceAll('{id}', token) }),
};

export const readTokenUri =
  (nodes: Nodes): Chain['tokenUri'] =>
  async (asset: Asset) => {
    const token = 'tokenId' in asset ? tokenWord(asset.tokenId) : null;
    const call = token && uriCalls[asset.standard]?.(token);
    if (!('tokenId' in asset) || !call) return '';
    const found = await nodes.find(async (node) => {
      const { answers } = await ask(node, asset.contract, { uri: call.data });
      const read = textIn(answers.uri, maxUriBytes);
      const uri = read?.isWhole ? call.fill(read.text) : '';
      return uri && uri.length <= maxUriBytes ? uri : null;
    });
    return found ?? '';
  };
