import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { createBackpressure } from '../../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../../application/gateway/chain-feed.js';
import { type Connection, createConnection } from '../../../interfaces/gateway/connection.js';
import { addressIn, targetOf } from '../../../interfaces/gateway/target.js';
import { testSystem } from '../silent.js';
import { type Neighbours, type Organization, watchTurns } from './greedy-and-modest.js';

/** Makes a feed that never notifies. Subscriptions begin in a later turn of the event loop, as after a request. */
const quietFeed = (): ChainFeed => {
  const join = async () => {
    await testSystem.breathe();
    return () => undefined;
  };
  return { onHeads: join, onLogs: join, onPending: join, onSyncing: join };
};

/** Makes the server's side of a WebSocket; the test is the client. */
const createSocket = (onMessage: (text: string) => void) =>
  Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    isPaused: false,
    send: (message: Uint8Array | string) => onMessage(String(message)),
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
    terminate: () => undefined,
  });

/**
 * Sends one message of the modest organization right after messages on many connections of the greedy one. Returns the
 * number of greedy calls that were answered before the modest message (`waited`), and the maximum number of greedy
 * calls that were answered in one turn of the event loop (`atOnce`).
 */
export const callBeside = async (
  { app, greedy, modest }: Neighbours,
  address: string,
  messages: { readonly greedy: readonly string[]; readonly modest: string },
) => {
  const pieces = { greedy: 0, modest: 0 };
  const connections = new Set<Connection>();
  const pressure = createBackpressure(connections, Number.POSITIVE_INFINITY);
  const feed = quietFeed();
  const send = (by: Organization, text: string) =>
    new Promise<unknown>((resolve) => {
      const socket = createSocket((answer) => {
        const answers: unknown = JSON.parse(answer);
        pieces[by.name] += Array.isArray(answers) ? answers.length : 1;
        resolve(answers);
      });
      const target = targetOf(app, addressIn(`/${address}/v1/ws/${by.key}`, 'socket') as never);
      const line = { socket: socket as unknown as WebSocket, wire: new PassThrough() };
      connections.add(createConnection(app, line, { ...target, feed } as never, pressure));
      socket.emit('message', Buffer.from(text));
      opened.push(socket);
    });
  const opened: EventEmitter[] = [];
  const stopWatching = watchTurns(pieces);
  const crowd = messages.greedy.map((text) => send(greedy, text));
  const answer = await send(modest, messages.modest);
  const waited = pieces.greedy;
  await Promise.all(crowd);
  for (const socket of opened) socket.emit('close');
  return { answer, waited, atOnce: await stopWatching() };
};
