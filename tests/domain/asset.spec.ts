import assert from 'node:assert/strict';
import { type Asset, assetKey } from '../../domain/asset.js';
import { coin, native } from '../support/histories/ledger-events.js';

describe('an asset', () => {
  it('has a unique key', () => {
    const all: Asset[] = [
      native,
      coin,
      { standard: 'erc20', contract: '0xcd' },
      { standard: 'erc721', contract: '0xcc', tokenId: '1' },
      { standard: 'erc721', contract: '0xcc', tokenId: '2' },
      { standard: 'erc1155', contract: '0xcc', tokenId: '1' },
    ];
    assert.equal(new Set(all.map(assetKey)).size, all.length);
  });
});
