import assert from 'node:assert/strict';
import type { OwnedAccess } from '../../../application/ports/tracing/access-log.js';
import {
  type AnsweredRequest,
  type RefusedGroup,
  type RequestLogPolicy,
  refusalBounds,
} from '../../../application/ports/tracing/requests.js';
import { createRequestRecorder } from '../../../application/tracing/record-requests.js';
import { testSystem } from '../../support/silent.js';

const request = (requestId: string, more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  requestId,
  organizationId: 'org_1',
  operation: 'c/GetWallet',
  status: 200,
  ms: 1,
  ...more,
});
const refusal = (requestId: string, more: Partial<AnsweredRequest> = {}) =>
  request(requestId, { status: 404, code: 'NOT_FOUND', detail: 'Wallet not found', ...more });

const record = (policy: RequestLogPolicy = { kind: 'all' }) => {
  const logged: string[] = [];
  const warnings: string[] = [];
  const stored: RefusedGroup[][] = [];
  const accessed: OwnedAccess[] = [];
  let isDown = false;
  const recorder = createRequestRecorder({
    requestLog: { policy, write: ({ requestId }, message) => logged.push(`${requestId}: ${message}`) },
    accessLog: {
      add: async (accesses) => void accessed.push(...accesses),
      list: async () => [],
      close: async () => undefined,
    },
    refusedRequests: {
      add: async (refused) => {
        if (isDown) throw new Error('down');
        stored.push([...refused]);
      },
      find: async () => [],
      close: async () => undefined,
    },
    system: {
      ...testSystem,
      sleep: async () => undefined,
      log: { ...testSystem.log, warn: (_, message) => warnings.push(message) },
    },
  });
  /** Stores the pending refused requests, as the recorder does when the service stops. */
  const end = async () => {
    const stop = new AbortController();
    const running = recorder.run(stop.signal);
    stop.abort();
    await running;
  };
  const succeed = (id: string) => {
    if (recorder.logsNext()) recorder.succeeded(request(id));
  };
  const fail = () => {
    isDown = true;
  };
  return { recorder, logged, warnings, stored, accessed, end, succeed, fail };
};

describe('the recorder of requests', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const expected: readonly [RequestLogPolicy, readonly string[]][] = [
    [{ kind: 'all' }, ['a', 'b', 'c', 'd', 'e', 'refused']],
    [{ kind: 'sampled', every: 1 }, ['a', 'b', 'c', 'd', 'e', 'refused']],
    [{ kind: 'sampled', every: 2 }, ['a', 'c', 'e', 'refused']],
    [{ kind: 'refused' }, ['refused']],
    [{ kind: 'off' }, []],
  ];
  for (const [policy, logged] of expected)
    it(`logs ${logged.join(', ') || 'nothing'} under the policy ${JSON.stringify(policy)}, and stores the refusal`, async () => {
      const scene = record(policy);
      for (const id of ids) scene.succeed(id);
      scene.recorder.refused(refusal('refused'), '127.0.0.1');
      await scene.end();
      assert.deepEqual(
        scene.logged,
        logged.map((id) => `${id}: Request ${id === 'refused' ? 'refused' : 'answered'}`),
      );
      assert.deepEqual(
        scene.stored.flat().flatMap(({ requests }) => requests.map((one) => one.requestId)),
        ['refused'],
      );
    });

  it('groups refusals by organization and code, so that rate-limited requests displace no others', async () => {
    const { recorder, stored, end } = record();
    for (let i = 0; i < 2 * refusalBounds.perGroup; i++)
      recorder.refused(refusal(`limited-${i}`, { status: 429, code: 'RATE_LIMITED' }), '127.0.0.1');
    recorder.refused(refusal('one'), '127.0.0.1');
    recorder.refused(refusal('two', { organizationId: 'org_2' }), '127.0.0.1');
    await end();
    assert.deepEqual(
      stored.flat().map(({ group, requests }) => [group, requests.length, requests.at(-1)?.requestId]),
      [
        ['org_1 RATE_LIMITED', refusalBounds.perGroup, `limited-${2 * refusalBounds.perGroup - 1}`],
        ['org_1 NOT_FOUND', 1, 'one'],
        ['org_2 NOT_FOUND', 1, 'two'],
      ],
    );
  });

  it('spreads callers without an organization over a bounded number of groups, by network address', async () => {
    const { recorder, stored, end } = record();
    const anonymous = (id: string) => refusal(id, { organizationId: undefined, status: 401, code: 'UNAUTHENTICATED' });
    for (let i = 0; i < 5000; i++) recorder.refused(anonymous(`${i}`), `10.0.${i >> 8}.${i & 255}`);
    await end();
    const groups = stored.flat().map(({ group }) => group);
    assert.equal(groups.length, 64);
    assert.ok(groups.every((group) => /^anonymous-\d+ UNAUTHENTICATED$/.test(group)));
    recorder.refused(anonymous('a'), '10.0.0.1');
    recorder.refused(anonymous('b'), '10.0.0.1');
    await end();
    assert.deepEqual(
      stored.at(-1)?.map(({ requests }) => requests.map((one) => one.requestId)),
      [['a', 'b']],
    );
  });

  it('stores nothing while nothing is refused', async () => {
    const { stored, succeed, end } = record();
    succeed('a');
    await end();
    assert.deepEqual(stored, []);
  });

  it('adds the refusals of authenticated callers to the access log', async () => {
    const { recorder, accessed, end } = record();
    recorder.refused(refusal('a', { key: 'ck_89abcdef' }), undefined);
    recorder.refused(refusal('b', { organizationId: undefined }), '10.0.0.1');
    recorder.refused(refusal('c', { operation: 'evm_call', chain: 'c/mainnet', code: -32005 }), undefined);
    await end();
    assert.deepEqual(
      accessed.map(({ organizationId, kind, requestId, operation, code }) => [
        organizationId,
        kind,
        requestId,
        operation,
        code,
      ]),
      [
        ['org_1', 'refused', 'a', 'c/GetWallet', 'NOT_FOUND'],
        ['org_1', 'refused', 'c', 'c/mainnet evm_call', -32005],
      ],
    );
  });

  it('warns once while refusals cannot be stored, and never fails', async () => {
    const { recorder, warnings, fail, end } = record();
    fail();
    for (const id of ids) {
      recorder.refused(refusal(id), undefined);
      await end();
    }
    assert.deepEqual(warnings, ['Refused requests could not be stored for chainfold trace and ListAccess']);
  });
});
