import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import type { Writable } from 'node:stream';
import { closeAfterTest, closeAll, egressWith, portOf, serve } from '../../support/webhooks/egress.js';
import { at, messageTo, senderWith, serveRaw } from '../../support/webhooks/webhook-sender.js';

/** Writes endlessly, as fast as the peer reads, until the peer closes. */
const endlessly = (to: Writable, text: string) => {
  const more = (): void => {
    while (to.write(text));
    to.once('drain', more);
  };
  more();
};
/** Writes one chunk per millisecond, until the peer closes. */
const trickle = (socket: net.Socket, pieces: string | readonly string[]) => {
  let sent = 0;
  const drip = setInterval(() => socket.write(pieces[sent++ % pieces.length] ?? ''), 1).unref();
  socket.once('close', () => clearInterval(drip));
};
const timersNow = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

const head = 'HTTP/1.1 200 OK\r\n';
const deadlineMs = 400;
/** Deadline for endless responses that start immediately; the status must arrive even if this process is suspended. */
const longDeadlineMs = 10_000;
const late = 'no response within 0.4 s';
const broken = 'connection closed before a response';

describe('the webhook sender with hostile receivers', () => {
  afterEach(closeAll);

  const hostile: Record<string, readonly [outcome: number | string, speak: (socket: net.Socket) => unknown]> = {
    'never answers': [late, () => undefined],
    'trickles its headers': [late, (socket) => trickle(socket, `${head}a: ${'x'.repeat(10_000)}`)],
    'trickles its status': [late, (socket) => trickle(socket, `HTTP/1.1 200 ${'O'.repeat(10_000)}`)],
    'trickles its body': [200, (socket) => socket.write(`${head}\r\n`) && trickle(socket, 'x')],
    'never ends its body': [200, (socket) => socket.write(`${head}content-length: 9\r\n\r\nx`)],
    'sends a gigabyte': [200, (socket) => socket.write(`${head}\r\n`) && endlessly(socket, 'x'.repeat(65_536))],
    'promises a gigabyte': [200, (socket) => socket.write(`${head}content-length: 1073741824\r\n\r\nx`)],
    'sends chunks without end': [
      200,
      (socket) =>
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`) && endlessly(socket, '1\r\nx\r\n'.repeat(1000)),
    ],
    'sends early hints for ever': [
      'more than 8 interim responses (status 1xx)',
      (s) => endlessly(s, 'HTTP/1.1 103 Hint\r\n\r\n'.repeat(100)),
    ],
    'sends early hints now and then': [
      'more than 8 interim responses (status 1xx)',
      (s) => trickle(s, ['HTTP/1.1 102 P\r\n\r\n']),
    ],
    'sends blank lines for ever': [late, (socket) => endlessly(socket, '\r\n'.repeat(1000))],
    'sends huge headers': [
      'response headers too large',
      (socket) => socket.write(head) && endlessly(socket, `a: ${'x'.repeat(1000)}\r\n`),
    ],
    'sends one huge header': [
      'response headers too large',
      (socket) => socket.write(`${head}a: `) && endlessly(socket, 'x'.repeat(65_536)),
    ],
    'closes without an answer': [broken, (socket) => socket.end()],
    'resets without an answer': [broken, (socket) => socket.resetAndDestroy()],
    'resets amid its headers': [broken, (socket) => socket.write(`${head}a: b`, () => socket.resetAndDestroy())],
    'closes amid its body': [200, (socket) => socket.end(`${head}content-length: 9\r\n\r\nx`)],
    'changes the protocol': [broken, (s) => s.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
    'sends 100 Continue without being asked': [broken, (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
    'speaks another protocol': ['response is not valid HTTP', (socket) => socket.write('220 mail ESMTP\r\n')],
    'frames its answer in two ways': [
      'response is not valid HTTP',
      (socket) => socket.write(`${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
  };
  for (const [fault, [outcome, speak]] of Object.entries(hostile))
    it(`disconnects from a receiver that ${fault}`, async () => {
      const { port, sockets, left } = await serveRaw(speak);
      const timers = timersNow();
      // Keeps the long default deadline for all other outcomes, to show that the sender ends these requests without
      // waiting for it.
      const sender = senderWith({
        ...(outcome === 200 && { deadlineMs: longDeadlineMs }),
        ...(outcome === late && { deadlineMs }),
      });
      const { status, failure, answer } = await sender.post(messageTo(at(port)));
      assert.equal(status ?? failure, outcome);
      assert.equal(failure === '', status !== null);
      assert.ok(answer.length <= 1024, `${answer.length} characters`);
      await left();
      assert.equal(sockets.length, 1);
      const { bytesWritten = 0 } = sockets[0] ?? {};
      assert.ok(outcome === late || bytesWritten < 20_000_000, `${bytesWritten} bytes`);
      assert.ok(timersNow() <= timers, 'the sender left a timer behind');
    });

  it('disconnects from a receiver that does not read', async () => {
    const server = net.createServer({ pauseOnConnect: true });
    const connected = once(server, 'connection');
    server.listen(0, '127.0.0.1');
    closeAfterTest(() => server.close());
    await once(server, 'listening');
    const big = messageTo(at(portOf(server)), { body: 'x'.repeat(20_000_000) });
    assert.equal((await senderWith({ deadlineMs }).post(big)).failure, late);
    const [socket] = await connected;
    await once(socket.on('error', () => undefined).resume(), 'close');
  });

  it('does not send a notification that waited too long for a connection, and sends later ones', async () => {
    const held: (() => void)[] = [];
    const ids: unknown[] = [];
    const full = new EventEmitter();
    const port = await serve((req, res) => {
      ids.push(req.headers['webhook-id']);
      if (req.headers['webhook-id'] !== 'd1') return res.end();
      if (held.push(() => res.end()) === 32) full.emit('full');
    });
    const egress = egressWith({ allowPrivate: true });
    const [patient, hasty] = [senderWith({ egress }), senderWith({ egress, deadlineMs: 100 })];
    const isFull = once(full, 'full');
    const first = Array.from({ length: 32 }, () => patient.post(messageTo(at(port))));
    await isFull;
    assert.equal((await hasty.post(messageTo(at(port), { id: 'late' }))).failure, 'no response within 0.1 s');
    for (const release of held) release();
    assert.ok((await Promise.all(first)).every(({ status }) => status === 200));
    assert.equal((await patient.post(messageTo(at(port), { id: 'after' }))).status, 200);
    assert.deepEqual([ids.length, ids.includes('late')], [33, false]);
  });

  it('posts once to a receiver that breaks every second connection, and reports each break', async () => {
    let posts = 0;
    const port = await serve((_, res) => {
      posts += 1;
      if (posts % 2) res.end();
      else res.socket?.resetAndDestroy();
    });
    const sender = senderWith();
    const receptions = await Promise.all(Array.from({ length: 200 }, () => sender.post(messageTo(at(port)))));
    const outcomes = receptions.map(({ status, failure }) => status ?? failure).sort();
    assert.deepEqual(outcomes, [...Array(100).fill(200), ...Array(100).fill(broken)]);
    assert.equal(posts, 200);
  });

  it('reports at once that a connection was refused', async () => {
    const { port, left } = await serveRaw(() => undefined);
    await left();
    const sender = senderWith();
    const receptions = await Promise.all(Array.from({ length: 200 }, () => sender.post(messageTo(at(port)))));
    assert.deepEqual(new Set(receptions.map(({ failure }) => failure)), new Set(['connection refused']));
  });
});
