import assert from 'node:assert/strict';
import type { Holding } from '../../../../domain/aggregates/ledger/ledger-data.js';
import { readBalances } from '../../../../infrastructure/chains/evm/balances.js';
import type { Node, Nodes } from '../../../../infrastructure/chains/evm/nodes.js';
import type { RpcCall } from '../../../../infrastructure/chains/evm/outcome.js';
import { word } from '../../../support/chains/evm-contracts.js';

const contract = `0x${'c'.repeat(40)}`;
const address = `0x${'a'.repeat(40)}`;
const at = { number: 7, hash: `0x${'b'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, time: 1 };
const holdings: readonly Holding[] = [
  { address, asset: { standard: 'native' } },
  { address, asset: { standard: 'erc20', contract } },
  { address, asset: { standard: 'erc721', contract, tokenId: '1' } },
  { address, asset: { standard: 'erc1155', contract, tokenId: '1' } },
];

describe('the calls that read balances from an EVM node', () => {
  const ways = [
    { way: 'by block hash', stateByHash: true },
    { way: 'by height', stateByHash: false },
  ];
  for (const { way, stateByHash } of ways)
    it(`limit every contract to 300,000 gas, ${way}`, async () => {
      const sent: RpcCall[] = [];
      const node: Node = {
        call: async () => ({ hash: at.hash }),
        batch: async (calls) => {
          sent.push(...calls);
          return calls.map(({ method }) => ({ result: method === 'eth_call' ? `0x${word(0)}` : '0x0' }));
        },
        can: { stateByHash },
      };
      await readBalances({ use: (work: (one: Node) => unknown) => work(node) } as unknown as Nodes, holdings, at);
      const toContract = sent.filter(({ method }) => method === 'eth_call').map(({ params }) => params[0]);
      assert.deepEqual(
        toContract.map((call) => {
          const { to, gas } = call as { to: string; gas: string };
          return [to, Number(gas)];
        }),
        Array(3).fill([contract, 300_000]),
      );
    });
});
