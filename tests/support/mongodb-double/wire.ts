import { type Document, deserialize, serialize } from 'bson';

const headerSize = 16;
const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;
const awaitCapable = 8;
const flag = { checksumPresent: 1, moreToCome: 2 } as const;

type Request = {
  readonly id: number;
  /** True for OP_QUERY, which the driver uses for its first hello, before it knows the server's protocol. */
  readonly legacy: boolean;
  readonly command: Document;
  readonly wantsReply: boolean;
};

/**
 * Creates a function that cuts a stream of bytes into messages. The chunks of a message are joined when the last one
 * has arrived, so that long messages are not copied for each chunk.
 */
export const frameReader = (onMessage: (message: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = headerSize;
  return (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= needed) {
      const bytes = Buffer.concat(chunks, size);
      const length = bytes.readInt32LE(0);
      chunks = [bytes];
      needed = length;
      if (size < length) return;
      chunks = [bytes.subarray(length)];
      size -= length;
      needed = headerSize;
      onMessage(bytes.subarray(0, length));
    }
  };
};

const readString = (bytes: Buffer, from: number) => {
  const end = bytes.indexOf(0, from);
  return { text: bytes.toString('utf8', from, end), next: end + 1 };
};

/** Reads a section of kind 1: a named list of documents, which is an array field of the command. */
const readSequence = (section: Buffer): [name: string, documents: readonly Document[]] => {
  const { text, next } = readString(section, 4);
  const documents: Document[] = [];
  for (let at = next; at < section.length; ) {
    const size = section.readInt32LE(at);
    documents.push(deserialize(section.subarray(at, at + size)));
    at += size;
  }
  return [text, documents];
};

/**
 * Reads a message. The fields of the body come first in the command, even if another section precedes the body: the
 * first field names the command.
 */
const readMessage = (message: Buffer): Omit<Request, 'id' | 'legacy'> => {
  const flags = message.readUInt32LE(headerSize);
  const end = message.length - (flags & flag.checksumPresent ? 4 : 0);
  const sequences: [string, readonly Document[]][] = [];
  let body: Document = {};
  for (let at = headerSize + 4; at < end; ) {
    const kind = message[at];
    const section = message.subarray(at + 1, at + 1 + message.readInt32LE(at + 1));
    if (kind === 0) body = deserialize(section);
    else sequences.push(readSequence(section));
    at += 1 + section.length;
  }
  return { command: { ...body, ...Object.fromEntries(sequences) }, wantsReply: (flags & flag.moreToCome) === 0 };
};

const readQuery = (message: Buffer): Omit<Request, 'id' | 'legacy'> => {
  const { next } = readString(message, headerSize + 4);
  const skipAndLimit = 8;
  return { command: { ...deserialize(message.subarray(next + skipAndLimit)), $db: 'admin' }, wantsReply: true };
};

export const readRequest = (message: Buffer): Request => {
  const id = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  if (operation === opQuery) return { id, legacy: true, ...readQuery(message) };
  if (operation === opMessage) return { id, legacy: false, ...readMessage(message) };
  throw new Error(`The double does not speak operation ${operation}.`);
};

export const encodeReply = (request: Request, reply: Document): Buffer => {
  const body = serialize(reply, { ignoreUndefined: true });
  const header = Buffer.alloc(request.legacy ? 36 : 21);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(request.id, 8);
  header.writeInt32LE(request.legacy ? opReply : opMessage, 12);
  if (request.legacy) {
    header.writeInt32LE(awaitCapable, 16);
    header.writeInt32LE(1, 32);
  }
  return Buffer.concat([header, body]);
};
