import type { Chain, TokenContract } from '../../../application/ports/chain.js';
import type { Asset, TokenStandard } from '../../../domain/asset.js';
import { refuse } from '../../../domain/failure.js';
import { addressWord, isTrue, isWord, numberIn, textIn, tokenWord } from './abi.js';
import type { Node, Nodes } from './nodes.js';
import { answerOf } from './transport.js';

const supportsInterface = '0x01ffc9a7';
const interfaces = { erc165: '01ffc9a7', none: 'ffffffff', erc721: '80ac58cd', erc1155: 'd9b67a26' };
const selectors = {
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  decimals: '0x313ce567',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
};
const mostCharacters = 200;
/** A character of UTF-8 has up to four bytes. */
const mostNameBytes = mostCharacters * 4;
const mostUriBytes = 16 * 1024;
const mostDecimals = 255n;

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
    erc165: `${supportsInterface}${interfaces.erc165.padEnd(64, '0')}`,
    none: `${supportsInterface}${interfaces.none.padEnd(64, '0')}`,
    erc721: `${supportsInterface}${interfaces.erc721.padEnd(64, '0')}`,
    erc1155: `${supportsInterface}${interfaces.erc1155.padEnd(64, '0')}`,
  });
type About = Awaited<ReturnType<typeof askAbout>>['answers'];

/** A contract that says yes to everything says nothing (ERC-165). */
const supports = (about: About, standard: 'erc721' | 'erc1155') =>
  isTrue(about.erc165) && !isTrue(about.none) && isTrue(about[standard]);

/** Why it is not what it is said to be; null when it is. */
const objections: Readonly<Record<TokenStandard, (about: About) => string | null>> = {
  erc20: (about) => {
    if (supports(about, 'erc721')) return 'the contract is an ERC-721 one';
    if (supports(about, 'erc1155')) return 'the contract is an ERC-1155 one';
    const answers = isWord(about.totalSupply) && isWord(about.balanceOf);
    return answers ? null : 'the contract does not answer totalSupply and balanceOf as ERC-20 does';
  },
  erc721: (about) => (supports(about, 'erc721') ? null : 'the contract does not say that it supports ERC-721'),
  erc1155: (about) => (supports(about, 'erc1155') ? null : 'the contract does not say that it supports ERC-1155'),
};

const nameIn = (answer: unknown) => [...(textIn(answer, mostNameBytes)?.text ?? '')].slice(0, mostCharacters).join('');

const descriptionIn = (about: About, standard: TokenStandard): TokenContract => {
  const [name, symbol] = [nameIn(about.name), nameIn(about.symbol)];
  const decimals = standard === 'erc20' ? numberIn(about.decimals) : null;
  return {
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(decimals !== null && decimals <= mostDecimals && { decimals: Number(decimals) }),
  };
};

/** A node that lags may not know the contract yet, so a refusal is believed only when every node agrees. */
export const readContract =
  (nodes: Nodes): Chain['contract'] =>
  async (contract, standard) => {
    let objection = '';
    const found = await nodes.find(async (node) => {
      const { hasCode, answers } = await askAbout(node, contract);
      const reason = hasCode ? objections[standard](answers) : 'there is no contract at this address';
      if (reason === null) return descriptionIn(answers, standard);
      objection = reason;
      return null;
    });
    return found ?? refuse('FAILED_PRECONDITION', objection);
  };

/** How to ask for a token's URI; ERC-1155 leaves a gap in it for the token's number. */
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
      const read = textIn(answers.uri, mostUriBytes);
      const uri = read?.isWhole ? call.fill(read.text) : '';
      return uri && uri.length <= mostUriBytes ? uri : null;
    });
    return found ?? '';
  };
