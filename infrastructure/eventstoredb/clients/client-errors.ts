import { StoreRefuses, StreamDeleted, TooLarge } from '../../../application/ports/event-store.js';

/** Error of a client. The fields that are present depend on the call and on the server. */
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
/** Returns the stream that was not at its expected revision during an append to several streams. */
export const violatedStream = (error: unknown): string | undefined => {
  const { streamName, violations = [] } = error as ClientError;
  return violations.find(({ actualState }) => actualState !== tombstoned)?.streamName ?? streamName;
};
const hasTombstone = ({ violations = [] }: ClientError) =>
  violations.some(({ actualState }) => actualState === tombstoned);

export const isWrongRevision = (error: unknown) =>
  kindOf(error) === 'wrong-expected-version' ||
  (kindOf(error) === 'append-consistency-violation' && !hasTombstone(error as ClientError));
/** Recognizes the gRPC status FAILED_PRECONDITION without a more specific type. */
export const isFailedPrecondition = (error: unknown) => kindOf(error) === 'grpc 9';
export const isMissingStream = (error: unknown) => ['stream-not-found', 'no-stream'].includes(kindOf(error));

export const isDeletedStream = (error: unknown) => ['stream-deleted', 'stream-tombstoned'].includes(kindOf(error));
/** Recognizes a rejected position by the error's text, because the server has no code for it. */
export const isRejectedPosition = (error: unknown) =>
  /Unexpected (Filtered)?ReadAllResult: (Error|InvalidPosition)/.test(String((error as Error).message));

type Call = { readonly stream: string; readonly bytes: number };
const tooLarge = ({ bytes }: Call, { maxAppendSize, maxSize }: ClientError) =>
  new TooLarge(bytes, maxAppendSize ?? maxSize);
const deleted = ({ stream }: Call) => new StreamDeleted(stream);
const accessDenied = ({ stream }: Call) =>
  new StoreRefuses(`Event store denied access to stream ${stream}. Check the credentials and the stream's ACL.`);
const rejected = (_call: Call, { message }: ClientError) =>
  new StoreRefuses(`Event store rejected the call: ${message}`);

/** Errors that a retry cannot resolve, by kind. Numbers are gRPC status codes. */
const permanentErrors: Readonly<Record<string, (call: Call, error: ClientError) => Error>> = {
  'maximum-append-size-exceeded': tooLarge,
  'maximum-append-event-size-exceeded': tooLarge,
  'append-record-size-exceeded': tooLarge,
  'transaction-max-size-exceeded': tooLarge,
  // Status RESOURCE_EXHAUSTED: the message exceeds the size that the server accepts.
  'grpc 8': tooLarge,
  'stream-deleted': deleted,
  'stream-tombstoned': deleted,
  // Failure of an append to several streams, at least one of which was deleted permanently.
  'append-consistency-violation': deleted,
  'access-denied': accessDenied,
  // Statuses PERMISSION_DENIED and UNAUTHENTICATED.
  'grpc 7': accessDenied,
  'grpc 16': accessDenied,
  // Statuses INVALID_ARGUMENT, FAILED_PRECONDITION and UNIMPLEMENTED, for example from a read-only server.
  'invalid-argument': rejected,
  'grpc 3': rejected,
  'grpc 9': rejected,
  'grpc 12': rejected,
};

/**
 * Converts an error that a retry cannot resolve to an error of the event-store port. Returns null when the call may be
 * retried.
 */
export const permanentErrorOf = (error: unknown, call: Call): Error | null =>
  permanentErrors[kindOf(error)]?.(call, error as ClientError) ?? null;
