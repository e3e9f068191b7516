import assert from 'node:assert/strict';
import type { Overview } from '../../../application/maintenance/overview.js';
import type { Instance } from '../../../application/processes/heartbeats.js';
import type { Role } from '../../../application/processes/service-process.js';
import { statusText } from '../../../interfaces/cli/maintenance/status-text.js';

const now = 1_700_000_000_000;
const ago = (seconds: number) => now - seconds * 1000;

const instance = (pid: number, roles: readonly Role[], given: Partial<Instance> = {}): Instance => ({
  id: String(pid),
  host: 'chainfold-projector-7d9f8b6c5d-x2x4q',
  pid,
  version: '10.20.30',
  roles,
  startedAt: ago(7300),
  seenAt: ago(2),
  stoppedAt: null,
  isKilled: false,
  startup: null,
  authenticates: true,
  activities: [],
  ...given,
});
const process = (name: string, role: Role, state: 'running' | 'standby' | 'restarting') => ({
  name,
  role,
  state,
  isLeased: state !== 'restarting',
  failure: state === 'restarting' ? { message: `Error: ${'the disk is full '.repeat(20)}`, at: now } : null,
});

const leader = instance(1, ['projector', 'deliverer'], { activities: [process('sealer', 'projector', 'running')] });
const other = instance(2, ['projector'], {
  activities: [process('sealer', 'projector', 'standby'), process('projector', 'projector', 'restarting')],
});
const killed = instance(3, ['follower', 'api'], { seenAt: ago(48) });
const replaced = instance(4, ['projector'], { seenAt: ago(60) });

const overview: Overview = {
  now,
  roles: [
    { role: 'api', isNeeded: true, state: 'missing', instances: [], last: killed },
    { role: 'projector', isNeeded: true, state: 'running', instances: [leader, other], last: leader },
    { role: 'follower', isNeeded: true, state: 'missing', instances: [], last: killed },
    { role: 'deliverer', isNeeded: false, state: 'running', instances: [leader], last: leader },
  ],
  instances: [leader, other, killed, replaced],
  projections: [
    {
      name: 'wallets',
      version: 1,
      position: 1,
      lag: 1_234_567,
      lagSeconds: 3700,
      stopped: 'an event cannot be read',
      stoppedFor: null,
      generation: { number: 1, version: 1 },
      rebuild: { number: 2, position: 1, percent: 44 },
    },
  ],
  chains: [
    {
      chain: 'C',
      height: 23_456_789,
      head: 23_456_999,
      lagSeconds: 200_000,
      headReadSeconds: 3,
      trouble: `was not followed for 200000 s: ${'no node answers '.repeat(10)}`,
      headSeconds: 12,
    },
  ],
  deliveries: { open: 10_000, parked: 3, queued: 0, overdueSeconds: 130 },
  stuckTransactions: 2,
  failingWebhooks: {
    count: 7,
    longest: [{ organizationId: 'o', chain: 'C', webhookId: 'w', failingSince: ago(180_000) }],
  },
  lastSeal: new Date(ago(3600)).toISOString(),
  lastBackup: null,
};
const text = statusText(overview, { directory: '/var/lib/chainfold', freeBytes: 3 * 2 ** 30 });
const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '));

describe('the text of status', () => {
  it('fits into 80 columns, however long names and reasons are', () => {
    for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
  });

  it('shows the roles with their leaders, and the missing ones in capitals', () => {
    assert.deepEqual(lines.slice(0, 5), [
      'role state processes last seen leader',
      'api MISSING 0 48 s ago',
      'projector running 2 2 s ago chainfold-proje… 1',
      'follower MISSING 0 48 s ago',
      'deliverer running 1 2 s ago',
    ]);
  });

  it('shows the processes that run or are missing, and what fails in them', () => {
    assert.deepEqual(lines.slice(6, 10), [
      'host pid version roles up state',
      'chainfold-proje… 1 10.20.30 projector,deliverer 2 h running',
      'chainfold-proje… 2 10.20.30 projector 2 h FAILING',
      'chainfold-proje… 3 10.20.30 follower,api 2 h MISSING for 48 s',
    ]);
    assert.match(lines[10] ?? '', /^ projector: Error: the disk is full .*…$/);
    assert.equal(lines[11], '');
  });

  it('shows what lags, waits and fails', () => {
    assert.deepEqual(lines.slice(12), [
      'projection behind since state',
      'wallets 1234567 events 61 min STOPPED, rebuilding 44 %',
      '',
      'chain height behind since newest block state',
      lines[16],
      '',
      'open deliveries 10000 or more, the oldest due for 2 min, and 3 parked',
      'failing webhooks 7, the longest for 2 d',
      'stuck transactions 2',
      'last seal 60 min ago',
      'last backup none',
      'disk space 3.0 GiB free in /var/lib/chainfold',
    ]);
    assert.match(lines[16] ?? '', /^C 23456789 210 blocks 2 d 12 s old ALARM: was not followed/);
  });
});
