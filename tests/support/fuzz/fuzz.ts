import { gunzipSync } from 'node:zlib';
import { type ProblemCode, problems, slugOf } from '../../../interfaces/http/problems.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { type Client, createClient } from '../service/client.js';
import { call } from '../service/http.js';
import { type KeptConnection, keptConnection, type Reply, sendRaw } from './connection.js';
import { type Random, randomOf } from './random.js';
import { rawText } from './raw-texts.js';
import { pageRequest, type Request, signedRequest, type Target, tamperedRequest } from './requests.js';

/** Failure of a fuzz case. The message contains everything that is needed to repeat the case. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Number of answers, keyed by kind of case and status, such as `signed 200`. */
export type Tally = Record<string, number>;

const problemParts = ['title', 'detail', 'retryable', 'errors'];

const faultInProblem = ({ status, headers, body }: Reply) => {
  const problem = JSON.parse(body.toString());
  if (!Object.hasOwn(problems, problem.code)) return `the code ${problem.code} is not in the catalogue`;
  if (problem.type !== `/problems/${slugOf(problem.code as ProblemCode)}`) return 'the type does not fit the code';
  if (problem.status !== status) return 'the status in the body is another';
  if (problem.request_id !== headers['x-request-id']) return 'the request id in the body is another';
  const missing = problemParts.find((part) => !Object.hasOwn(problem, part));
  return missing === undefined ? null : `the problem has no ${missing}`;
};

/** Recognizes the answer that a chain is not configured, which is the only correct 503. */
const saysChainIsOff = ({ status, body }: Reply) =>
  status === 503 && /"detail":"chain \w+ is off\b/.test(body.toString('latin1'));

/** Returns the fault of an answer to any request; null when the answer is valid. */
const faultIn = (reply: Reply, method: string): string | null => {
  const { status, headers, body } = reply;
  if (status >= 500 && !saysChainIsOff(reply)) return `status ${status}`;
  if (method === 'HEAD') return null;
  if (status >= 400)
    return headers['content-type'] === 'application/problem+json'
      ? faultInProblem(reply)
      : 'a refusal that is not a problem';
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  if (headers['content-type']?.startsWith('application/json')) JSON.parse(plain.toString());
  return null;
};

const shownBytes = 6000;
const shown = (bytes: Buffer) => {
  const text = JSON.stringify(bytes.toString('latin1'));
  return text.length > shownBytes ? `${text.slice(0, shownBytes)}… (${bytes.length} bytes)` : text;
};

type Case = { readonly kind: string; readonly bytes: Buffer; readonly run: () => Promise<readonly number[]> };

const fail = (fault: string, { status, body }: Reply): never => {
  throw new Error(`${fault}\nanswer: ${status} ${shown(body)}`);
};

const rawCase = (random: Random, { url }: Target): Case => {
  const bytes = rawText(random);
  const method = bytes.includes('HEAD') ? 'HEAD' : '';
  const run = async () => {
    const replies = await sendRaw(url, bytes);
    for (const reply of replies) {
      // Node.js itself rejects some malformed HTTP without a body.
      const fault = reply.status < 500 && reply.body.length === 0 ? null : faultIn(reply, method);
      if (fault !== null) fail(fault, reply);
    }
    return replies.map(({ status }) => status);
  };
  return { kind: 'raw', bytes, run };
};

const requestCase =
  (kind: string, make: (random: Random, target: Target) => Request) =>
  (random: Random, target: Target, { ask }: KeptConnection): Case => {
    const { bytes, method, mustBeRefused } = make(random, target);
    const run = async () => {
      const reply = await ask(bytes, method);
      const fault = faultIn(reply, method);
      if (fault !== null) fail(fault, reply);
      if (mustBeRefused && reply.status < 400) fail('it was taken and must be refused', reply);
      return [reply.status];
    };
    return { kind, bytes, run };
  };

const signed = requestCase('signed', signedRequest);
const tampered = requestCase('tampered', tamperedRequest);
const page = requestCase('page', pageRequest);
const kinds = [signed, signed, signed, signed, tampered, tampered, page, rawCase, rawCase, rawCase];

/** Makes case `number`. Cases of the same seed and number are equal in every run, except for nonces and ids. */
const caseOf = (seed: number, number: number, target: Target, connection: KeptConnection): Case => {
  const random = randomOf(seed, number);
  return random.pick(kinds)(random, target, connection);
};

