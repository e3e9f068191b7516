import { fail } from '../../domain/failure.js';
import type { Admission, AdmissionRequest, Limiter } from '../ports/limiter.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

export const nonceWindowMs = 300_000;
/**
 * Time in ms by which a span (a stored range of nonce times) extends beyond the latest nonce, so that requests rarely
 * wait for a write to the state store.
 */
export const reservedAheadMs = 20_000;
/**
 * Largest gap in ms between the end of a span (a stored range of nonce times) and a later nonce for which the span is
 * extended to include the nonce. A nonce further ahead starts a new span.
 */
const maxGapMs = 60_000;
/**
 * Age in ms, relative to the end of the latest open span, from which the limiter may have discarded a nonce. Nonces of
 * honest clients are younger: accepted nonces are at most two nonce windows apart, and a span ends at most 30 s after
 * its latest nonce.
 */
export const retentionMs = 700_000;
/**
 * Maximum number of distant spans: closed spans that are more than `retentionMs` from the current nonce. Above the
 * maximum, the two neighbouring spans with the smallest gap are merged.
 */
const maxDistantSpans = 8;

/**
 * Time range (Unix ms, inclusive) from which nonces may have been used. The limiter knows every used nonce of the last
 * `retentionMs` in open spans. The limiter may have lost nonces of closed spans, so every nonce in a closed span is
 * rejected.
 */
type Span = { readonly id: string; readonly from: number; readonly to: number; readonly isOpen: boolean };

const entry = ['processes', 'nonces:spans'] as const;

const includes = ({ from, to }: Span, time: number) => from <= time && time <= to;
const isDistant = ({ from, to }: Span, time: number) => to < time - retentionMs || from > time + retentionMs;
const closed = (span: Span): Span => ({ ...span, isOpen: false });

/**
 * Merges the two neighbouring spans with the smallest gap between them into one closed span, which includes the gap.
 */
const joinNearest = (spans: readonly Span[]): Span[] => {
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  const gaps = sorted.slice(1).map(({ from }, i) => from - (sorted[i] as Span).to);
  const at = gaps.indexOf(Math.min(...gaps));
  const [first, second] = [sorted[at] as Span, sorted[at + 1] as Span];
  const joined = { ...closed(first), to: Math.max(first.to, second.to) };
  return sorted.toSpliced(at, 2, joined);
};

/** Adds a span around a time and closes distant spans, whose nonces the limiter need not keep any longer. */
const addSpan = (spans: readonly Span[], id: string, time: number): readonly Span[] => {
  const near = spans.filter((span) => !isDistant(span, time));
  let distant = spans.filter((span) => isDistant(span, time)).map(closed);
  while (distant.length > maxDistantSpans) distant = joinNearest(distant);
  return [...distant, ...near, { id, from: time - 2 * nonceWindowMs, to: time + reservedAheadMs, isOpen: true }];
};

/**
 * Returns a span that includes a time, preferably a closed span; null when no span includes the time, which means that
 * no nonce of that time was used.
 */
const spanAt = (spans: readonly Span[], time: number): Span | null => {
  const all = spans.filter((span) => includes(span, time));
  return all.find(({ isOpen }) => !isOpen) ?? all[0] ?? null;
};
/**
 * Returns the time up to which the limiter may have discarded nonces. The limiter discards nonces by their age relative
 * to its latest nonce.
 */
const forgottenUpTo = (spans: readonly Span[], span: Span) =>
  span.isOpen ? Math.max(...spans.filter(({ isOpen }) => isOpen).map(({ to }) => to)) - retentionMs : span.to;

const parse = (value: string | undefined) => (value === undefined ? [] : (JSON.parse(value) as readonly Span[]));

export type Nonces = {
  /**
   * Consumes the nonce of a request and charges the request to the rate limits. Rejects a nonce that was used or may
   * have been used.
   */
  spend(visit: Omit<AdmissionRequest, 'span'>): Promise<Pick<Admission, 'quota'>>;
};

/**
 * Creates a check of nonces that prevents replays even after the limiter lost its data or the clock jumped: time ranges
 * in which nonces may have been used are stored durably in the state store, apart from the limiter.
 */
export const createNonces = (ports: { limiter: Limiter; state: StateStore; system: System }): Nonces => {
  const { limiter, state, system } = ports;
  let spans: readonly Span[] = [];
  let isReserving = false;

  /**
   * Applies a change to the stored spans, and retries when another process wrote first. `change` returns null to leave
   * the spans unchanged.
   */
  const update = async (change: (stored: readonly Span[]) => Promise<readonly Span[] | null>): Promise<void> => {
    for (;;) {
      const stored = await state.get(...entry);
      const before = parse(stored?.value);
      const after = await change(before);
      const isWritten =
        after === null || (await state.put(...entry, JSON.stringify(after), stored?.revision ?? noEntry));
      if (!isWritten) continue;
      spans = after ?? before;
      return;
    }
  };
  const reserve = (time: number) =>
    update(async (stored) => {
      if (spanAt(stored, time)) return null;
      const near = stored.find(({ isOpen, to }) => isOpen && to < time && time <= to + maxGapMs);
      if (near) return stored.map((span) => (span === near ? { ...span, to: time + reservedAheadMs } : span));
      const id = system.uuid();
      // Registers the span with the limiter before the span is stored, because a stored span that the limiter does not
      // know is closed immediately.
      await limiter.openSpan(id);
      return addSpan(stored, id, time);
    });
  const close = (id: string) => update(async (stored) => stored.map((span) => (span.id === id ? closed(span) : span)));

  const reserveAhead = (time: number) => {
    if (isReserving) return;
    isReserving = true;
    // Errors are ignored: the next request with a nonce outside all spans reserves a span itself.
    void reserve(time)
      .catch(() => undefined)
      .finally(() => {
        isReserving = false;
      });
  };
  const spanOf = async (time: number): Promise<Span> => {
    if (!spanAt(spans, time)) await reserve(time);
    const span = spanAt(spans, time) as Span;
    const forgotten = forgottenUpTo(spans, span);
    if (time > forgotten) return span;
    const until = new Date(forgotten).toISOString();
    return fail(
      'UNAUTHENTICATED',
      `x-api-nonce must be later than ${until}. Earlier nonces cannot be checked for reuse.`,
    );
  };

  return {
    spend: async (visit) => {
      const time = Number(visit.nonce.slice(0, 13));
      for (;;) {
        const { id, to } = await spanOf(time);
        const { replayed, isSpanUnknown, quota } = await limiter.admit({ ...visit, span: id });
        if (isSpanUnknown) {
          await close(id);
          continue;
        }
        if (replayed)
          return fail('UNAUTHENTICATED', 'x-api-nonce was already used. Sign the request again with a new nonce.');
        if (to - time < reservedAheadMs / 2) reserveAhead(time + reservedAheadMs / 2);
        return { quota };
      }
    },
  };
};
