import assert from 'node:assert/strict';
import * as exampleIds from '../../../interfaces/operations/examples/ids.js';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { embedded } from '../../support/engines/engines.js';
import { type Prism, startPrism } from '../../support/outside/prism.js';
import { missingOutside } from '../../support/outside/programs.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService, unlimited } from '../../support/service/service.js';

/** Turns of the operations: first what others need, last what takes that away. Queries come after the commands of a turn. */
const turns = [
  /^(CreateOrganization|RegisterWallet)$/,
  /^(Create|Register)/,
  /^(SendTest|ImportHistory)/,
  /^(?!Remove|Delete|Batch|Cancel)/,
  /^/,
];
const turnOf = ({ operation: { name, kind } }: Endpoint) =>
  turns.findIndex((turn) => turn.test(name)) + (kind === 'query' ? 0.5 : 0);
const inTurn = endpoints.toSorted((a, b) => turnOf(a) - turnOf(b));

const ids: ReadonlySet<unknown> = new Set(Object.values(exampleIds));
/** Values that a test can use in place of those in the examples: a name that is never resolved, and the first block. */
const usable: Readonly<Record<string, unknown>> = {
  webhook_endpoint: 'https://chainfold.invalid/hooks',
  block_number: 0,
};
/** Operations that refuse their examples: no seal is made, nothing is signed, and the hash and token are on no chain. */
const unreached = [
  'RegisterContract',
  'AnchorSeal',
  'GetConsistencyProof',
  'GetInclusionProof',
  'SendTransaction',
  'SpeedUpTransaction',
  'SubmitTransactionSignature',
  'GetPendingTransaction',
  'GetTransactionReceipt',
  'ListInternalTransactions',
  'ListLogs',
];

/** Ids in the answers of an API, which stand for those in later examples. */
const idsInAnswers = () => {
  const known = new Map<string, unknown>();
  const usableValue = (name: string, value: unknown) => (ids.has(value) ? known.get(name) : usable[name]) ?? value;
  return {
    learn: (answer: object) => {
      const named = [answer, ...Object.values(answer)].flat().flatMap((part) => Object.entries(part ?? {}));
      for (const [name, value] of named) if (!known.has(name) && value !== '') known.set(name, value);
    },
    requestOf: ({ example }: Endpoint) =>
      Object.fromEntries(Object.entries(example).map(([name, value]) => [name, usableValue(name, value)])),
  };
};

describeInFull('prism between callers and the service', () => {
  let service: Service;
  let prism: Prism;
  before(async function () {
    const missing = missingOutside('prism');
    if (missing) return skip(this, missing);
    if (process.platform !== 'linux') return skip(this, 'calls through prism (EDR is not there for this machine)');
    const chains = ['T', 'S', 'P', 'C', 'Q'].map((tag) => [`CHAIN_${tag}_URL`, '']);
    service = await startService({ on: embedded, env: Object.fromEntries(chains) });
    prism = await startPrism(service.url);
  });
  after(async () => {
    await prism?.stop();
    await service?.stop();
  });

  /** Calls through prism, and returns the answer and the violations of the document that prism found. */
  const play = async (path: string, request: object, credentials: Credentials = demoOf(service.home)) => {
    const { status, headers, body } = await call(prism.url, credentials, path, request);
    return { path, status, body, violations: headers.get('sl-violations') ?? '' };
  };

  it('finds no violation in the examples of the operations and the answers to them', async () => {
    const known = new Map(endpoints.map(({ variant }) => [variant, idsInAnswers()]));
    const reached = new Set<string>();
    const found: string[] = [];
    for (const endpoint of inTurn) {
      const { path, variant, operation } = endpoint;
      const { learn, requestOf } = known.get(variant) ?? assert.fail(path);
      const { status, body, violations } = await play(path, requestOf(endpoint));
      if (violations) found.push(`${path} ${status} ${violations}`);
      if (status !== 200) continue;
      reached.add(operation.name);
      learn(body);
    }
    // prism reads lines of JSON as one text, which no schema of their first line can describe.
    const inLines = endpoints.filter(({ operation }) => 'answers' in operation);
    const asText =
      '{"location":["response","body"],"severity":"Error","code":"type","message":"Response body must be object"}';
    assert.deepEqual(
      found,
      inLines.map(({ path }) => `${path} 500 [${asText}]`),
    );
    const names = new Set(endpoints.map(({ operation }) => operation.name));
    assert.deepEqual(
      [...names].filter((name) => !reached.has(name)).toSorted(),
      [...unreached, ...inLines.map(({ operation }) => operation.name)].toSorted(),
    );
  });

  it('finds no violation in refusals', async () => {
    const { admin } = clientOf(service);
    const { organization_id } = await admin.createOrganization({ name: 'Limited', domain: 'limited' });
    await admin.setRateLimit({ organization_id, ...unlimited, per_month_limit: 1 });
    const { api_key, api_secret } = await admin.createCredential({ organization_id });
    const [demo, client] = [demoOf(service.home), { key: api_key, secret: api_secret }];
    const expected: [status: number, path: string, request: object, credentials?: Credentials][] = [
      [400, '/v1/c/ListWallets', { page_token: 'none' }],
      [401, '/v1/c/ListWallets', {}, { ...demo, secret: api_secret }],
      [403, '/v1/admin/CreateOrganization', { name: 'Other', domain: 'other' }, client],
      [404, '/v1/c/GetWallet', { wallet_id: exampleIds.anyWallet }],
      [409, '/v1/admin/CreateOrganization', { name: 'Limited', domain: 'limited' }],
      [200, '/v1/c/ListWallets', {}, client],
      [429, '/v1/c/ListWallets', {}, client],
    ];
    for (const [status, ...request] of expected) {
      const answer = await play(...request);
      assert.deepEqual([answer.path, answer.status, answer.violations], [request[0], status, '']);
    }
  });

  it('refuses requests that the service refuses as well, because they violate the document', async () => {
    for (const request of [{}, { wallet_id: 1 }, { wallet_id: exampleIds.anyWallet, unknown: true }]) {
      const { status, body } = await play('/v1/c/GetWallet', request);
      assert.deepEqual([status, body.type], [422, 'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY']);
      assert.equal((await call(service.url, demoOf(service.home), '/v1/c/GetWallet', request)).status, 400);
    }
  });
});