/** Settings of the fuzzed service: an empty URL starts the development chain where the machine can run one. */
export const fuzzedSettings = { CHAIN_C_URL: '' };

/** Makes an organization with a credential. */
const newTenant = async ({ admin }: Client, domain: string) => {
  const { organization_id } = await admin.createOrganization({ name: domain, domain });
  const { api_key, api_secret } = await admin.createCredential({ organization_id });
  return { organization_id, domain, key: api_key, secret: api_secret };
};

/** Creates each resource that requests can refer to, and a neighbour organization that requests must not reach. */
export const prepare = async (url: string, credentials: Credentials) => {
  const client = createClient({ url, ...credentials });
  const wallet = endpoints.filter(({ operation }) => operation.surface === 'wallet');
  const segments = [...new Set(wallet.map(({ variant }) => variant.segment))];
  const newWallet = async (by: Credentials, segment: string) =>
    String((await call(url, by, `/v1/${segment}/RegisterWallet`, { name: 'fuzzed' })).body.wallet_id);
  const wallets: Record<string, string> = {};
  const pageTokens: Record<string, string> = {};
  for (const segment of segments) {
    await newWallet(credentials, segment);
    wallets[segment] = await newWallet(credentials, segment);
    const { body } = await call(url, credentials, `/v1/${segment}/ListWallets`, { page_size: 1 });
    pageTokens[segment] = (body.pagination as { next_page_token: string }).next_page_token;
  }
  const neighbour = await newTenant(client, 'fuzz-neighbour');
  const foreignWallet = await newWallet(neighbour, segments[0] ?? '');
  const organization = await newTenant(client, 'fuzz-scapegoat');
  const target: Target = { url, credentials, known: { wallets, pageTokens, foreignWallet, organization } };
  return { target, neighbour };
};

const atOnce = 48;

/** Runs `count` cases from number `from` on, up to 48 at once; throws the first Violation. */
export const fuzz = async (
  target: Target,
  cases: { readonly seed: number; readonly from: number; readonly count: number },
): Promise<Tally> => {
  const { seed, from, count } = cases;
  const tally: Tally = {};
  const underWay = new Set<number>();
  let next = from;

  const runOne = async (number: number, connection: KeptConnection) => {
    const { kind, bytes, run } = caseOf(seed, number, target, connection);
    underWay.add(number);
    const answered = await run().catch((error: Error) => {
      // Another case that ran at the same time may have killed the service.
      const others = `cases under way: ${[...underWay].join(' ')}`;
      const again = `again: npm run fuzz -- --seed ${seed} --from ${number} --count 1`;
      const lines = [
        `seed ${seed}, case ${number} (${kind}): ${error.message}`,
        `request: ${shown(bytes)}`,
        again,
        others,
      ];
      throw new Violation(lines.join('\n'));
    });
    underWay.delete(number);
    for (const status of answered.length > 0 ? answered : ['closed'])
      tally[`${kind} ${status}`] = (tally[`${kind} ${status}`] ?? 0) + 1;
  };
  const worker = async () => {
    const connection = keptConnection(target.url);
    try {
      while (next < from + count) await runOne(next++, connection);
    } catch (error) {
      next = Number.POSITIVE_INFINITY;
      throw error;
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return tally;
};

/** Returns whether the service still works: it is live, runs a command and shows the result. */
export const worksFor = async (url: string, credentials: Credentials): Promise<boolean> => {
  const live = await fetch(new URL('/health/live', url));
  const made = await call(url, credentials, '/v1/c/RegisterWallet', { name: 'still here' });
  const { status, body } = await call(url, credentials, '/v1/c/GetWallet', { wallet_id: made.body.wallet_id });
  return live.status === 200 && status === 200 && (body.wallet as { name: string }).name === 'still here';
};

/** Reads the resident memory of the service from its metrics. */
export const residentBytes = async (url: string): Promise<number> => {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
};

const slackBytes = 64 * 1_048_576;
/**
 * Returns whether memory grew only by caches and garbage. A leak of 400 bytes per case is detected after a million
 * cases.
 */
export const isFlat = (before: number, after: number) => after <= before * 1.5 + slackBytes;

/** Finds errors in the service's log and the lines that Node prints when it crashes. */
export const complaintsIn = (output: string): readonly string[] =>
  output.split('\n').filter((line) => /unhandled|uncaught|"level":(?:50|60)|^\s+at /i.test(line));
