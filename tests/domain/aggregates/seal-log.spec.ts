import { leavesPerStream, sealLog } from '../../../domain/aggregates/audit/seal-log.js';
import { check, emits, nothing } from '../../support/histories/matrix.js';

describe('the seal log', () => {
  const head = { size: 1, root: 'r', time: '2026-01-01T00:00:00.000Z', keyId: 'key', signature: 'signed' };
  const leaf = { organizationId: 'org_1', count: 10, hash: 'h', places: 'p', position: 20 };
  const logged = (index: number) => ({ type: 'SealLogged', data: { ...leaf, volume: 0, index, head } }) as const;
  const ask = (index: number) => ({ type: 'Log', data: logged(index).data }) as const;
  check(sealLog, {
    states: { empty: [], 'not empty': [logged(0)] },
    rows: [
      { asks: 'Log in place 0', command: ask(0), when: { empty: emits(logged(0)), otherwise: nothing } },
      { asks: 'Log in place 1', command: ask(1), when: { 'not empty': emits(logged(1)), otherwise: nothing } },
      {
        asks: 'Log in the first place of a later stream',
        command: ask(3 * leavesPerStream),
        when: { empty: emits(logged(3 * leavesPerStream)), otherwise: nothing },
      },
    ],
  });
});
