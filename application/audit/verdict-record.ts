import type { Verdict } from './export-file.js';
import type { AcceptedLoss } from './proof.js';

/** Verdict, with the trusted key and the place that was verified. */
export type Proof = Verdict & {
  /** Trusted key; null if only the key in the file itself is known, which proves nothing. */
  readonly key: string | null;
  readonly store: string;
  readonly where: 'file' | 'store';
  /** File with the flaw; absent unless an evidence folder was verified. */
  readonly file?: string;
};

/** Verdict as VerifyHistory and `audit verify --json` show it. */
export type VerdictRecord = {
  /**
   * True if the history is proven; false if it has a flaw; null if it has no flaw but is not proven, for example
   * because no trusted key was given.
   */
  valid: boolean | null;
  organization_id: string;
  events: number;
  seals: number;
  hash: string;
  key: string;
  store: string;
  /** Number of newest events that neither a seal nor signed progress covers; absent when there are none. */
  unproven_events?: number;
  accepted_losses?: LossRecord[];
  /** First flaw; absent when there is none. */
  first?: { where: string; event: number; last: number; event_id?: string; about?: string; reason: string };
};
type LossRecord = {
  event: number;
  known_events: number | null;
  found_events: number;
  accepted_by: string;
  accept_time: string;
  reason: string;
};

const lossRecord = ({ event, known, found, by, reason, time }: AcceptedLoss): LossRecord => ({
  event,
  known_events: known?.count ?? null,
  found_events: found.count,
  accepted_by: by,
  accept_time: time,
  reason,
});

/** Returns whether a history without a flaw is also proven: signed by a trusted key, and covered at least in part. */
export const isProven = ({ key, events, unproven }: Proof): boolean =>
  key !== null && (unproven === undefined || unproven < events);

export const toVerdictRecord = (proof: Proof): VerdictRecord => {
  const { key, store, where, flaw, organizationId, events, seals, hash, unproven, losses = [] } = proof;
  const { id, about, event = 0, last = 0, reason = '' } = flaw ?? {};
  const named = { ...(id !== undefined && { event_id: id }), ...(about !== undefined && { about }) };
  return {
    valid: flaw ? false : isProven(proof) || null,
    organization_id: organizationId,
    events,
    seals,
    hash,
    key: key ?? "the file's own",
    store,
    ...(unproven !== undefined && { unproven_events: unproven }),
    ...(losses.length > 0 && { accepted_losses: losses.map(lossRecord) }),
    ...(flaw && { first: { where, event, last, ...named, reason } }),
  };
};

/** Builds the proof of a history in the store from the verdict about the history. */
export const storeProof = (verdict: Verdict, key: string | null): Proof => ({
  ...verdict,
  key,
  store: verdict.flaw ? 'differs' : 'the store agrees with its seals',
  where: 'store',
});
