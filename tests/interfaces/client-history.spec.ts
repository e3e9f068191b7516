import assert from 'node:assert/strict';
import { shownToClient } from '../../interfaces/operations/history/client-history.js';

const [own, other] = ['1'.repeat(32), '2'.repeat(32)];
const organizationId = `org_${own}`;
const keyOf = (organization: string) => `ck_${organization}_0123456789abcdef0123456789abcdef`;
const event = {
  position: 1,
  commit_time: '2026-01-31T12:00:00.000Z',
  occur_time: '2026-01-31T12:00:00.000Z',
  event_id: 'event',
  stream: `${organizationId}.wallet-wal_1`,
  type: 'WalletRegistered',
  chain: 'C',
  request_id: 'request',
  causation_id: 'request',
  correlation_id: 'request',
  data: { walletId: 'wal_1', name: 'one', nothing: null, deep: [{ number: 1.5, flag: false }] },
};
const shown = (given: object) =>
  shownToClient({ ...event, actor: { kind: 'process', id: 'follower' }, ...given }, organizationId);

describe('the history that a client sees', () => {
  const actors = [
    {
      named: 'its own key, by a few digits',
      actor: { kind: 'credential', id: keyOf(own) },
      expected: { kind: 'credential', id: 'ck_01234567' },
    },
    {
      named: 'a key of another organization',
      actor: { kind: 'credential', id: keyOf(other) },
      expected: { kind: 'operator', id: '' },
    },
    {
      named: 'an operator at the command line',
      actor: { kind: 'operator', id: 'root' },
      expected: { kind: 'operator', id: '' },
    },
    {
      named: 'a process',
      actor: { kind: 'process', id: 'follower' },
      expected: { kind: 'process', id: 'follower' },
    },
  ];
  for (const { named, actor, expected } of actors)
    it(`names ${named}`, () => assert.deepEqual(shown({ actor }).actor, expected));

  for (const type of ['LossAccepted', 'LogLossAccepted'])
    it(`does not name the operator in ${type}`, () => {
      const data = { by: 'mara', reason: 'restored', found: { count: 1 } };
      assert.deepEqual(shown({ type, data }).data, { ...data, by: 'operator' });
      assert.deepEqual(shown({ data }).data, data);
    });

  it('contains no sealed secrets at any depth', () => {
    const data = { apiKey: keyOf(own), sealedSecret: 'c2VjcmV0', more: [{ sealedValue: 'c2VjcmV0', name: 'x' }] };
    assert.deepEqual(shown({ data }).data, { apiKey: 'ck_01234567', more: [{ name: 'x' }] });
  });

  it('contains no complete api_key in streams, causes and data', () => {
    const event = shown({
      stream: `${organizationId}.credential-${keyOf(own)}`,
      request_id: `request of ${keyOf(other)}`,
      data: { from: [keyOf(other)] },
    });
    assert.equal(event.stream, `${organizationId}.credential-ck_01234567`);
    assert.equal(event.request_id, 'request of operator');
    assert.deepEqual(event.data, { from: ['operator'] });
  });

  it('shows all other fields unchanged', () => assert.deepEqual(shown({}).data, event.data));
});
