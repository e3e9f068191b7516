import { type Cancellation, createCancellation } from '../../../application/async/cancellation.js';
import { afterString, closeList, closeObject, comma, openList, openObject, quote } from '../../../domain/json-bytes.js';
import { NodeFault } from '../node-fault.js';
import { type Envelope, readEnvelope } from './envelope.js';

export type Question = { readonly method: string; readonly params: string; readonly cancellation: Cancellation };
type Waiting = Question & { resolve(envelope: Envelope): void; reject(fault: unknown): void };

const opening: readonly number[] = [openList, openObject];
const closing: readonly number[] = [closeList, closeObject];

/**
 * Returns the offsets of the top-level commas and of the end of the array at `start`; empty if the array is incomplete.
 */
const marksIn = (bytes: Buffer, start: number): readonly number[] => {
  const marks: number[] = [];
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) at = afterString(bytes, at) - 1;
    else if (opening.includes(byte)) depth++;
    else if (closing.includes(byte)) depth--;
    else if (byte === comma && depth === 1) marks.push(at);
    if (depth === 0) return [...marks, at];
  }
  return [];
};

/** Splits a JSON array into the bytes of its elements without parsing them; null if the bytes are not an array. */
export const elementsOf = (bytes: Buffer): readonly Buffer[] | null => {
  const start = bytes.indexOf('[');
  if (start < 0 || bytes.toString('latin1', 0, start).trim() !== '') return null;
  const marks = marksIn(bytes, start);
  return marks.length === 0 ? null : marks.map((end, i) => bytes.subarray((marks[i - 1] ?? start) + 1, end));
};

/** Reads the answers to a batch, keyed by the JSON text of their id; null if the body is not an array. */
export const readBatch = (bytes: Buffer): ReadonlyMap<string | null, Envelope> | null => {
  const envelopes = elementsOf(bytes)?.map(readEnvelope);
  return envelopes ? new Map(envelopes.flatMap((envelope) => (envelope ? [[envelope.id, envelope]] : []))) : null;
};

/** Creates a cancellation that fires once all given cancellations have fired. */
const cancellationFor = (cancellations: readonly Cancellation[]): Cancellation => {
  const all = createCancellation();
  let left = 0;
  const leaveLast = () => {
    left++;
    if (left === cancellations.length) all.cancel();
  };
  for (const cancellation of cancellations) cancellation.onCancel(leaveLast);
  return all;
};

/** Functions that send requests. `sendBatch` resolves to null if the node does not accept batches. */
type Senders = {
  readonly sendBatch: (
    questions: readonly Question[],
    cancellation: Cancellation,
  ) => Promise<readonly (Envelope | null)[] | null>;
  readonly sendOne: (question: Question) => Promise<Envelope>;
};

/**
 * Creates a function that sends requests with the same bundle symbol as one batch if they are made in the same turn of
 * the event loop.
 */
export const createBatcher = ({ sendBatch: together, sendOne: alone }: Senders) => {
  const waiting = new Map<symbol, Waiting[]>();
  let takesBatches = true;

  const askAlone = (questions: readonly Waiting[]) => {
    for (const question of questions) alone(question).then(question.resolve, question.reject);
  };
  const askTogether = async (questions: readonly Waiting[]) => {
    const answers = await together(questions, cancellationFor(questions.map(({ cancellation }) => cancellation)));
    if (!answers) {
      takesBatches = false;
      askAlone(questions);
      return;
    }
    for (const [place, { resolve, reject }] of questions.entries()) {
      const answer = answers[place];
      if (answer) resolve(answer);
      else reject(new NodeFault('failing', 'left a request of a batch unanswered'));
    }
  };
  const send = (bundle: symbol) => {
    const questions = waiting.get(bundle) ?? [];
    waiting.delete(bundle);
    if (!takesBatches || questions.length === 1) return askAlone(questions);
    return askTogether(questions).catch((fault: unknown) => {
      for (const { reject } of questions) reject(fault);
    });
  };

  return (bundle: symbol, question: Question): Promise<Envelope> =>
    new Promise((resolve, reject) => {
      const others = waiting.get(bundle);
      const one = { ...question, resolve, reject };
      question.cancellation.onCancel(() => reject(new NodeFault('failing', 'request cancelled')));
      if (others) others.push(one);
      else {
        waiting.set(bundle, [one]);
        setImmediate(() => void send(bundle));
      }
    });
};
