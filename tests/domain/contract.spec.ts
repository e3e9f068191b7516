import { contract } from '../../domain/contract.js';
import { token } from '../../domain/token.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

describe('contract', () => {
  const data = { contract: '0xcc', standard: 'erc20', description: { symbol: 'C', decimals: 6 } } as const;
  const renamed = { ...data, description: { symbol: 'D' } } as const;
  const nft = { contract: '0xcc', standard: 'erc721', description: {} } as const;
  const registered = { type: 'ContractRegistered', data } as const;
  const registeredNft = { type: 'ContractRegistered', data: nft } as const;
  const removed = { type: 'ContractRemoved', data: { contract: '0xcc' } } as const;
  const taken = refused('ALREADY_EXISTS', '0xcc is registered with another contract_type');
  check(contract, {
    pasts: {
      none: [],
      'registered as erc20': [registered],
      'registered as erc721': [registeredNft],
      removed: [registered, removed],
      'registered again as erc721': [registered, removed, registeredNft],
    },
    rows: [
      ['Register as erc20', { type: 'Register', data }, emits(registered), nothing, taken, emits(registered), taken],
      [
        'Register as erc20 under another name',
        { type: 'Register', data: renamed },
        emits({ type: 'ContractRegistered', data: renamed } as const),
        nothing,
        taken,
        emits({ type: 'ContractRegistered', data: renamed } as const),
        taken,
      ],
      [
        'Register as erc721',
        { type: 'Register', data: nft },
        emits(registeredNft),
        taken,
        nothing,
        emits(registeredNft),
        nothing,
      ],
      [
        'Remove',
        { type: 'Remove', data: { contract: '0xcc' } },
        nothing,
        emits(removed),
        emits(removed),
        nothing,
        emits(removed),
      ],
    ],
  });
});

describe('token', () => {
  const said = (uri: string, text: string) => ({ contract: '0xcc', tokenId: '1', uri, text });
  const ask = (uri: string, text: string) => ({ type: 'Describe', data: said(uri, text) }) as const;
  const described = (uri: string, text: string) => ({ type: 'TokenDescribed', data: said(uri, text) }) as const;
  const moved = emits(described('u2', 't1'));
  check(token, {
    pasts: {
      'nothing is known': [],
      'its address is known': [described('u1', '')],
      'all is known': [described('u1', 't1')],
      'all was found bit by bit': [described('u1', ''), described('u1', 't1')],
    },
    rows: [
      ['Describe without a find', ask('', ''), nothing, nothing, nothing, nothing],
      ['Describe by address', ask('u1', ''), emits(described('u1', '')), nothing, nothing, nothing],
      [
        'Describe by address and text',
        ask('u1', 't1'),
        emits(described('u1', 't1')),
        emits(described('u1', 't1')),
        nothing,
        nothing,
      ],
      [
        'Describe by another address',
        ask('u2', ''),
        emits(described('u2', '')),
        emits(described('u2', '')),
        moved,
        moved,
      ],
      [
        'Describe by text alone',
        ask('', 't2'),
        emits(described('', 't2')),
        ...Array(3).fill(emits(described('u1', 't2'))),
      ],
    ],
  });
});
