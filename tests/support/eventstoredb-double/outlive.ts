import { status } from '@grpc/grpc-js';
import { connect } from '../../../infrastructure/eventstoredb/connection.js';
import { startEventStoreDouble } from './server.js';

/** Lets the client throw outside every call, and then appends: a program of its own, because it may end its process. */
const double = await startEventStoreDouble();
const connection = await connect(double.url);
// The client looks for the leader's address in the answer, and throws where there is none.
double.fail('append', status.NOT_FOUND, 1, 'before', { exception: 'not-leader' });
const record = { id: '00000000-0000-4000-8000-000000000001', type: 'E', data: {}, metadata: {} };
await connection.append('orders', -1, [record]);
process.stdout.write(`${double.log.length} stored\n`);
await connection.close();
await double.close();
if (process.argv.includes('--own-mistake')) {
  await connect(double.url);
  setImmediate(() => {
    throw new Error('a mistake of this program');
  });
}
