import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Receiver that accepts all requests, and reports the time from the first request to the last expected request.
let expected = 0;
let seen = 0;
let firstAt = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (seen++ === 0) firstAt = performance.now();
    response.end();
    if (seen === expected) process.send?.({ ms: performance.now() - firstAt });
  });
});
server.keepAliveTimeout = 60_000;
process.on('message', (count: number) => {
  expected = count;
  seen = 0;
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 1024, () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
