import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { createBackpressure } from '../../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../../application/gateway/chain-feed.js';
import { type Connection, createConnection } from '../../../interfaces/gateway/connection.js';
import { addressIn, targetOf } from '../../../interfaces/gateway/target.js';
import { testSystem } from '../silent.js';
import { type Neighbours, type Organization, watchTurns } from './greedy-and-modest.js';

/** Feed that never tells anything; a subscription begins in a later turn, as where a node is asked first. */
const quietFeed = (): ChainFeed => {
  const join = async () => {
    await testSystem.breathe();
    return () => undefined;
  };
  return { onHeads: join, onLogs: join, onPending: join, onSyncing: join };
};

/** WebSocket whose client is the test. */
const createSocket = (hear: (text: string) => void) =>
  Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    isPaused: false,
    send: (message: Uint8Array | string) => hear(String(message)),
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
    terminate: () => undefined,
  });

/**
 * Says once for the modest organization what it asks, right after many connections of the greedy one said what they ask.
 * Returns how many calls of the greedy one were answered before the modest one's (`waited`), and at most in one turn of
 * the loop (`atOnce`).
 */
export const sayBeside = async (
  { app, greedy, modest }: Neighbours,
  address: string,
  said: { readonly greedy: readonly string[]; readonly modest: string },
) => {
  const pieces = { greedy: 0, modest: 0 };
  const connections = new Set<Connection>();
  const pressure = createBackpressure(connections, Number.POSITIVE_INFINITY);
  const feed = quietFeed();
  const say = (by: Organization, text: string) =>
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
  const crowd = said.greedy.map((text) => say(greedy, text));
  const answer = await say(modest, said.modest);
  const waited = pieces.greedy;
  await Promise.all(crowd);
  for (const socket of opened) socket.emit('close');
  return { answer, waited, atOnce: await stopWatching() };
};
