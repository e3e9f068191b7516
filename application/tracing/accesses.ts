import type { System } from '../ports/system.js';
import type { Access, AccessKind, AccessLog, OwnedAccess } from '../ports/tracing/access-log.js';
import type { RefusedGroup } from '../ports/tracing/requests.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { ListPage, PageRequest } from '../read-models/paging.js';

/** Successful access to a secret or to the whole history of an organization. */
type Disclosed = {
  readonly kind: Exclude<AccessKind, 'refused'>;
  /** Organization whose data the response contains. */
  readonly organizationId: string;
  readonly requestId: string;
  readonly key: string | undefined;
  readonly operation: string;
};

export type Accesses = {
  /**
   * Records an access. Must be awaited before the response is sent, so that every response has an entry in the access
   * log.
   */
  disclose(access: Disclosed): Promise<void>;
  /** Returns a page of an organization's accesses since a time (Unix ms), newest first. */
  page(organizationId: string, from: number | undefined, page: PageRequest): Promise<ListPage<Access>>;
};

/** Returns the refused requests of known organizations as entries of the access log. */
export const refusedAccesses = (groups: readonly RefusedGroup[]): readonly OwnedAccess[] =>
  groups.flatMap(({ requests }) =>
    requests.flatMap(({ organizationId, time, requestId, key, chain, operation, status, code, detail }) => {
      if (organizationId === undefined) return [];
      const called = [chain, operation].filter((part) => part !== undefined).join(' ');
      const name = called === '' ? {} : { operation: called };
      return [{ organizationId, time, kind: 'refused' as const, requestId, key, ...name, status, code, detail }];
    }),
  );

const succeeded = 200;

export const createAccesses = ({
  accessLog,
  pageTokens,
  system,
}: {
  accessLog: AccessLog;
  pageTokens: PageTokens;
  system: Pick<System, 'now'>;
}): Accesses => ({
  disclose: (access) => accessLog.add([{ ...access, time: system.now(), status: succeeded }]),
  page: async (organizationId, from, { size, token }) => {
    const list = [organizationId, 'accesses', String(from ?? '')];
    const after = pageTokens.read(list, token);
    const range = { from: from ?? 0, before: after && Number(after[0]), limit: size + 1 };
    const found = await accessLog.list(organizationId, range);
    const documents = found.slice(0, size);
    const last = found.length > size ? documents.at(-1) : undefined;
    return { documents, nextPageToken: pageTokens.write(list, last ? [last.number, ''] : null) };
  },
});
