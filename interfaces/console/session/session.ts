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

/** State of the reader's session. The cookie itself is invisible to the page. */
export const session = signal<Session>({ kind: 'checking' });

/** Organization of the reader; empty while there is no session. */
export const organizationId = (): string => {
  const state = session.peek();
  return state.kind === 'in' ? state.organizationId : '';
};

const endSession = (reason: string) => {
  dropKey();
  session.value = { kind: 'out', reason };
};

/** Returns to the sign-in form when the service rejects the cookie, on the same route. */
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

/** Sends a request as it stands, for pages that show status and headers of the answer. */
export const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  watchedFetch(path, { method: 'POST', headers: { ...jsonHeaders, ...headers }, body });

const requireOk = async (response: Response): Promise<void> => {
  if (response.ok) return;
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  throw problem?.code
    ? new ProblemError(problem)
    : new Error(`The service answered with HTTP status ${response.status}`);
};

/** Finds the organization of the session: the streams of its events begin with its id. */
const findOrganization = async (): Promise<string> => {
  const { events } = await client.admin.listEvents({ page_size: 1 });
  return events[0]?.stream.split('.')[0] ?? '';
};

const enter = async () => {
  session.value = { kind: 'in', organizationId: await findOrganization() };
};

/** Opens a session. The secret signs one request, becomes a key that cannot be read, and is not kept. */
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

/** Takes a one-use token out of the address before anything else can read it there. */
const takeToken = (): string | null => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
};

/** Continues the session of the cookie, or opens the one of a token in the address. */
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
