import assert from 'node:assert/strict';
import { sealFailuresIn } from '../../../application/audit/seals/seal-failures.js';
import { firstLink } from '../../../domain/aggregates/audit.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { serviceKey } from '../../../infrastructure/keys/vault.js';
import { historyOf, manualSystem, sealOld } from '../../support/audit/sealed-history.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';
import { silent } from '../../support/silent.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const owners = [organizationId, other, 'system'];
const operator = { actor: { kind: 'operator', id: 'mara' }, requestId: 'request' } as const;
const ring = givenKeyRing(new Uint8Array(32).fill(5), undefined);
const gone = 'not the one that was written: the log and its checkpoint are missing, although the log was begun';

describe('a store from which every seal, the seal log and all progress were removed', () => {
  let [files, untouched, keyBefore]: [Files, string, string] = [] as never;
  before(async () => {
    const made = await openFiles(undefined, ring);
    for (const round of [0, 1])
      for (const owner of [organizationId, other]) {
        await made.append(owner, 11, 11 * round);
        await made.seal();
      }
    for (const owner of owners) assert.equal((await made.audit().verify(owner)).flaw, null);
    keyBefore = made.stores().notary.publicKey;
    untouched = made.directory;
    await made.close();
  });
  beforeEach(async () => {
    files = await openFiles(untouched, ring);
    const { state } = files.stores();
    for (const id of await state.ids('processes', '')) await state.destroy('processes', id);
    await files.tamper(
      "DELETE FROM events WHERE type IN ('AuditSealed', 'SealLogged')",
      `DELETE FROM events WHERE stream LIKE '${other}.%'`,
      `UPDATE events SET data = replace(data, 'client', 'admin')`,
    );
  });
  afterEach(() => files.close());

  const sealCount = async () => {
    let found = 0;
    for (const owner of owners)
      found += (await historyOf(files.stores().events, owner)).filter(({ type }) => type === 'AuditSealed').length;
    return found;
  };
  const flaws = async () => Promise.all(owners.map(async (owner) => (await files.flawOf(owner))?.reason));
  /** Runs the service and returns the errors that it logged. */
  const runService = async (from = 100) => {
    const errors: { about?: string; message: string }[] = [];
    const log = { ...silent, error: (facts: object, message: string) => void errors.push({ ...facts, message }) };
    const system = { ...manualSystem(() => 7_200_000), log };
    await files.append(organizationId, 30, from);
    await files.seal(system);
    await sealOld(files.stores(), system);
    return errors;
  };
  const destroyKeys = async (isWanted: (id: string) => boolean) => {
    const { state } = files.stores();
    for (const id of await state.ids('vault', '')) if (isWanted(id)) await state.destroy('vault', id);
    await files.tamper();
  };

  it('is not valid, and the service seals nothing and names the command to continue', async () => {
    assert.deepEqual(await flaws(), [gone, gone, gone]);
    assert.deepEqual(await files.audit().sealedOrganizations(), ['system']);
    const errors = await runService();
    assert.equal(await sealCount(), 0);
    assert.deepEqual(await flaws(), [gone, gone, gone]);
    assert.ok(errors.some(({ about, message }) => about === 'log' && message.includes('audit accept-loss --log')));
    assert.deepEqual(
      (await sealFailuresIn(files.stores().state)).map(({ about }) => about),
      ['log'],
    );
  });

  it('is not valid either after unsigned progress, as of an earlier version, was put in place', async () => {
    const unsigned = { ...firstLink(organizationId, manualSystem().sha256), missed: null };
    await files.remember(organizationId, JSON.stringify(unsigned));
    await runService();
    assert.equal(await sealCount(), 0);
    assert.deepEqual(await flaws(), [gone, gone, gone]);
  });

  for (const [title, isRemoved] of [
    ['the audit key', (id: string) => id.startsWith('audit-signing')],
    ['the whole vault', () => true],
  ] as const)
    it(`is not taken for a new store after ${title} was removed too`, async () => {
      await serviceKey(files.stores().state, ring);
      await destroyKeys(isRemoved);
      assert.notEqual(files.stores().notary.publicKey, keyBefore);
      await runService();
      assert.equal(await sealCount(), 0);
      assert.deepEqual(await flaws(), [gone, gone, gone]);
    });

  it('is sealed again after the operator accepted the loss of the log', async () => {
    await runService();
    assert.equal(await files.audit().acceptLoss.ofLog(operator, 'state lost'), 1);
    await runService(200);
    assert.ok((await sealCount()) > 0);
    assert.deepEqual(await flaws(), [undefined, undefined, undefined]);
    assert.deepEqual(await sealFailuresIn(files.stores().state), []);
  });
});
