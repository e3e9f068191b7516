/**
 * Every code that a rejected request may have. Transports translate these codes and add no codes of their own.
 */
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

/**
 * Invalid part of a request. `path` is a JSON pointer into the body; `message` is a predicate, such as "must be a
 * string", that follows the name of the member.
 */
export type Fault = { readonly path: string; readonly message: string };

export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly code: FailureCode;
  readonly faults: readonly Fault[];
  constructor(code: FailureCode, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}

/** Failure of one of the service's own stores. Most operations fail until the store is available again. */
export class StoreDown extends Failure {
  constructor(message: string) {
    super('UNAVAILABLE', message);
  }
}

/**
 * Failure that concerns the data of one organization. Work for several organizations may continue with the other
 * organizations.
 */
export class OrganizationStopped extends Failure {
  override readonly name: string = 'OrganizationStopped';
  readonly organizationId: string;
  constructor(organizationId: string, message: string) {
    super('UNAVAILABLE', message);
    this.organizationId = organizationId;
  }
}

export const fail = (code: FailureCode, message: string, faults?: readonly Fault[]): never => {
  throw new Failure(code, message, faults);
};

/**
 * Rejects a request because of the body member at the JSON pointer `path`; `reason` is the `message` of its `Fault`.
 */
export const invalid = (path: string, reason: string) =>
  fail('INVALID_ARGUMENT', `${path.slice(1)} ${reason}`, [{ path, message: reason }]);
