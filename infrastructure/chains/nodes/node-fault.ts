/**
 * Why one node gave no usable answer, which decides what may help:
 * failing, busy: put aside and tried again; wrong: it contradicts itself or the others, likewise;
 * missing: it lacks the data, perhaps not for long; unsupported, refused: asking it again changes nothing;
 * reverted: the contract's own doing; late: nobody's fault, the time was up.
 */
export type FaultKind = 'failing' | 'busy' | 'wrong' | 'missing' | 'unsupported' | 'refused' | 'reverted' | 'late';

export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: FaultKind;
  /** How long the node itself asks to be left alone. */
  readonly restMs: number;
  constructor(kind: FaultKind, message: string, restMs = 0) {
    super(message);
    this.kind = kind;
    this.restMs = restMs;
  }
}

export const wrong = (message: string): never => {
  throw new NodeFault('wrong', message);
};

/** Whatever went wrong below, as a fault of the node; texts of network errors name hosts and ports, never paths. */
export const asFailing = (error: unknown): never => {
  if (error instanceof NodeFault) throw error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  throw Object.assign(new NodeFault('failing', String(message || code || 'no connection')), { cause: error });
};

/** Some nodes answer null for what they do not have, others an error. */
export const nullIfMissing = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'missing') return null;
    throw error;
  }
};
