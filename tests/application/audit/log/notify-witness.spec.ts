import assert from 'node:assert/strict';
import { createWitnessNotifier } from '../../../../application/audit/log/notify-witness.js';
import { parseWitnessedHead } from '../../../../application/audit/log/witnessed.js';
import { useSealedStores } from '../../../support/audit/sealed-stores.js';

const organizationId = `org_${'a'.repeat(32)}`;

describe('the witness notifier', () => {
  const { stores, sealLog, system, sealRounds } = useSealedStores();
  const seal = (round: number) => sealRounds([organizationId], 1, round);
  const sizeNow = async () => (await sealLog().head())?.size;

  /** Runs the notifier until the witness has accepted a head, and returns the sizes of the heads it received. */
  const handed = async (refusals = 0) => {
    const stop = new AbortController();
    const sizes: (number | undefined)[] = [];
    const take = async (line: string) => {
      sizes.push(parseWitnessedHead(line)?.size);
      if (sizes.length <= refusals) throw new Error('the witness is away');
      stop.abort();
    };
    await createWitnessNotifier({ name: 'test', record: take }, { ...stores(), system })(stop.signal);
    return sizes;
  };

  it('sends the newest head, and after a restart only newer heads', async () => {
    await seal(0);
    await seal(1);
    const first = await sizeNow();
    assert.deepEqual(await handed(), [first]);
    await seal(2);
    const second = await sizeNow();
    assert.notEqual(first, second);
    assert.deepEqual(await handed(), [second]);
  });

  it('retries until the witness has accepted the head', async () => {
    await seal(0);
    const size = await sizeNow();
    assert.deepEqual(await handed(3), [size, size, size, size]);
  });

  it('sends a head again after a restart if the witness had not accepted it', async () => {
    await seal(0);
    const stop = new AbortController();
    const away = {
      name: 'test',
      record: async () => {
        stop.abort();
        throw new Error('the witness is away');
      },
    };
    await assert.rejects(createWitnessNotifier(away, { ...stores(), system })(stop.signal), { name: 'AbortError' });
    assert.deepEqual(await handed(), [await sizeNow()]);
  });
});
