import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { createBackpressure, type Reader } from '../../../application/gateway/backpressure.js';
import { toNotification } from '../../../application/gateway/notification.js';
import { createOutbox } from '../../../interfaces/gateway/outbox.js';
import { heldBytes } from '../../support/held-memory.js';

const mega = 1_048_576;
const subscriber = { id: `0x${'a'.repeat(32)}`, prefix: 'eth' } as const;
const piece = (i: number) => toNotification({ i, data: 'x'.repeat(1000) });

/** Creates a client over a connection that accepts every frame, or none. */
const createClient = (readers: Set<Reader>, pressure: ReturnType<typeof createBackpressure>, doesRead: boolean) => {
  const frames: Buffer[] = [];
  const wire = new Duplex({
    read: () => undefined,
    write: (frame: Buffer, _, done) => {
      if (!doesRead) return;
      frames.push(frame);
      done();
    },
  });
  const client = {
    isCut: false as boolean,
    frames,
    push: (notification: ReturnType<typeof toNotification>) => outbox.push(notification, subscriber),
    buffered: () => (client.isCut ? 0 : wire.writableLength),
    unread: () => outbox.bytes() + client.buffered(),
    cut: () => {
      client.isCut = true;
      outbox.close();
      readers.delete(client);
    },
  };
  const line = { socket: { readyState: 1, OPEN: 1 } as WebSocket, wire };
  const outbox = createOutbox(line, pressure, client.cut);
  readers.add(client);
  return client;
};

describe('the outbox of a gateway client', () => {
  const open = (maxBytes: number) => {
    const readers = new Set<Reader>();
    const pressure = createBackpressure(readers, maxBytes);
    return { pressure, readers, join: (doesRead = false) => createClient(readers, pressure, doesRead) };
  };

  it('sends notifications of any length as WebSocket frames, in order', () => {
    const { join, pressure } = open(mega);
    const reader = join(true);
    const values = ['', 'x'.repeat(200), 'ü'.repeat(40_000)];
    for (const value of values) reader.push(toNotification(value));
    const payloads = reader.frames.map((frame) => {
      assert.equal(frame[0], 0x81);
      const short = frame[1] as number;
      if (short < 126) return frame.subarray(2);
      return short === 126 ? frame.subarray(4) : frame.subarray(10);
    });
    assert.deepEqual(
      payloads.map((payload) => JSON.parse(payload.toString())),
      values.map((result) => ({
        jsonrpc: '2.0',
        method: 'eth_subscription',
        params: { subscription: subscriber.id, result },
      })),
    );
    const lengths = reader.frames.map((frame) => {
      const short = frame[1] as number;
      return short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
    });
    assert.deepEqual(
      lengths,
      payloads.map(({ length }) => length),
    );
    assert.equal(pressure.waiting(), 0);
  });

  it('holds at most 10,000 notifications, and counts each once for all clients', () => {
    const { join, pressure } = open(100 * mega);
    const [slow, quick] = [join(), join(true)];
    for (let i = 0; i < 10_100; i++) for (const client of [slow, quick]) client.push(piece(i));
    assert(slow.isCut && !quick.isCut);
    assert.equal(quick.frames.length, 10_100);
    assert.equal(pressure.waiting(), 0);
  });

  it('shares a byte limit with all others, and clients with the most unread bytes are disconnected first', () => {
    const cap = 16 * mega;
    const { join, pressure } = open(cap);
    const stalled = Array.from({ length: 500 }, () => join());
    const reader = join(true);
    const before = heldBytes();
    const standing = () => stalled.filter(({ isCut }) => !isCut).length;
    for (let i = 0; i < 3000; i++) {
      const notification = piece(i);
      reader.push(notification);
      // A client that joins later is sent fewer notifications, and so has less unread.
      for (const [place, client] of stalled.entries()) if (i >= place) client.push(notification);
      const left = stalled.findIndex(({ isCut }) => !isCut);
      assert(
        stalled.every(({ isCut }, place) => isCut === (left < 0 || place < left)),
        `a client with less unread was cut first, at notification ${i}`,
      );
    }
    assert(standing() < 500 && standing() > 0, `${standing()} are left`);
    const held = heldBytes() - before;
    assert(held < 4 * cap, `${held} bytes are held`);
    assert.equal(reader.frames.length, 3000);
    for (const client of stalled) client.cut();
    assert.equal(pressure.waiting(), 0);
  });

  it('counts bytes that its connection has not sent yet', () => {
    const { join, pressure } = open(mega);
    const [heavy, light] = [join(), join()];
    heavy.push(toNotification('x'.repeat(2 * mega)));
    light.push(toNotification('x'));
    pressure.check();
    assert(!heavy.isCut);
    pressure.checkAll();
    assert(heavy.isCut && !light.isCut);
  });
});
