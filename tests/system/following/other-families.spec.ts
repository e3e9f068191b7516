import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { startDevelopmentSui } from '../../../infrastructure/chains/development/sui/chain.js';
import { startDevelopmentTon } from '../../../infrastructure/chains/development/ton/chain.js';
import { accountOf } from '../../support/chains/ton-transactions.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const options = { blockMs: 0, log: silent };
const evmAddress = `0x${'a1'.repeat(20)}`;
const suiAddress = `0x${'a1'.repeat(32)}`;

/**
 * Development chains by family, each with an address for each variant in the given and the listed form, and an address
 * that the family rejects.
 */
const families = {
  ton: async () => {
    const chain = await startDevelopmentTon(options);
    const addresses = (segment: Segment) => {
      const listed = accountOf(`under ${segment}`);
      return { given: Address.parseRaw(listed).toString({ bounceable: false }), listed };
    };
    return chain && { ...chain, addresses, invalid: suiAddress };
  },
  sui: async () => {
    const addresses = () => ({ given: suiAddress.toUpperCase().replace('0X', '0x'), listed: suiAddress });
    return { ...(await startDevelopmentSui(options)), addresses, invalid: accountOf('a TON account') };
  },
  evm: async () => {
    const chain = await startDevelopmentEvm(options);
    if (!chain) return null;
    const controls = {
      transfer: (sent: object) => chain.request('dev_transfer', [sent]),
      mine: (blocks: number) => chain.request('dev_mine', [blocks]),
    };
    const addresses = () => ({ given: evmAddress, listed: evmAddress });
    return { controls, urls: [chain.url], close: chain.close, addresses, invalid: suiAddress };
  },
};
type Segment = 'p' | 's';
type Family = keyof typeof families;
type Development = NonNullable<Awaited<ReturnType<(typeof families)[Family]>>>;
type Sent = { transaction_hash?: string; transaction_digest?: string; block_number: number };

/** Services, each with the family of the nodes of P and of S. Together they have all but the usual families. */
const services: readonly Readonly<Record<Segment, Family>>[] = [
  { p: 'ton', s: 'ton' },
  { p: 'sui', s: 'evm' },
];
/** Fields of a transfer, by variant, that name its transaction and its outcome. */
const fieldsOf = {
  p: (transaction: string) => ({ asset_type: 'ASSET_TYPE_P', transaction_hash: transaction }),
  s: (transaction: string) => ({ asset_type: 'ASSET_TYPE_S', transaction_digest: transaction, status: 'success' }),
};

for (const nodes of services)
  describe(`a service with nodes of ${nodes.p} for P and of ${nodes.s} for S`, () => {
    const developments = new Map<Family, Development>();
    let service: Service;
    before(async () => {
      for (const family of new Set(Object.values(nodes))) {
        const started = await families[family]();
        if (started) developments.set(family, started);
      }
      const urlOf = (family: Family) => developments.get(family)?.urls.join() ?? 'off';
      service = await startService({
        on: embedded,
        env: { CHAIN_P_URL: urlOf(nodes.p), CHAIN_S_URL: urlOf(nodes.s) },
      });
    });
    after(async () => {
      await service?.stop();
      for (const { close } of developments.values()) await close();
    });

    for (const segment of ['p', 's'] as const)
      it(`accepts ${nodes[segment]} addresses under ${segment}, and lists transfers and balances in the records of the variant`, async function () {
        const chain = developments.get(nodes[segment]);
        if (!chain) return skip(this, `the development chain of ${nodes[segment]}`);
        const { addresses, invalid, controls } = chain;
        const { given, listed } = addresses(segment);
        const api = clientOf(service)[segment];
        const { wallet_id } = await api.registerWallet({ name: 'other', address: given });
        const sent = (await controls.transfer({ to: given, value: '70' })) as Sent;
        await controls.mine(10);
        const expected = {
          ...fieldsOf[segment](sent.transaction_hash ?? sent.transaction_digest ?? ''),
          to: listed,
          value: '70',
          block_height: sent.block_number,
        };
        await eventually(async () => {
          const { transfers } = await api.listTransfers({ wallet_id });
          const [transfer = assert.fail('no transfer is listed'), ...others] = transfers;
          assert.deepEqual(others, []);
          assert.deepEqual({ ...transfer, ...expected }, transfer);
          assert.ok(transfer.from !== '' && Number(transfer.block_timestamp) > 0);
        });
        await eventually(async () => {
          const { assets } = await api.listAssets({ wallet_id, asset_type: expected.asset_type });
          assert.deepEqual(
            assets.map(({ address, balance }) => [address, balance]),
            [[listed, '70']],
          );
        });
        await assert.rejects(
          api.registerAddress({ wallet_id, address: invalid }),
          new RegExp(`is not a valid ${nodes[segment]} address`),
        );
      });
  });
