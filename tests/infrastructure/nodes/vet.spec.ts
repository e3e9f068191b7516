import assert from 'node:assert/strict';
import { createHealth } from '../../../infrastructure/nodes/health.js';
import { createVet } from '../../../infrastructure/nodes/vet.js';
import { silent } from '../../support/silent.js';

const health = () => createHealth({ name: 'host:1', owner: 'chain', maxRestMs: 5000, log: silent });
const isOther = { name: 'NodeFault', kind: 'wrong', message: 'serves another chain than the other nodes' };

describe('the vetting of nodes', () => {
  it('accepts nodes that name the same chain', async () => {
    const vet = createVet();
    for (const node of [health(), health()]) {
      await vet(node, async () => 'one');
      assert.equal(node.isVetted(), true);
    }
  });

  it('excludes a node that names another chain than the first', async () => {
    const vet = createVet();
    await vet(health(), async () => 'one');
    const other = health();
    await assert.rejects(
      vet(other, async () => 'two'),
      isOther,
    );
    assert.equal(other.isVetted(), false);
    assert.equal(other.isUp(), false);
  });

  it('does not ask a vetted node again until it has failed', async () => {
    const vet = createVet();
    const node = health();
    let asked = 0;
    const identify = async () => {
      asked++;
      return 'one';
    };
    for (let i = 0; i < 3; i++) await vet(node, identify);
    assert.equal(asked, 1);
  });

  it('accepts a node that cannot name its chain next to one that can', async () => {
    const vet = createVet();
    const unnamed = health();
    await vet(health(), async () => 'one');
    await vet(unnamed, async () => null);
    assert.equal(unnamed.isVetted(), true);
  });

  it('lets a later node name the chain when the first one cannot', async () => {
    const vet = createVet();
    const first = health();
    await vet(first, async () => null);
    assert.equal(first.isVetted(), true);
    await vet(health(), async () => 'one');
    await assert.rejects(
      vet(health(), async () => 'two'),
      isOther,
    );
  });
});
