import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { embedded } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { sized } from '../../support/run/tier.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

/** Maximum number of open files, which bounds the number of connections both here and in the service. */
const maxOpen = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) || 10_000;
const count = Math.min(sized(3000, 10_000), maxOpen - 500);
const atOnce = 500;
/**
 * Memory limit in bytes: 20 kB per connection, and 50 MB for other work. It is five times the usual amount, which
 * includes garbage.
 */
const maxBytes = count * 20_000 + 50_000_000;

const residentBytes = ({ process: { pid } }: Service) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

/** Beginnings of requests that never end: nothing, half a request line, and headers that trickle in. */
const openings = ['', 'POST /v1/c/ListWa', 'POST /v1/c/ListWallets HTTP/1.1\r\nhost: x\r\n'];

describe('thousands of idle connections', () => {
  let service: Service;
  const sockets: Socket[] = [];
  before(async () => {
    service = await startService({ on: embedded });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    assert.equal(await service.stop(), 0);
  });

  const open = async (opening: string) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    // A socket that is not read does not notice that the connection has ended.
    socket.resume();
    sockets.push(socket);
    await once(socket, 'connect');
    if (opening) socket.write(opening);
  };

  it('are closed within seconds, and delay no other caller meanwhile', async () => {
    const ask = () => clientOf(service).c.listWallets({});
    await ask();
    const before = residentBytes(service);
    for (let n = 0; n < count; n += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, i) => open(openings[i % openings.length] ?? '')));
      await ask();
    }
    const usedBytes = residentBytes(service) - before;
    assert.ok(usedBytes < maxBytes, `${usedBytes} bytes more for ${count} connections`);
    let left = sockets;
    const refused: unknown[] = [];
    await until('the service has closed every connection', async () => {
      left = left.filter((socket) => !socket.destroyed);
      for (const socket of left.filter((_, i) => i % 10 === 2)) socket.write('x: y\r\n');
      await ask().catch((error: unknown) => refused.push(error));
      return left.length === 0;
    });
    assert.deepEqual(refused, []);
  });
});
