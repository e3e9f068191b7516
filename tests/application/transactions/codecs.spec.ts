import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { TransactionCodec } from '../../../application/ports/codec.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { chains } from '../../../domain/variant.js';
import { transactionCodecs } from '../../../infrastructure/chains/transaction-codecs.js';
import { composeApp, contextOf, followedVariant, openStores } from '../../support/following/following.js';
import { createdTransaction } from '../../support/histories/created-transaction.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const transactionId = 't1';
const created = { ...createdTransaction, transactionId };

describe('the transaction codec', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeEach(async () => {
    stores = await openStores();
    await createHandle(stores.events, testSystem)(context, [
      transactionStep(context, { type: 'Create', data: created }),
    ]);
  });
  afterEach(() => stores.close());

  /**
   * Composes the application with TON nodes for an API of EVM transactions, and with the codec unless the codec is
   * null.
   */
  const appOn = (codec: TransactionCodec | null) =>
    composeApp(stores, {
      chains: new Map([[followedVariant.tag, { chain: {} as never, isNew: false, family: 'ton' }]]),
      transactionCodecs: { ...transactionCodecs, ton: codec },
    });

  it('is chosen by the chain family of the nodes', async () => {
    const codec: TransactionCodec = {
      digest: () => 'digest of another family',
      unsigned: () => '0x',
      assemble: () => null,
      tokenCall: () => '',
      readTokenCall: () => null,
    };
    const { digest } = await appOn(codec).transactions.messageToSign(context, transactionId);
    assert.equal(digest, 'digest of another family');
  });

  it('is an error for a family without a codec, and never that of another family', async () => {
    const { transactions } = appOn(null);
    await assert.rejects(transactions.messageToSign(context, transactionId), /family ton has no transaction codec/);
    await assert.rejects(
      transactions.submitSignature(context, transactionId, '0x'),
      /family ton has no transaction codec/,
    );
  });

  for (const { tag, nodeFamilies } of chains.filter((one) => one.can.includes('managed-transactions')))
    it(`exists for every node family of chain ${tag}, which has managed transactions`, () => {
      for (const family of nodeFamilies) assert.ok(transactionCodecs[family], family);
    });
});
