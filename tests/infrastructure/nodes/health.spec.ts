import assert from 'node:assert/strict';
import { createHealth } from '../../../infrastructure/nodes/health.js';
import { type FaultKind, NodeFault } from '../../../infrastructure/nodes/node-fault.js';

describe('the health of a node', () => {
  const logged: string[] = [];
  const record = (facts: object, message: string) => void logged.push(`${message}: ${JSON.stringify(facts)}`);
  const log = { info: record, warn: record, error: record };
  const health = (maxRestMs = 5000) => createHealth({ name: 'host:1', owner: 'chain', maxRestMs, log });
  const fault = (kind: FaultKind = 'failing', restMs = 0) => new NodeFault(kind, 'is down', restMs);
  /**
   * Reports a fault to the node, and checks that it backs off for `expected` ms, less the time that has passed.
   */
  const assertRests = (node: ReturnType<typeof health>, reason: NodeFault, expected: number) => {
    const before = performance.now();
    node.rest(reason);
    const left = node.restLeft();
    const passed = performance.now() - before;
    assert.ok(left <= expected && left >= Math.max(0, expected - passed), `${left} ms of ${expected} ms are left`);
  };
  beforeEach(() => logged.splice(0));

  it('is up until the first failure', () => {
    const node = health();
    assert.equal(node.isUp(), true);
    assert.equal(node.isResting(), false);
    assert.equal(node.lastFault(), null);
  });

  it('backs off longer with every consecutive failure, up to the maximum', () => {
    const node = health(800);
    for (const expected of [100, 200, 400, 800, 800, 800]) assertRests(node, fault(), expected);
  });

  it('backs off as long as the node requests, if that is longer', () => {
    const node = health();
    assertRests(node, fault('busy', 3000), 3000);
  });

  it('counts failures of concurrent requests as one', () => {
    const node = health();
    const startedAt = performance.now();
    for (let i = 0; i < 5; i++) node.rest(fault(), startedAt);
    assert.ok(node.restLeft() <= 100);
  });

  it('is briefly unavailable after a few failures, and down after many', () => {
    const node = health();
    for (let i = 0; i < 3; i++) node.rest(fault());
    assert.equal(node.isBrieflyAway(), true);
    node.rest(fault());
    assert.equal(node.isBrieflyAway(), false);
    node.recover();
    assert.equal(node.isBrieflyAway(), true);
  });

  it('recovers immediately when the node answers, and backs off briefly after the next failure', () => {
    const node = health();
    for (let i = 0; i < 5; i++) node.rest(fault());
    node.recover();
    assert.equal(node.isResting(), false);
    assert.equal(node.isUp(), true);
    node.rest(fault());
    assert.ok(node.restLeft() <= 100);
  });

  for (const [kind, isStillVetted] of [
    ['failing', false],
    ['wrong', false],
    ['busy', true],
  ] as const)
    it(`${isStillVetted ? 'trusts' : 'no longer trusts'} a vetted node to serve the right chain after a fault of kind ${kind}`, () => {
      const node = health();
      assert.equal(node.isVetted(), false);
      node.vouch();
      assert.equal(node.isVetted(), true);
      node.rest(fault(kind));
      assert.equal(node.isVetted(), isStillVetted);
    });

  it('logs once that the node is marked unhealthy, with the reason, and once that it recovered', () => {
    const node = health();
    node.recover();
    for (let i = 0; i < 3; i++) node.rest(fault());
    for (let i = 0; i < 3; i++) node.recover();
    assert.deepEqual(logged, [
      'Chain node marked unhealthy: {"node":"host:1","reason":"is down"}',
      'Chain node recovered: {"node":"host:1"}',
    ]);
  });
});
