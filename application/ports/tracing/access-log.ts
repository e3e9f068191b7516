/**
 * Kinds of access. `secret`: a response with a secret; `export`: an export of an organization's events; `refused`: a
 * refused request.
 */
export const accessKinds = ['secret', 'export', 'refused'] as const;
export type AccessKind = (typeof accessKinds)[number];

/** Access to an organization's data that leaves no event. Contains no secret. */
export type Access = {
  /** Time of the access, Unix ms. */
  readonly time: number;
  readonly kind: AccessKind;
  readonly requestId: string;
  /** Short form of the API key or gateway token, or `operator` for a key of another organization. */
  readonly key?: string | undefined;
  readonly operation?: string | undefined;
  readonly status: number;
  /** Problem code or JSON-RPC error code of a refused request, and the explanation that the caller received. */
  readonly code?: string | number | undefined;
  readonly detail?: string | undefined;
};

/** Access with the organization whose data it concerns. */
export type OwnedAccess = Access & { readonly organizationId: string };
/** Access with its number, which grows with each access of the organization. */
export type NumberedAccess = Access & { readonly number: number };

/**
 * Number of entries that are kept for each organization, counted separately for refused requests and for all other
 * accesses. A caller who is refused often therefore does not displace the entries about reads of secrets.
 */
export const maxAccesses = 5000;

/** Returns the part of an organization's log to which `maxAccesses` applies separately. */
export const partOf = (kind: AccessKind): 'refused' | 'read' => (kind === 'refused' ? 'refused' : 'read');

type Range = {
  /** Earliest time to list, Unix ms. */
  readonly from: number;
  /** Lists only accesses with a lower number; accesses with any number if undefined. */
  readonly before: number | undefined;
  readonly limit: number;
};

/** Log of accesses, kept apart from the events and with its own retention. All processes share it. */
export interface AccessLog {
  add(accesses: readonly OwnedAccess[]): Promise<void>;
  /** Returns entries of an organization, newest first. */
  list(organizationId: string, range: Range): Promise<readonly NumberedAccess[]>;
  close(): Promise<void>;
}
