import { signal } from '@preact/signals';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { type Problem, ProblemError } from '../../../sdk/typescript/src/errors.js';
import { headersSignedBy } from '../../../sdk/typescript/src/sign.js';
import { dropKey, holdKey, importKey, lastApiKey, signedHeaders } from './signing-key.js';

type Session =
  | { readonly kind: 'checking' }
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'out'; readonly reason: string }
  | { readonly kind: 'in'; readonly organizationId: string };

/** State of the user's session. Scripts of the page cannot read the session cookie itself. */
export const session = signal<Session>({ kind: 'checking' });

/** Returns the id of the user's organization; empty without a session. */
export const organizationId = (): string => {
  const state = session.peek();
  return state.kind === 'in' ? state.organizationId : '';
};

const endSession = (reason: string) => {
  dropKey();
  session.value = { kind: 'out', reason };
};

/** Calls `fetch`. On status 401, drops the signing key if the request was signed, and otherwise ends the session. */
const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isSigned = new Headers(init?.headers).has('x-api-signature');
  if (response.status === 401 && isSigned) dropKey();
  if (response.status === 401 && !isSigned) {
    const problem = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Partial<Problem>;
    if (session.peek().kind === 'in') endSession(problem.detail ?? 'The session has ended.');
  }
  return response;
};

/** Client of the console: queries are authenticated by the cookie, commands are signed by the key in memory. */
export const client = createClient({
  url: location.origin,
  maxRetries: 1,
  fetch: watchedFetch,
  authenticate: async ({ kind, path, body }) => (kind === 'query' ? {} : signedHeaders(path, body)),
});

const jsonHeaders = { 'content-type': 'application/json' };

/** Sends a request and returns the raw response, for pages that show its status and headers. */
export const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  watchedFetch(path, { method: 'POST', headers: { ...jsonHeaders, ...headers }, body });

const requireOk = async (response: Response): Promise<void> => {
  if (response.ok) return;
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  throw problem?.code
    ? new ProblemError(problem)
    : new Error(`The service answered with HTTP status ${response.status}`);
};

/**
 * Finds the organization id of the session in the newest event, because the name of an event stream begins with the id.
 */
const findOrganization = async (): Promise<string> => {
  const { events } = await client.admin.listEvents({ page_size: 1 });
  return events[0]?.stream.split('.')[0] ?? '';
};

const enter = async () => {
  session.value = { kind: 'in', organizationId: await findOrganization() };
};

/** Opens a session. Converts the secret to a non-extractable key and keeps only the key, in memory. */
export const signIn = async (apiKey: string, secret: string): Promise<void> => {
  const path = '/v1/admin/CreateSession';
  const key = await importKey(apiKey, secret);
  const proof = await headersSignedBy({ key: apiKey, secret: key.secret }, 'POST', path, '{}');
  await requireOk(await post(path, '{}', proof));
  holdKey(key);
  await enter();
};

export const signOut = async (): Promise<void> => {
  lastApiKey.value = '';
  await post('/v1/admin/DeleteSession', '{}').catch(() => undefined);
  endSession('You have signed out.');
};

/**
 * Returns the one-time token in the page's URL; null if there is none. Removes the token from the URL, so that it
 * cannot leak.
 */
const takeToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
};

/** Resumes the session whose cookie the browser has, or opens a session with the one-time token in the page's URL. */
export const resumeSession = async (): Promise<void> => {
  session.value = { kind: 'checking' };
  const token = takeToken();
  try {
    if (token !== null) await requireOk(await post('/console/session', JSON.stringify({ token })));
    await enter();
  } catch (error) {
    if (error instanceof ProblemError && [400, 401, 403].includes(error.problem.status))
      endSession(token === null ? '' : error.problem.detail);
    else session.value = { kind: 'unreachable', error };
  }
};
