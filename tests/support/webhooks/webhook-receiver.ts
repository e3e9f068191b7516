import { createPublicKey, verify } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { createRandom } from '../random.js';
import { seed } from '../run/seed.js';

/** Behaviour of a receiver towards a notification. */
export type Fate = 'answer' | 'slow' | 'fail' | 'reset' | 'hang';

export type Notice = {
  readonly webhook_history_id: string;
  readonly webhook_id: string;
  readonly data: {
    readonly wallet_id: string;
    readonly address: string;
    readonly state: string;
    readonly transfer: {
      readonly transaction_hash: string;
      readonly to: string;
      readonly value: string;
      readonly block_number: number;
    };
  };
};

/** Notification as it arrived at the receiver. */
export type Attempt = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Time of arrival, Unix ms. */
  readonly at: number;
  /**
   * Number of the connection on which the notification arrived. Connections are numbered in the order in which they
   * were opened.
   */
  readonly connection: number;
  readonly fate: Fate;
  /** Time at which the answer was sent or the connection ended, Unix ms; null until then. */
  endedAt: number | null;
};

export const isAccepted = ({ fate }: Attempt) => fate === 'answer' || fate === 'slow';
export const noticeIn = ({ body }: Attempt) => JSON.parse(body) as Notice;

/** Bytes that precede the 32 bytes of an ed25519 public key in its SPKI encoding. */
const beforeKey = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys of a webhook, as GetWebhook returns them. */
export type Keys = { readonly webhook_id: string; readonly secret: string; readonly public_key: string };

/** Checks the first v1a signature, which is made with the webhook's own key. */
export const isOwn = ({ public_key }: Keys, headers: IncomingHttpHeaders, body: string) => {
  const key = createPublicKey({
    key: Buffer.concat([beforeKey, Buffer.from(public_key.slice('whpk_'.length), 'base64')]),
    format: 'der',
    type: 'spki',
  });
  const signature = /(?:^| )v1a,(\S+)/.exec(String(headers['webhook-signature']))?.[1] ?? '';
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return verify(null, signed, key, Buffer.from(signature, 'base64'));
};

/** Makes a check that returns null if both signatures of a notification are valid, and the reason if one is not. */
export const createVerifier =
  (known: ReadonlyMap<string, Keys>) =>
  (attempt: Attempt): string | null => {
    const { headers, body } = attempt;
    const keys = known.get(noticeIn(attempt).webhook_id);
    if (!keys) return 'the webhook is not known';
    try {
      new Webhook(keys.secret).verify(body, headers as Record<string, string>);
    } catch (error) {
      return `v1: ${(error as Error).message}`;
    }
    return isOwn(keys, headers, body) ? null : 'v1a does not verify';
  };

/**
 * Creates a function that draws a behaviour for the first attempt of each id. After a failure, the function accepts the
 * next attempt, so that retries stay quick.
 */
export const misbehaving = (odds: Readonly<Record<Exclude<Fate, 'answer'>, number>>, next: () => number) => {
  const failed = new Set<string>();
  const fates = Object.keys(odds) as (keyof typeof odds)[];
  const draw = (): Fate => {
    const drawn = next();
    let sum = 0;
    const reached = fates.find((fate) => {
      sum += odds[fate];
      return drawn < sum;
    });
    return reached ?? 'answer';
  };
  return (id: string): Fate => {
    if (failed.has(id)) return 'answer';
    const fate = draw();
    if (fate !== 'slow' && fate !== 'answer') failed.add(id);
    return fate;
  };
};

export type Choose = (id: string) => Fate;
const slowestMs = 1500;

/**
 * Numbers the connections of a server in the order in which they open, so that a test can tell which process opened a
 * connection.
 */
const numberConnections = (server: Server) => {
  const numbers = new WeakMap<Socket, number>();
  let count = 0;
  server.on('connection', (socket) => numbers.set(socket, count++));
  return {
    of: (socket: Socket) => numbers.get(socket) as number,
    /** Opens a connection, and returns its number. Connections that were opened earlier have lower numbers. */
    next: (port: number) =>
      new Promise<number>((resolve) => {
        const own = connect(port, '127.0.0.1');
        const look = (socket: Socket) => {
          if (socket.remotePort !== own.localPort) return;
          server.off('connection', look);
          own.destroy();
          resolve(numbers.get(socket) as number);
        };
        server.on('connection', look);
      }),
  };
};

/** Starts an endpoint that records and checks every notification; `choose` sets the behaviour for each. */
export const startReceiver = async (options: { choose?: Choose; check?: (attempt: Attempt) => string | null } = {}) => {
  const attempts: Attempt[] = [];
  const complaints: string[] = [];
  const acceptedIds = new Set<string>();
  const behaviour = { choose: options.choose ?? (() => 'answer' as Fate), check: options.check };
  const random = createRandom(seed, 'a receiver');

  const act: {
    readonly [F in Fate]: (response: ServerResponse, request: IncomingMessage, end: () => void) => unknown;
  } = {
    answer: (response) => response.end('noted'),
    slow: (response) => setTimeout(() => response.end('noted'), random.below(slowestMs)),
    // The end is recorded first, because the sender may see the answer before this process runs again.
    fail: (response, _, end) => {
      end();
      response.writeHead(random.between(500, 504)).end('not now');
    },
    reset: (_, { socket }, end) => {
      end();
      socket.resetAndDestroy();
    },
    hang: () => undefined,
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The sender was killed while it sent the request, which therefore never arrived.
      return;
    }
    const { headers, socket } = request;
    const id = String(headers['webhook-id']);
    const body = Buffer.concat(chunks).toString();
    const [at, connection, fate] = [Date.now(), connections.of(socket), behaviour.choose(id)];
    const attempt: Attempt = { id, headers, body, at, connection, fate, endedAt: null };
    attempts.push(attempt);
    if (isAccepted(attempt)) acceptedIds.add(id);
    const complaint = behaviour.check?.(attempt);
    if (complaint) complaints.push(`${id}: ${complaint}`);
    const end = () => {
      attempt.endedAt ??= Date.now();
    };
    response.once('close', end);
    act[attempt.fate](response, request, end);
  };
  const server = createServer((request, response) => void receive(request, response));
  const connections = numberConnections(server);
  // Keeps idle connections open. Closing a connection just as the sender uses it would cause an attempt that only the
  // sender knows of.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    attempts,
    complaints,
    behaviour,
    /** Ids of the notifications that the endpoint has accepted. */
    acceptedIds: acceptedIds as ReadonlySet<string>,
    /**
     * Returns a number above the numbers of all connections that have begun, and below the numbers of all later
     * connections.
     */
    nextConnection: () => connections.next(port),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
