import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import type { Interest } from '../../../../application/ports/chain.js';
import { addressCodecs } from '../../../../infrastructure/chains/address-codecs.js';
import { startDevelopmentTon } from '../../../../infrastructure/chains/development/ton/chain.js';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { silent } from '../../../support/silent.js';

type Sent = { transaction_hash: string; block_hash: string; block_number: number; transaction_hashes: string[] };

const everything: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
const native = { standard: 'native' } as const;
const anna = accountOf('anna');

describe('the TON development chain', () => {
  const start = async () => {
    const development =
      (await startDevelopmentTon({ blockMs: 0, log: silent })) ?? assert.fail('the virtual machine does not load');
    return { development, chain: await tonChain(development.urls, silent) };
  };
  let started: Awaited<ReturnType<typeof start>>;
  before(async () => {
    started = await start();
  });
  after(async () => {
    await started.chain.close();
    await started.development.close();
  });
  const transfer = async (options: object) => (await started.development.controls.transfer({ ...options })) as Sent;

  it('is a new network at every start, and starts with its first block', async () => {
    const other = await start();
    assert.notEqual((await other.chain.genesis()).hash, (await started.chain.genesis()).hash);
    assert.equal((await other.chain.head()).number, 1);
    assert.equal((await other.chain.headerAt(1))?.parentHash, (await other.chain.genesis()).hash);
    await other.chain.close();
    await other.development.close();
  });

  it('makes a transfer that the connector reads, in a block of its own', async () => {
    const sent = await transfer({ to: anna, value: '1500000000', message: 'for the rent' });
    const { chain } = started;
    const head = await chain.head();
    assert.deepEqual([sent.block_number, sent.block_hash], [head.number, head.hash]);
    const block = await chain.block(head.hash, { ...everything, address: (one) => one === anna });
    const [movement, ...others] = block?.movements ?? [];
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...movement, from: '', details: { ...movement?.details, transfer_hash: '', from_user_friendly_address: '' } },
      {
        transaction: sent.transaction_hash,
        index: 'in',
        side: 'to',
        asset: native,
        from: '',
        to: anna,
        value: '1500000000',
        fee: '0',
        failed: false,
        details: {
          seq_no: String(head.number),
          workchain: '0',
          shard: '8000000000000000',
          from_user_friendly_address: '',
          to_user_friendly_address: addressCodecs.ton.friendly(anna),
          message: 'for the rent',
          transfer_hash: '',
          transfer_type: 'TRANSFER_TYPE_INCOMING',
          bounced: 'false',
        },
      },
    );
    const whole = await chain.block(head.hash, everything);
    const [out, received] = whole?.movements ?? [];
    assert.equal(out?.details.transfer_hash, received?.details.transfer_hash);
    assert.deepEqual(await chain.balances([{ address: anna, asset: native }], head), ['1500000000']);
  });

  it('bounces value from an account without code when the address is bounceable', async () => {
    const bert = accountOf('bert');
    await transfer({ to: Address.parseRaw(bert).toString({ bounceable: true }), value: '1000000000' });
    const { chain } = started;
    const head = await chain.head();
    const movements = (await chain.block(head.hash, everything))?.movements ?? [];
    assert.deepEqual(
      movements.map(({ side, failed, details: { bounced } }) => ({ side, failed, bounced })),
      [
        { side: 'from', failed: false, bounced: 'false' },
        { side: 'to', failed: true, bounced: 'false' },
        { side: 'from', failed: true, bounced: 'true' },
        { side: 'to', failed: false, bounced: 'true' },
      ],
    );
    assert.deepEqual(await chain.balances([{ address: bert, asset: native }], head), ['0']);
  });

  it('mines blocks on request', async () => {
    const { number } = await started.chain.head();
    await started.development.controls.mine(3);
    assert.equal((await started.chain.head()).number, number + 3);
  });

  it('rejects transfers that it cannot make', async () => {
    for (const options of [{ to: '0x00', value: 1 }, { to: anna }, { to: anna, value: '-1' }])
      await assert.rejects(transfer(options), { name: 'RpcError', code: -32602 });
  });
});
