import { evidenceStatement } from '../../../domain/aggregates/audit.js';
import { fail } from '../../../domain/failure.js';
import { beginning, type EventStore, type Recorded } from '../../ports/event-store.js';
import type { Notary } from '../../ports/notary.js';
import type { System } from '../../ports/system.js';
import { type Manifest, type ManifestFacts, writeManifest } from './manifest.js';
import type { Period } from './period.js';
import { findScope, upToPosition } from './scope.js';

type Wanted = { readonly software: string; readonly size: number; readonly seed: string | undefined };

export type Evidence = {
  readonly facts: ManifestFacts;
  /** Full SHA-256 of the public key, in hex; the key id is the beginning of this hash. */
  readonly fingerprint: string;
  /** Yields the export of the events, in chunks of whole lines. */
  history(): AsyncIterable<string>;
  /** Returns the text of the manifest that lists these files, and its signature. */
  sign(files: Manifest['files']): { readonly manifest: string; readonly signature: string };
};

/** Prepares the evidence of a period. Rejects a period that has not begun. */
export type PrepareEvidence = (organizationId: string, period: Period, wanted: Wanted) => Promise<Evidence>;

const keyPrefix = 'audpk_';

export const createEvidence =
  (
    { stored, notary, system }: { stored: EventStore; notary: Notary; system: Pick<System, 'now' | 'sha256'> },
    write: (organizationId: string, history: AsyncIterable<readonly Recorded[]>) => AsyncIterable<string>,
  ): PrepareEvidence =>
  async (organizationId, period, { software, size, seed }) => {
    const now = system.now();
    if (period.start > now) return fail('INVALID_ARGUMENT', `--period ${period.name} has not begun yet`);
    const scope = await findScope(stored, organizationId, period);
    const facts: ManifestFacts = {
      organization_id: organizationId,
      evidence_time: new Date(now).toISOString(),
      software,
      key_id: notary.keyId,
      public_key: notary.publicKey,
      period,
      scope,
      sample: { seed: seed ?? scope.lastId, size },
    };
    return {
      facts,
      fingerprint: system.sha256(notary.publicKey.slice(keyPrefix.length)),
      history: () =>
        write(organizationId, upToPosition(stored.readOrganization(organizationId, beginning), scope.upTo)),
      sign: (files) => {
        const manifest = writeManifest(facts, files);
        return { manifest, signature: notary.sign(evidenceStatement(manifest)) };
      },
    };
  };
