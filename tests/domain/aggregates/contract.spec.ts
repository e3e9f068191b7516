import { contract } from '../../../domain/aggregates/contract.js';
import { token } from '../../../domain/aggregates/token.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('a contract', () => {
  const data = { contract: '0xcc', standard: 'erc20', description: { symbol: 'C', decimals: 6 } } as const;
  const renamed = { ...data, description: { symbol: 'D' } } as const;
  const nft = { contract: '0xcc', standard: 'erc721', description: {} } as const;
  const registered = { type: 'ContractRegistered', data } as const;
  const registeredNft = { type: 'ContractRegistered', data: nft } as const;
  const removed = { type: 'ContractRemoved', data: { contract: '0xcc' } } as const;
  const failed = { type: 'ContractBalancesFailed', data: { contract: '0xcc', reason: 'no answer' } } as const;
  const recovered = { type: 'ContractBalancesRecovered', data: { contract: '0xcc' } } as const;
  const taken = refused('ALREADY_EXISTS', 'Contract 0xcc is registered with another contract_type');
  const asErc20 = 'registered as erc20';
  const asErc721 = 'registered as erc721';
  const again = 'registered again as erc721';
  check(contract, {
    states: {
      unknown: [],
      [asErc20]: [registered],
      [asErc721]: [registeredNft],
      removed: [registered, removed],
      [again]: [registered, removed, registeredNft],
      failing: [registered, failed],
      recovered: [registered, failed, recovered],
      'removed while it failed': [registered, failed, removed],
    },
    rows: [
      {
        asks: 'Register as erc20',
        command: { type: 'Register', data },
        when: {
          [asErc20]: nothing,
          failing: nothing,
          recovered: nothing,
          [asErc721]: taken,
          [again]: taken,
          otherwise: emits(registered),
        },
      },
      {
        asks: 'Register as erc20 under another name',
        command: { type: 'Register', data: renamed },
        when: {
          [asErc20]: nothing,
          failing: nothing,
          recovered: nothing,
          [asErc721]: taken,
          [again]: taken,
          otherwise: emits({ type: 'ContractRegistered', data: renamed } as const),
        },
      },
      {
        asks: 'Register as erc721',
        command: { type: 'Register', data: nft },
        when: {
          [asErc20]: taken,
          failing: taken,
          recovered: taken,
          [asErc721]: nothing,
          [again]: nothing,
          otherwise: emits(registeredNft),
        },
      },
      {
        asks: 'Remove',
        command: { type: 'Remove', data: { contract: '0xcc' } },
        when: {
          unknown: nothing,
          removed: nothing,
          'removed while it failed': nothing,
          otherwise: emits(removed),
        },
      },
      {
        asks: 'ReportFailure',
        command: { type: 'ReportFailure', data: failed.data },
        when: {
          unknown: nothing,
          removed: nothing,
          'removed while it failed': nothing,
          failing: nothing,
          otherwise: emits(failed),
        },
      },
      {
        asks: 'ReportRecovery',
        command: { type: 'ReportRecovery', data: recovered.data },
        when: { failing: emits(recovered), otherwise: nothing },
      },
    ],
  });
});

describe('a token', () => {
  const said = (uri: string, text: string) => ({ contract: '0xcc', tokenId: '1', uri, text });
  const ask = (uri: string, text: string) => ({ type: 'Describe', data: said(uri, text) }) as const;
  const described = (uri: string, text: string) => ({ type: 'TokenDescribed', data: said(uri, text) }) as const;
  check(token, {
    states: {
      unknown: [],
      'known by its URI': [described('u1', '')],
      'fully known': [described('u1', 't1')],
      'fully known since the second event': [described('u1', ''), described('u1', 't1')],
    },
    rows: [
      { asks: 'Describe with no data', command: ask('', ''), when: { otherwise: nothing } },
      {
        asks: 'Describe by URI',
        command: ask('u1', ''),
        when: { unknown: emits(described('u1', '')), otherwise: nothing },
      },
      {
        asks: 'Describe by URI and text',
        command: ask('u1', 't1'),
        when: {
          unknown: emits(described('u1', 't1')),
          'known by its URI': emits(described('u1', 't1')),
          otherwise: nothing,
        },
      },
      {
        asks: 'Describe by another URI',
        command: ask('u2', ''),
        when: {
          unknown: emits(described('u2', '')),
          'known by its URI': emits(described('u2', '')),
          otherwise: emits(described('u2', 't1')),
        },
      },
      {
        asks: 'Describe by text alone',
        command: ask('', 't2'),
        when: { unknown: emits(described('', 't2')), otherwise: emits(described('u1', 't2')) },
      },
    ],
  });

  const own = (uri: string, description: object) => ({ contract: '0xcc', tokenId: '', uri, text: '', description });
  const asked = (uri: string, description: object) => ({ type: 'Describe', data: own(uri, description) }) as const;
  const kept = (uri: string, description: object) => ({ type: 'TokenDescribed', data: own(uri, description) }) as const;
  const whole = { name: 'Coin', symbol: 'C', decimals: 6 };
  check(token, {
    states: {
      unknown: [],
      'known by its symbol': [kept('', { symbol: 'C' })],
      'fully known': [kept('u1', whole)],
    },
    rows: [
      { asks: 'Describe without a description', command: asked('', {}), when: { otherwise: nothing } },
      {
        asks: 'Describe by symbol',
        command: asked('', { symbol: 'C' }),
        when: { unknown: emits(kept('', { symbol: 'C' })), otherwise: nothing },
      },
      {
        asks: 'Describe by all fields',
        command: asked('u1', whole),
        when: { 'fully known': nothing, otherwise: emits(kept('u1', whole)) },
      },
      {
        asks: 'Describe by another name alone',
        command: asked('', { name: 'D' }),
        when: {
          unknown: emits(kept('', { name: 'D' })),
          'known by its symbol': emits(kept('', { symbol: 'C', name: 'D' })),
          'fully known': emits(kept('u1', { ...whole, name: 'D' })),
        },
      },
    ],
  });
});
