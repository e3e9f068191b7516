import assert from 'node:assert/strict';
import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { projections } from '../../../projections/index.js';
import { useItems } from '../../support/mongodb-double/items.js';

describe('the limits of the MongoDB double', () => {
  const { double, client, items } = useItems();
  const transaction = () => {
    const session = client().startSession();
    session.startTransaction();
    return session;
  };

  it('keep the documents of a silent client locked until its session is killed', async () => {
    const silent = transaction();
    await items().updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session: silent });
    const write = () => items().updateOne({ _id: '1' }, { $inc: { n: 100 } }, { session: transaction() });
    await assert.rejects(write(), { code: 112, errorLabels: ['TransientTransactionError'] });
    await client()
      .db('admin')
      .command({ killSessions: [{ id: silent.id?.id }] });
    assert.equal((await write()).modifiedCount, 1);
  });

  it('reject a document of more than 16 MB, which the read models report as such', async () => {
    const $set = { n: 1, text: 'x'.repeat(16 * 1024 * 1024) };
    await assert.rejects(items().updateOne({ _id: '1' }, { $set }), { code: 10_334 });
    const store = await mongoReadModels(double().url, projections);
    const [collection] = projections;
    assert.ok(collection);
    const change = { collection, scope: 'scope', id: 'id', document: { text: $set.text } };
    const refusal = { code: 'FAILED_PRECONDITION', message: /larger than 16 MB/ };
    await assert.rejects(store.commit([change], await store.checkpoint(), {}), refusal);
    await store.close();
  });
});
