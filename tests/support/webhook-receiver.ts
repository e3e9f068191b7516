import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** What a receiver does with a notification once it has it. */
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

/** One notification as it came in. */
export type Attempt = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Unix ms. */
  readonly at: number;
  readonly fate: Fate;
  /** When its answer was sent, or its connection ended, Unix ms. */
  endedAt: number | null;
};

export const isTaken = ({ fate }: Attempt) => fate === 'answer' || fate === 'slow';
export const noticeIn = ({ body }: Attempt) => JSON.parse(body) as Notice;

/** SPKI puts this before the 32 bytes of an ed25519 key. */
const beforeKey = Buffer.from('302a300506032b6570032100', 'hex');

/** Why a notification is not what the service signed; null when both signatures hold. */
export const createVerifier = (secretOf: (webhookId: string) => string, publicKey: string) => {
  const key = createPublicKey({
    key: Buffer.concat([beforeKey, Buffer.from(publicKey.slice('whpk_'.length), 'base64')]),
    format: 'der',
    type: 'spki',
  });
  return (attempt: Attempt): string | null => {
    const { headers, body } = attempt;
    try {
      new Webhook(secretOf(noticeIn(attempt).webhook_id)).verify(body, headers as Record<string, string>);
    } catch (error) {
      return `v1: ${(error as Error).message}`;
    }
    const signature = /(?:^| )v1a,(\S+)/.exec(String(headers['webhook-signature']))?.[1] ?? '';
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    return verify(null, signed, key, Buffer.from(signature, 'base64')) ? null : 'v1a does not verify';
  };
};

/** Each id gets one of these fates at its first attempt and is taken after a failure, so that no retry is far off. */
export const misbehaving = (odds: Readonly<Record<Exclude<Fate, 'answer'>, number>>, next = Math.random) => {
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

/** An endpoint that keeps everything it is sent, checks it, and treats it as it is told to. */
export const startReceiver = async (options: { choose?: Choose; check?: (attempt: Attempt) => string | null } = {}) => {
  const attempts: Attempt[] = [];
  const complaints: string[] = [];
  const taken = new Set<string>();
  const behaviour = { choose: options.choose ?? (() => 'answer' as Fate), check: options.check };

  const act: { readonly [F in Fate]: (response: ServerResponse, request: IncomingMessage) => unknown } = {
    answer: (response) => response.end('noted'),
    slow: (response) => setTimeout(() => response.end('noted'), Math.random() * slowestMs),
    fail: (response) => response.writeHead(500 + Math.floor(Math.random() * 5)).end('not now'),
    reset: (_, { socket }) => socket.resetAndDestroy(),
    hang: () => undefined,
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender was killed while it spoke: this never arrived.
      return;
    }
    const { headers } = request;
    const id = String(headers['webhook-id']);
    const body = Buffer.concat(chunks).toString();
    const attempt: Attempt = { id, headers, body, at: Date.now(), fate: behaviour.choose(id), endedAt: null };
    attempts.push(attempt);
    if (isTaken(attempt)) taken.add(id);
    const complaint = behaviour.check?.(attempt);
    if (complaint) complaints.push(`${id}: ${complaint}`);
    response.once('close', () => {
      attempt.endedAt = Date.now();
    });
    act[attempt.fate](response, request);
  };
  const server = createServer((request, response) => void receive(request, response));
  // A connection that ends between two requests would make an attempt that only the sender knows of.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    attempts,
    complaints,
    behaviour,
    /** Ids of what it says it has. */
    taken: taken as ReadonlySet<string>,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
