import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { nameOf } from './context.js';
import { createExecution } from './execution.js';
import { createFailures } from './failures.js';
import { encodeReply, frameReader, readRequest } from './wire.js';

/** MongoDB server in this process, to which the real driver connects over TCP. */
export type MongoDouble = {
  readonly url: string;
  /**
   * Makes the next `times` commands of that name fail. With `when: 'after'`, a command takes effect before the error is
   * returned.
   */
  failCommand(
    name: string,
    code: number,
    times?: number,
    options?: { readonly label?: string; readonly when?: 'before' | 'after' },
  ): void;
  /** Accepts connections and commands while `on` is true, but neither runs nor answers the commands. */
  mute(on: boolean): void;
  dropConnections(): void;
  stop(): Promise<void>;
  /** Starts again on the same port with the same data, but without open transactions and cursors. */
  start(): Promise<void>;
  close(): Promise<void>;
  /**
   * Names of all commands in order, including failed and muted ones, but without hellos, which the driver sends at any
   * time.
   */
  readonly commands: readonly string[];
};

const greetings = new Set(['hello', 'isMaster', 'ismaster']);

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

export const startMongoDouble = async ({
  standalone = false,
}: {
  readonly standalone?: boolean;
} = {}): Promise<MongoDouble> => {
  const failures = createFailures();
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let muted = false;

  const answer = async (socket: Socket, message: Buffer) => {
    const request = readRequest(message);
    const name = nameOf(request.command);
    if (!greetings.has(name)) commands.push(name);
    if (muted) return;
    const reply = await execution.run(request.command, failures.take(name), () => !socket.destroyed);
    if (request.wantsReply && !muted && !socket.destroyed) socket.write(encodeReply(request, reply));
  };

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Treats a reset of the connection by the driver as a close.
    socket.on('error', () => socket.destroy());
    socket.on(
      'data',
      frameReader((message) => {
        answer(socket, message).catch((error: Error) => socket.destroy(error));
      }),
    );
  });
  const port = await listen(server, 0);
  const address = `127.0.0.1:${port}`;
  const execution = createExecution({ address, standalone });

  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    dropConnections();
    execution.forgetVolatile();
    await closed;
  };
  return {
    url: `mongodb://${address}/${standalone ? '' : '?replicaSet=rs0'}`,
    failCommand: (name, code, times = 1, { label, when = 'before' } = {}) => {
      failures.plan(name, { code, label, when }, times);
    },
    mute: (on) => {
      muted = on;
    },
    dropConnections,
    stop,
    start: async () => {
      if (!server.listening) await listen(server, port);
    },
    close: stop,
    commands,
  };
};
