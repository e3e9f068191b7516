import type { Period } from './period.js';
import type { Scope } from './scope.js';

/** Name, size in bytes and SHA-256 of a file in an evidence folder. */
export type FileDigest = { readonly name: string; readonly size: number; readonly sha256: string };

/** List of the files of an evidence folder, with facts about the folder. One signature covers the whole text. */
export type Manifest = {
  readonly chainfold_evidence: 1;
  readonly organization_id: string;
  readonly period: { readonly name: string; readonly start_time: string; readonly end_time: string };
  readonly evidence_time: string;
  readonly software: string;
  readonly key_id: string;
  readonly public_key: string;
  readonly counts: {
    readonly events: number;
    readonly first_event: number;
    readonly last_event: number;
    readonly events_of_period: number;
    readonly sealed_events: number;
    readonly types: Scope['types'];
  };
  readonly sample: { readonly seed: string; readonly size: number };
  readonly files: readonly (FileDigest & { readonly contents: string })[];
};

export const manifestName = 'manifest.json';
/** File with the signature of the manifest. */
export const signatureName = 'manifest.sig';
export const historyName = 'history.ndjson';

/** Facts of a manifest that are known before the files of the folder are written. */
export type ManifestFacts = Pick<
  Manifest,
  'organization_id' | 'evidence_time' | 'software' | 'key_id' | 'public_key'
> & {
  readonly period: Period;
  readonly scope: Scope;
  readonly sample: Manifest['sample'];
};

const timeText = (time: number) => new Date(time).toISOString();

export const writeManifest = ({ period, scope, sample, ...facts }: ManifestFacts, files: Manifest['files']): string => {
  const { events, first, last, sealed, types } = scope;
  const { organization_id, evidence_time, software, key_id, public_key } = facts;
  const manifest: Manifest = {
    chainfold_evidence: 1,
    organization_id,
    period: { name: period.name, start_time: timeText(period.start), end_time: timeText(period.end) },
    evidence_time,
    software,
    key_id,
    public_key,
    counts: {
      events,
      first_event: first,
      last_event: last,
      events_of_period: last - first + 1,
      sealed_events: sealed,
      types,
    },
    sample,
    files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};

const isFile = ({ name, size, sha256 }: FileDigest) =>
  /^\w[\w.-]*$/.test(name) && Number.isInteger(size) && /^[0-9a-f]{64}$/.test(sha256);

/** Parses a manifest; returns null for any other text, and if the name of a file could lead out of the folder. */
export const parseManifest = (text: string): Manifest | null => {
  try {
    const manifest = JSON.parse(text) as Manifest;
    return manifest.chainfold_evidence === 1 && manifest.files.every(isFile) ? manifest : null;
  } catch {
    return null;
  }
};
