import assert from 'node:assert/strict';
import { createCredentialUses } from '../../../application/access/credential-uses.js';
import type { StateStore } from '../../../application/ports/state.js';
import { Failure } from '../../../domain/failure.js';
import { states } from '../../support/engines/adapters.js';
import { eventually } from '../../support/eventually.js';
import { testSystem } from '../../support/silent.js';

const hourMs = 3_600_000;

describe('the last use of credentials', () => {
  let stored: StateStore;
  beforeEach(async () => {
    stored = await (await states.sqlite()).open();
  });
  afterEach(() => stored.close());
  const start = () => {
    const writes: string[] = [];
    let now = 10 * hourMs + 5;
    let isDown = false;
    const state = {
      ...stored,
      put: async (...[bucket, id, value, expected]: Parameters<StateStore['put']>) => {
        if (isDown) throw new Failure('UNAVAILABLE', 'The store is unavailable');
        writes.push(value);
        return stored.put(bucket, id, value, expected);
      },
    };
    const process = () => createCredentialUses({ state, system: { ...testSystem, now: () => now } });
    return {
      process,
      writes,
      setTime: (time: number) => {
        now = time;
      },
      setDown: (value: boolean) => {
        isDown = value;
      },
    };
  };

  it('is unknown before the first use and the start of an hour after it', async () => {
    const uses = start().process();
    assert.equal(await uses.find('ck_a'), null);
    uses.note('ck_a');
    await eventually(async () => assert.equal(await uses.find('ck_a'), 10 * hourMs));
    assert.equal(await uses.find('ck_b'), null);
  });

  it('is written once an hour however often a credential is used, also by two processes', async () => {
    const { process, writes, setTime } = start();
    const [first, second] = [process(), process()];
    for (let n = 0; n < 100; n++) first.note('ck_a');
    await eventually(async () => assert.equal(await first.find('ck_a'), 10 * hourMs));
    for (let n = 0; n < 100; n++) second.note('ck_a');
    setTime(11 * hourMs + 1);
    second.note('ck_a');
    await eventually(async () => assert.equal(await first.find('ck_a'), 11 * hourMs));
    assert.deepEqual(writes, [String(10 * hourMs), String(11 * hourMs)]);
  });

  it('does not go back when the clock of a process does', async () => {
    const { process, setTime } = start();
    process().note('ck_a');
    setTime(2 * hourMs);
    const late = process();
    late.note('ck_a');
    late.note('ck_b');
    await eventually(async () => assert.equal(await late.find('ck_b'), 2 * hourMs));
    assert.equal(await late.find('ck_a'), 10 * hourMs);
  });

  it('is written by a later use when the store was unavailable', async () => {
    const { process, setDown } = start();
    const uses = process();
    setDown(true);
    uses.note('ck_a');
    await eventually(async () => {
      setDown(false);
      uses.note('ck_a');
      assert.equal(await uses.find('ck_a'), 10 * hourMs);
    });
  });

  it('is forgotten with the credential', async () => {
    const uses = start().process();
    uses.note('ck_a');
    await eventually(async () => assert.equal(await uses.find('ck_a'), 10 * hourMs));
    await uses.forget('ck_a');
    assert.equal(await uses.find('ck_a'), null);
  });
});
