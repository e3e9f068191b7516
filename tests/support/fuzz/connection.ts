import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

const statusLine = /^HTTP\/1\.1 (\d{3}) [\t\x20-\x7e]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;

const readHead = (text: string) => {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(statusLine.exec(first)?.[1] ?? 0);
  if (status === 0) throw new Error(`not a status line: ${JSON.stringify(first)}`);
  const headers = lines.map((line) => {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a header: ${JSON.stringify(line)}`);
    return [name.toLowerCase(), value];
  });
  return { status, headers: Object.fromEntries(headers) as Reply['headers'] };
};

const readChunks = (bytes: Buffer, start: number): { body: Buffer; end: number } | null => {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const size = bytes.toString('latin1', at, line);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new Error(`not a chunk size: ${JSON.stringify(size)}`);
    const end = line + 2 + Number.parseInt(size, 16);
    if (bytes.length < end + 2) return null;
    parts.push(bytes.subarray(line + 2, end));
    at = end + 2;
    if (size === '0') return { body: Buffer.concat(parts), end: at };
  }
};

const hasNoBody = (status: number, method: string) => method === 'HEAD' || status === 204 || status === 304;

const readBody = (bytes: Buffer, start: number, headers: Reply['headers']) => {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes, start);
  const length = Number(headers['content-length'] ?? 0);
  return bytes.length < start + length ? null : { body: bytes.subarray(start, start + length), end: start + length };
};

/** Skips interim answers such as `100 Continue`. No final answer follows an interim answer if the request broke off. */
const afterInterim = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf('\r\n\r\n');
  return end >= 0 && bytes.toString('latin1', 0, 10) === 'HTTP/1.1 1' ? afterInterim(bytes.subarray(end + 4)) : bytes;
};

/** Reads the first answer and the bytes after it; null while the answer is incomplete. */
const readReply = (received: Buffer, method: string): { reply: Reply; rest: Buffer } | null => {
  const bytes = afterInterim(received);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const { status, headers } = readHead(bytes.toString('latin1', 0, end));
  const found = hasNoBody(status, method) ? { body: Buffer.alloc(0), end: end + 4 } : readBody(bytes, end + 4, headers);
  return found && { reply: { status, headers, body: found.body }, rest: bytes.subarray(found.end) };
};

/**
 * Time limit in ms for an answer: longer than any wait in the service on a busy machine, and shorter than a test may
 * take.
 */
const answerMs = 150_000;

const open = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  await once(socket, 'connect');
  // A listener is needed, because without one a reset between two reads would end this process.
  return socket.on('error', () => undefined);
};

type Outcome = { readonly bytes: Buffer; readonly how: 'enough' | 'closed' | 'reset' | 'late' };

/** Reads until `isEnough` returns true, the connection ends, or the time is up. */
const read = (socket: Socket, isEnough: (bytes: Buffer) => boolean, ms: number): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const done = (how: Outcome['how']) => {
      clearTimeout(timer);
      socket.off('data', take).off('end', closed).off('close', closed).off('error', reset);
      resolve({ bytes, how });
    };
    const closed = () => done('closed');
    const reset = () => done('reset');
    const take = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        if (isEnough(bytes)) done('enough');
      } catch (error) {
        clearTimeout(timer);
        reject(error as Error);
      }
    };
    const timer = setTimeout(done, ms, 'late');
    socket.on('data', take).on('end', closed).on('close', closed).on('error', reset);
    if (socket.destroyed) closed();
  });

export type KeptConnection = { ask(bytes: Buffer, method: string): Promise<Reply>; close(): void };

/**
 * Creates a client that sends requests one after the other on the same connection. When the service has closed the
 * connection, the client opens a new one.
 */
export const keptConnection = (url: string): KeptConnection => {
  let socket: Socket | null = null;
  const drop = () => {
    socket?.destroy();
    socket = null;
  };
  return {
    ask: async (bytes, method) => {
      socket ??= await open(url);
      const reading = read(socket, (sofar) => readReply(sofar, method) !== null, answerMs);
      socket.write(bytes);
      const { bytes: answer, how } = await reading;
      const found = readReply(answer, method);
      if (!found) throw new Error(`${how} without a whole answer: ${JSON.stringify(answer.toString('latin1'))}`);
      if (found.rest.length > 0) throw new Error(`more than one answer: ${JSON.stringify(answer.toString('latin1'))}`);
      if (found.reply.headers.connection === 'close' || how !== 'enough') drop();
      return found.reply;
    },
    close: drop,
  };
};

/**
 * Time in ms that the service has to answer before the client ends the connection. The time is limited because the
 * service sends no answer while a request is incomplete.
 */
const answerWaitMs = 40;

/** Sends bytes on a new connection, ends the connection, and returns the complete answers. */
export const sendRaw = async (url: string, bytes: Buffer): Promise<readonly Reply[]> => {
  const socket = await open(url);
  socket.write(bytes);
  const method = bytes.includes('HEAD') ? 'HEAD' : '';
  const first = await read(socket, (sofar) => readReply(sofar, method) !== null, answerWaitMs);
  const rest = first.how === 'late' || first.how === 'enough' ? await hearOut(socket) : null;
  socket.destroy();
  if (rest?.how === 'late') throw new Error('the service keeps the connection open after the client has ended it');
  const isCut = [first.how, rest?.how].includes('reset');
  return repliesIn(Buffer.concat([first.bytes, rest?.bytes ?? Buffer.alloc(0)]), method, isCut);
};

const hearOut = (socket: Socket) => {
  const hearing = read(socket, () => false, answerMs);
  socket.end();
  return hearing;
};

const repliesIn = (bytes: Buffer, method: string, isCut: boolean): readonly Reply[] => {
  // Reads only the first answer if the bytes contain a HEAD. An answer to HEAD has no body in spite of its
  // Content-Length, and it is unknown which of the later answers are answers to HEAD.
  const found = bytes.length === 0 ? null : readReply(bytes, method);
  if (found)
    return [found.reply, ...(method === 'HEAD' || found.rest.length === 0 ? [] : repliesIn(found.rest, method, isCut))];
  if (afterInterim(bytes).length > 0 && !isCut)
    throw new Error(`half an answer: ${JSON.stringify(bytes.toString('latin1'))}`);
  return [];
};
