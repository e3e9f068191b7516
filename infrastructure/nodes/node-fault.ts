/**
 * Reason why one node gave no usable answer, which decides what may help:
 * failing, busy, wrong (contradicts itself or the other nodes): the node is put aside and tried again later;
 * missing: the node lacks the data, perhaps not for long; unsupported, refused: asking the node again changes nothing;
 * oversized: the question asks for more than the node gives, or than is taken from it, at once; part of it may be had;
 * reverted: the contract failed, as it would on any node; late: the time for the whole piece of work was up.
 */
export type FaultKind =
  | 'failing'
  | 'busy'
  | 'wrong'
  | 'missing'
  | 'unsupported'
  | 'refused'
  | 'oversized'
  | 'reverted'
  | 'late';

export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: FaultKind;
  /** Milliseconds for which the node itself asks to be left alone. */
  readonly restMs: number;
  constructor(kind: FaultKind, message: string, restMs = 0) {
    super(message);
    this.kind = kind;
    this.restMs = restMs;
  }
}

/** Characters of a node's own words that are kept: more than any node that works says. */
export const maxReasonLength = 10_000;

/** Keeps a node's reason whole, or says where it was cut. */
export const reasonOf = (text: string): string =>
  text.length <= maxReasonLength
    ? text
    : `${text.slice(0, maxReasonLength).toWellFormed()}… (cut after ${maxReasonLength} characters)`;

export const failInvalidAnswer = (message: string): never => {
  throw new NodeFault('wrong', message);
};

/** Turns an error of the network into a fault of the node; texts of network errors name hosts and ports, never paths. */
export const toFailing = (error: unknown): NodeFault => {
  if (error instanceof NodeFault) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Object.assign(new NodeFault('failing', reasonOf(String(message || code || 'no connection'))), {
    cause: error,
  });
};

export const asFailing = (error: unknown): never => {
  throw toFailing(error);
};

/** Turns the error with which some nodes answer for data that they lack into null, the answer of the others. */
export const nullIfMissing = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'missing') return null;
    throw error;
  }
};
