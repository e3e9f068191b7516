/**
 * Reason why a node gave no usable answer. The kind decides how to continue:
 * - failing, busy, wrong (contradicts itself or other nodes): the node is marked unhealthy and retried later.
 * - missing: the node lacks the data, perhaps only for now.
 * - unsupported, refused: a retry on the same node does not help.
 * - oversized: the answer exceeds a limit of the node or of this service; a smaller request may succeed.
 * - reverted: the contract failed, as it would on any node.
 * - late: the deadline of the whole piece of work passed.
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
  /** Milliseconds until the node accepts the next request, as the node reports it; 0 if the node reports no time. */
  readonly restMs: number;
  constructor(kind: FaultKind, message: string, restMs = 0) {
    super(message);
    this.kind = kind;
    this.restMs = restMs;
  }
}

/** Maximum length in characters of a node's error message. Messages of working nodes are shorter. */
export const maxReasonLength = 10_000;

/** Returns a node's error message, cut with a note if it exceeds `maxReasonLength`. */
export const reasonOf = (text: string): string =>
  text.length <= maxReasonLength
    ? text
    : `${text.slice(0, maxReasonLength).toWellFormed()}… (cut after ${maxReasonLength} characters)`;

export const failInvalidAnswer = (message: string): never => {
  throw new NodeFault('wrong', message);
};

/** Converts a network error into a node fault. Messages of network errors contain hosts and ports, never paths. */
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

/** Resolves to null on a `missing` fault, because some nodes report missing data as an error and others as null. */
export const nullIfMissing = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'missing') return null;
    throw error;
  }
};
