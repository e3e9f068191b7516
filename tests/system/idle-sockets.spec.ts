import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { embedded } from '../support/engines.js';
import { clientOf, type Service, startService } from '../support/service.js';
import { sized } from '../support/tier.js';

/** Ten thousand where so many files may be open at once, here and in the service. */
const mostOpen = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) || 10_000;
const count = Math.min(sized(3000, 10_000), mostOpen - 500);
const atOnce = 500;
/** What a connection may cost: 20 kB, and room for what else happens meanwhile. */
const mostBytes = count * 20_000 + 50_000_000;

const residentBytes = ({ process: { pid } }: Service) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

/** Says nothing, half a line, or headers without end, a piece each time it is asked to. */
const openings = ['', 'POST /v1/c/ListWa', 'POST /v1/c/ListWallets HTTP/1.1\r\nhost: x\r\n'];

describe('thousands of connections that ask for nothing', function () {
  this.timeout(120_000);
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
    // Unread, the end of a connection is not noticed.
    socket.resume();
    sockets.push(socket);
    await once(socket, 'connect');
    if (opening) socket.write(opening);
  };

  it('are let go within seconds, and hold up nobody meanwhile', async () => {
    const ask = () => clientOf(service).c.listWallets({});
    await ask();
    const before = residentBytes(service);
    for (let n = 0; n < count; n += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, i) => open(openings[i % openings.length] ?? '')));
      await ask();
    }
    const most = residentBytes(service) - before;
    assert.ok(most < mostBytes, `${most} bytes more for ${count} connections`);
    let left = sockets.filter((socket) => !socket.destroyed);
    while (left.length > 0) {
      for (const socket of left.filter((_, i) => i % 10 === 2)) socket.write('x: y\r\n');
      await ask();
      // The test ends in time only if all of them are cut.
      await new Promise((resolve) => setTimeout(resolve, 500));
      left = left.filter((socket) => !socket.destroyed);
    }
  });
});
