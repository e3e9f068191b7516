/** Every reason the service may refuse a request. Transports translate these; they invent none. */
export type FailureCode =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'FAILED_PRECONDITION'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'NODE_ERROR'
  | 'UNAVAILABLE';

/** One part of the request that is wrong; `path` is a JSON pointer into the body. */
export type Fault = { readonly path: string; readonly message: string };

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly faults: readonly Fault[];
  constructor(code: FailureCode, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}

/** A store of our own does not work, so hardly anything does. */
export class StoreDown extends Failure {
  constructor(message: string) {
    super('UNAVAILABLE', message);
  }
}

export const refuse = (code: FailureCode, message: string, faults?: readonly Fault[]): never => {
  throw new Failure(code, message, faults);
};

/** Refuses a request for one of its members, which `path` names. */
export const invalid = (path: string, reason: string) =>
  refuse('INVALID_ARGUMENT', `${path.slice(1)} ${reason}`, [{ path, message: reason }]);
