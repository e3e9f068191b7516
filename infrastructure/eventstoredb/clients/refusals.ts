import { StoreRefuses, StreamDeleted, TooLarge } from '../../../application/ports/event-store.js';

/** Error of a client; which of the fields are there depends on the call and on the server. */
type ClientError = {
  readonly type?: string;
  readonly code?: number | string;
  readonly message?: string;
  readonly maxAppendSize?: number;
  readonly maxSize?: number;
  readonly streamName?: string;
  readonly violations?: readonly { readonly streamName: string; readonly actualState: unknown }[];
  readonly _raw?: { readonly metadata?: { get?(key: string): readonly unknown[] } };
};

/**
 * Reads the kind of an error from its type, its trailer or its code, because the client does not always use its error
 * classes for server errors.
 */
const kindOf = (error: unknown): string => {
  const { type, code, _raw } = error as ClientError;
  if (type !== undefined && type !== 'unknown') return type;
  const [trailer] = _raw?.metadata?.get?.('exception') ?? [];
  if (trailer !== undefined) return String(trailer);
  return typeof code === 'number' ? `grpc ${code}` : 'unknown';
};

const tombstoned = -6n;
/** Returns the stream whose revision an append over several streams found to be another than expected. */
export const violatedStream = (error: unknown): string | undefined => {
  const { streamName, violations = [] } = error as ClientError;
  return violations.find(({ actualState }) => actualState !== tombstoned)?.streamName ?? streamName;
};
const isErased = ({ violations = [] }: ClientError) => violations.some(({ actualState }) => actualState === tombstoned);

export const isWrongRevision = (error: unknown) =>
  kindOf(error) === 'wrong-expected-version' ||
  (kindOf(error) === 'append-consistency-violation' && !isErased(error as ClientError));
/** Recognizes FAILED_PRECONDITION of gRPC without any other kind. */
export const isPrecondition = (error: unknown) => kindOf(error) === 'grpc 9';
export const isMissingStream = (error: unknown) => ['stream-not-found', 'no-stream'].includes(kindOf(error));

export const isDeletedStream = (error: unknown) => ['stream-deleted', 'stream-tombstoned'].includes(kindOf(error));
/** Recognizes the server's refusal of a position by its words; it has no code of its own. */
export const isRefusedPosition = (error: unknown) =>
  /Unexpected (Filtered)?ReadAllResult: (Error|InvalidPosition)/.test(String((error as Error).message));

type Call = { readonly stream: string; readonly bytes: number };
const tooLarge = ({ bytes }: Call, { maxAppendSize, maxSize }: ClientError) =>
  new TooLarge(bytes, maxAppendSize ?? maxSize);
const deleted = ({ stream }: Call) => new StreamDeleted(stream);
const notAllowed = ({ stream }: Call) =>
  new StoreRefuses(`the event store does not allow the service to use stream ${stream}`);
const refused = (_call: Call, { message }: ClientError) => new StoreRefuses(`the event store refuses: ${message}`);

/** Answers that a retry cannot change, by kind; the numbers are those of gRPC. */
const refusals: Readonly<Record<string, (call: Call, error: ClientError) => Error>> = {
  'maximum-append-size-exceeded': tooLarge,
  'maximum-append-event-size-exceeded': tooLarge,
  'append-record-size-exceeded': tooLarge,
  'transaction-max-size-exceeded': tooLarge,
  // RESOURCE_EXHAUSTED: a message that is larger than the server receives.
  'grpc 8': tooLarge,
  'stream-deleted': deleted,
  'stream-tombstoned': deleted,
  // An append over several streams, one of which has a tombstone.
  'append-consistency-violation': deleted,
  'access-denied': notAllowed,
  // PERMISSION_DENIED and UNAUTHENTICATED
  'grpc 7': notAllowed,
  'grpc 16': notAllowed,
  // INVALID_ARGUMENT, FAILED_PRECONDITION and UNIMPLEMENTED, as of a server that is read-only
  'invalid-argument': refused,
  'grpc 3': refused,
  'grpc 9': refused,
  'grpc 12': refused,
};

/** The server's final refusal as an error of the port; null for an error after which the call may be tried again. */
export const refusalOf = (error: unknown, call: Call): Error | null =>
  refusals[kindOf(error)]?.(call, error as ClientError) ?? null;
