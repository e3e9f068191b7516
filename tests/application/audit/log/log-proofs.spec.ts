import assert from 'node:assert/strict';
import { createLogProofs, type InclusionProof } from '../../../../application/audit/log/log-proofs.js';
import { headStatement, type LogHead } from '../../../../domain/aggregates/audit/seal-log.js';
import { sealStatement } from '../../../../domain/aggregates/audit.js';
import { leafHash, nodeHash } from '../../../../domain/merkle.js';
import { isConsistent, isIncluded } from '../../../../domain/merkle-proof.js';
import { sha256 } from '../../../../infrastructure/system.js';
import { appendEvents, historyOf, notary } from '../../../support/audit/sealed-history.js';
import { useSealedStores } from '../../../support/audit/sealed-stores.js';

const organizationId = `org_${'a'.repeat(32)}`;
const other = `org_${'b'.repeat(32)}`;
const node = (left: string, right: string) => nodeHash(left, right, sha256);
const isSigned = (text: string, signature: string) => notary.isSigned(notary.publicKey, text, signature);
const isHeadSigned = (head: LogHead) => isSigned(headStatement(head), head.signature);

describe('the proofs of the seal log', () => {
  const { stores, sealLog, system, sealRounds } = useSealedStores();
  const both = [organizationId, other];
  const proofs = () => createLogProofs({ events: stores().events, sealLog: sealLog(), system });

  /** Checks a proof like an outsider who trusts only the public key. */
  const assertProven = ({ event, seal, leaf, index, path, head }: InclusionProof) => {
    assert.ok(isSigned(sealStatement(seal), seal.signature));
    assert.deepEqual(JSON.parse(leaf), {
      organizationId: seal.organizationId,
      count: seal.count,
      hash: seal.hash,
      places: seal.places,
      position: seal.position,
    });
    assert.ok(event.count <= seal.count);
    assert.ok(isHeadSigned(head));
    assert.ok(isIncluded({ index, size: head.size, leaf: leafHash(leaf, sha256), path, root: head.root }, node));
  };

  it('prove that each sealed event is under the signed head, with its number and its hash in an export', async () => {
    await sealRounds(both, 2);
    const history = await historyOf(stores().events, organizationId);
    const sealed = history.findLast(({ type }) => type === 'AuditSealed')?.data as { count: number };
    const asked = proofs();
    for (const [i, { id, position }] of history.slice(0, sealed.count).entries()) {
      const proof = await asked.inclusion(organizationId, { eventId: id, position: i % 2 ? position : undefined });
      assert.equal(proof.event.count, i + 1);
      assertProven(proof);
    }
  });

  it('are rejected for events that are not sealed yet, and do not reveal events of another organization', async () => {
    await sealRounds(both, 1);
    await appendEvents(stores().events, organizationId, 1, 100);
    const [last, foreign] = [
      (await historyOf(stores().events, organizationId)).at(-1),
      (await historyOf(stores().events, other))[0],
    ];
    const ask = (eventId = '') => proofs().inclusion(organizationId, { eventId, position: undefined });
    await assert.rejects(ask(last?.id), { code: 'FAILED_PRECONDITION' });
    await assert.rejects(ask(foreign?.id), { code: 'NOT_FOUND' });
    await assert.rejects(
      proofs().inclusion(organizationId, { eventId: String(foreign?.id), position: foreign?.position }),
      {
        code: 'NOT_FOUND',
      },
    );
  });

  it('prove that the log at each size extends every smaller one', async () => {
    await sealRounds(both, 3);
    const asked = proofs();
    const { size } = await asked.head();
    assert.ok(size >= 6);
    for (let to = 1; to <= size; to++)
      for (let from = 1; from <= to; from++) {
        const proof = await asked.consistency(from, to);
        assert.deepEqual([proof.from.size, proof.to.size], [from, to]);
        assert.ok(isHeadSigned(proof.from) && isHeadSigned(proof.to));
        assert.ok(isConsistent(proof.from, proof.to, proof.path, node));
      }
    assert.equal((await asked.consistency(1, undefined)).to.size, size);
    await assert.rejects(asked.consistency(1, size + 1), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(asked.consistency(3, 2), { code: 'INVALID_ARGUMENT' });
  });

  it('are rejected while nothing is sealed', async () => {
    await assert.rejects(proofs().head(), { code: 'NOT_FOUND' });
  });
});
