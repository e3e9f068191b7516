/** Every reason the service may refuse a request for. Transports translate these codes and add none of their own. */
export type FailureCode =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'QUOTA_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'FAILED_PRECONDITION'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'NODE_ERROR'
  | 'UNAVAILABLE';

/** Invalid part of a request; `path` is a JSON pointer into the body. */
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

/** Failure of one of the service's own stores, without which hardly any operation works. */
export class StoreDown extends Failure {
  constructor(message: string) {
    super('UNAVAILABLE', message);
  }
}

export const fail = (code: FailureCode, message: string, faults?: readonly Fault[]): never => {
  throw new Failure(code, message, faults);
};

/** Refuses a request because of one member of its body, which the JSON pointer `path` names. */
export const invalid = (path: string, reason: string) =>
  fail('INVALID_ARGUMENT', `${path.slice(1)} ${reason}`, [{ path, message: reason }]);
