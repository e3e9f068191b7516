import assert from 'node:assert/strict';
import { credentials, status } from '@grpc/grpc-js';
import services from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v2/streams/streams_grpc_pb.js';
import messages from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v2/streams/streams_pb.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';

/** Makes an append of one record that succeeds in every state of its stream. */
const appendTo = (stream: string) => {
  const schema = new messages.SchemaInfo().setName('E');
  const record = new messages.AppendRecord().setRecordId(stream).setStream(stream).setSchema(schema);
  return record.setData(Buffer.from('{}'));
};

const calls = {
  AppendRecords: (client: InstanceType<typeof services.StreamsServiceClient>, stream: string) =>
    new Promise<unknown>((resolve, reject) => {
      const state = new messages.ConsistencyCheck.StreamStateCheck().setStream(stream).setExpectedState('-2');
      const check = new messages.ConsistencyCheck().setStreamState(state);
      const request = new messages.AppendRecordsRequest().setChecksList([check]).setRecordsList([appendTo(stream)]);
      client.appendRecords(request, (error, answer) => (error ? reject(error) : resolve(answer)));
    }),
  AppendSession: (client: InstanceType<typeof services.StreamsServiceClient>, stream: string) =>
    new Promise<unknown>((resolve, reject) => {
      const session = client.appendSession((error, answer) => (error ? reject(error) : resolve(answer)));
      session.write(
        new messages.AppendRequest()
          .setStream(stream)
          .setExpectedRevision('-2')
          .setRecordsList([appendTo(stream)]),
      );
      session.end();
    }),
};

for (const [name, append] of Object.entries(calls))
  describe(`the EventStoreDB double with ${name}`, () => {
    let double: EventStoreDouble;
    let client: InstanceType<typeof services.StreamsServiceClient>;
    beforeEach(async () => {
      double = await startEventStoreDouble({ manyStreams: ['AppendSession', 'AppendRecords'] });
      client = new services.StreamsServiceClient(new URL(double.url).host, credentials.createInsecure());
    });
    afterEach(async () => {
      client.close();
      await double.close();
    });

    it('holds back answers to committed appends, and then sends them', async () => {
      double.holdAnswers(true);
      let answered = 0;
      const appends = ['a', 'b'].map(async (stream) => {
        await append(client, stream);
        answered++;
      });
      await until('both answers are held back', () => double.heldAnswers === 2);
      assert.deepEqual([double.log.length, answered], [2, 0]);
      double.holdAnswers(false);
      await Promise.all(appends);
    });

    it('answers nothing while muted, commits nothing unless requested, and fails the open calls if it goes away', async () => {
      double.mute(true);
      const ignored = assert.rejects(append(client, 'a'), { code: status.UNAVAILABLE });
      await until('the append is left without an answer', () => double.unanswered === 1);
      assert.equal(double.log.length, 0);
      double.mute(false);
      double.muteAfterCommit(true);
      const unconfirmed = assert.rejects(append(client, 'b'), { code: status.UNAVAILABLE });
      await until('the next append is left without an answer', () => double.unanswered === 2);
      assert.equal(double.log.length, 1);
      double.dropConnections();
      await Promise.all([ignored, unconfirmed]);
    });
  });
