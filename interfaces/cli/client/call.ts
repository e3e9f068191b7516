import { readFileSync } from 'node:fs';
import { fail } from '../../../domain/failure.js';
import { variants } from '../../../domain/variant.js';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { ProblemError } from '../../../sdk/typescript/src/errors.js';
import { readExact } from '../../../sdk/typescript/src/exact-json.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { baseUrl } from '../../base-url.js';
import { writeExact } from '../../exact-json.js';
import { readWhole } from '../../http/large-answer.js';
import { check, createAjv } from '../../http/validation.js';
import { prepareAsOf } from '../../operations/as-of.js';
import type { Caller } from '../../operations/define.js';
import { endpoints, explainUnknown } from '../../operations/index.js';
import { UsageError } from '../../usage-error.js';
import type { Command, Invocation, Option } from '../command/command.js';
import { momentOption, operator, withApp } from '../command/session.js';
import { demoCredentials } from '../service/demo.js';
import { callHelp } from './operation-help.js';

export const credentialsFor = ({ options, environment, settings }: Invocation): Credentials => {
  const given = [
    [options.key, options.secret],
    [environment.CHAINFOLD_API_KEY, environment.CHAINFOLD_API_SECRET],
  ].find(([key, secret]) => key || secret);
  if (!given) {
    const demo = demoCredentials(settings);
    if (demo) return demo;
    throw new UsageError('No credentials. Pass --key and --secret, or set CHAINFOLD_API_KEY and CHAINFOLD_API_SECRET.');
  }
  const [key, secret] = given;
  if (key && secret) return { key, secret };
  throw new UsageError(
    'A key requires its secret and vice versa: --key with --secret, CHAINFOLD_API_KEY with CHAINFOLD_API_SECRET.',
  );
};

const readRequest = (text = '{}'): object => {
  try {
    return JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch {
    throw new UsageError(
      `The request is not valid JSON. Expected for example '{"page_size":10}', or - to read it from standard input.`,
    );
  }
};

export const urlOption: Option = {
  type: 'string',
  value: 'URL',
  summary: 'URL of the service; from CHAINFOLD_HOST and CHAINFOLD_PORT by default.',
};
export const urlFor = ({ options: { url }, settings }: Invocation): string => {
  if (url === undefined) return baseUrl(settings.host, settings.port);
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw new UsageError('--url must be an http or https URL, such as http://127.0.0.1:8080');
};

/** Returns the code of the innermost cause, such as ECONNREFUSED, or its message if it has no code. */
const networkError = (error: unknown): string => {
  const { cause, code, message } = error as NodeJS.ErrnoException;
  return cause === undefined ? code || message : networkError(cause);
};

/** Runs work that needs a running service. Explains the network error if no service answers at the URL. */
export const callOrExplain = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    return fail(
      'UNAVAILABLE',
      `No service answers at ${url} (${networkError(error)}). Start one with npm start, or pass --url.`,
    );
  }
};

/** Runs a query as of a moment directly on the stores, without the service's limit on the number of replayed events. */
const askStores = (invocation: Invocation, request: object) =>
  withApp(invocation, async (app) => {
    const { options, parameters, print } = invocation;
    const { 'as-of': given, organization = '' } = options;
    if (given === undefined)
      throw new UsageError('--organization requires --as-of. Without --as-of, call the service with its credentials.');
    const path = `/v1/${parameters.slice(0, 2).join('/')}`;
    const endpoint =
      endpoints.find((one) => one.path === path) ??
      fail('NOT_FOUND', explainUnknown(path, 'chainfold call --help lists all operations'));
    const bounds = { maxEvents: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    const goTo = prepareAsOf(endpoint.operation, { given, name: '--as-of', ...bounds });
    const input = check(createAjv().compile(endpoint.request), request);
    const organizationId = await app.organizations.idOf(organization);
    const by: Caller = { ...operator(app), organizationId, variant: endpoint.variant, role: 'admin' };
    const { answer } = await goTo(app, by);
    const body = (await readWhole(await answer(input))) as object;
    print(body, writeExact(body, 2));
  });

/** Splits a streamed response into lines at line feeds only, because its strings may contain other line separators. */
const linesIn = async function* (answer: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of answer) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  // Rejects a response that does not end with a line feed: the connection was lost before its last line was complete.
  if (rest !== '') fail('UNAVAILABLE', 'The answer is incomplete. Retry the request.');
};

export const call: Command = {
  words: 'call',
  summary: 'Sign and send a request to a running service; - reads the request from standard input.',
  parameters: ['<api>', '<Operation>', '[json]'],
  options: {
    url: urlOption,
    key: { type: 'string', value: 'KEY', summary: 'The api_key; CHAINFOLD_API_KEY or the demo key by default.' },
    secret: { type: 'string', value: 'SECRET', summary: 'The api_secret.' },
    'idempotency-key': { type: 'string', value: 'KEY', summary: 'A retry with the same key returns the first answer.' },
    'min-position': { type: 'string', value: 'N', summary: 'Wait until the answer includes this event position.' },
    'as-of': momentOption('Answer as of this moment. Only for Get and List operations of the wallet APIs.'),
    organization: {
      type: 'string',
      value: 'ID|DOMAIN',
      summary: 'With --as-of: answer directly from the stores, without a service and without its limit on events.',
    },
  },
  helpFor: callHelp,
  candidates: () => ({
    '': variants.map(({ segment }) => segment),
    ...Object.fromEntries(
      variants.map(({ segment }) => [
        segment,
        endpoints.filter(({ variant }) => variant.segment === segment).map(({ operation }) => operation.name),
      ]),
    ),
  }),
  details: () =>
    [
      'Run chainfold call <api> <Operation> --help for its fields and an example.',
      '',
      'Operations:',
      ...endpoints.map(({ variant, operation }) => `  ${variant.segment} ${operation.name}`),
    ].join('\n'),
  run: async (invocation) => {
    const { options, parameters, print } = invocation;
    const [api = '', name = '', json] = parameters;
    const request = readRequest(json);
    if (options.organization !== undefined) return askStores(invocation, request);
    const url = urlFor(invocation);
    // Disables retries, because the user sees the first response and decides whether to retry.
    const client = createClient({ url, ...credentialsFor(invocation), maxRetries: 0 });
    const headers = {
      ...(options['idempotency-key'] && { 'idempotency-key': options['idempotency-key'] }),
      ...(options['min-position'] && { 'x-min-position': options['min-position'] }),
      ...(options['as-of'] !== undefined && { 'x-as-of': options['as-of'] }),
    };
    const answer = await callOrExplain(url, () => client.call(api, name, request, { headers }));
    if (answer instanceof ReadableStream)
      for await (const line of linesIn(answer)) print(readExact(line) as object, line);
    else print(answer, writeExact(answer, 2));
  },
};
