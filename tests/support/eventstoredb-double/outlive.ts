import { status } from '@grpc/grpc-js';
import { connect } from '../../../infrastructure/eventstoredb/connection.js';
import { startEventStoreDouble } from './server.js';

/**
 * Double that makes the client library throw an exception outside every call. This process must survive that exception;
 * with the argument `--own-mistake`, an exception of the process itself must still end it.
 */
const double = await startEventStoreDouble();
const connection = await connect(double.url);
// The client library throws, because this failure lacks the address of the leader.
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
