import { fail } from '../../domain/failure.js';
import type { Admission, Limiter, Visit } from '../ports/limiter.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

export const nonceWindowMs = 300_000;
/** Time that is reserved ahead of the nonces in use, so that requests do not wait for the process state. */
export const aheadMs = 20_000;
/** Distance up to which a span is lengthened to reach a nonce; beyond it, the clock may have jumped. */
const gapMs = 60_000;
/**
 * Age, against the end of its span, from which a nonce may have been forgotten. Nonces of honest clients are younger:
 * they are at most two windows apart, and a span ends a step and a small jump of the clock after them.
 */
export const rememberedMs = 700_000;
/** Spans far from the present that are kept apart. */
const maxFar = 8;

/**
 * Times of nonces that may have been used. Of open spans the limiter remembers the nonces of the last `rememberedMs`;
 * those of a closed one it may have forgotten, so that none is accepted again.
 */
type Span = { readonly id: string; readonly from: number; readonly to: number; readonly isOpen: boolean };

const entry = ['processes', 'nonces:spans'] as const;

const holds = ({ from, to }: Span, time: number) => from <= time && time <= to;
const isFar = ({ from, to }: Span, time: number) => to < time - rememberedMs || from > time + rememberedMs;
const closed = (span: Span): Span => ({ ...span, isOpen: false });

/** Joins the two neighbours that are nearest to each other, with the times between them. */
const joinNearest = (spans: readonly Span[]): Span[] => {
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  const gaps = sorted.slice(1).map(({ from }, i) => from - (sorted[i] as Span).to);
  const at = gaps.indexOf(Math.min(...gaps));
  const [first, second] = [sorted[at] as Span, sorted[at + 1] as Span];
  const joined = { ...closed(first), to: Math.max(first.to, second.to) };
  return sorted.toSpliced(at, 2, joined);
};

/** Adds a span around a time. Spans that are far from it are closed: their nonces need not be remembered any more. */
const withNew = (spans: readonly Span[], id: string, time: number): readonly Span[] => {
  const near = spans.filter((span) => !isFar(span, time));
  let far = spans.filter((span) => isFar(span, time)).map(closed);
  while (far.length > maxFar) far = joinNearest(far);
  return [...far, ...near, { id, from: time - 2 * nonceWindowMs, to: time + aheadMs, isOpen: true }];
};

/** Finds the span of a nonce; null where none was used yet. */
const placeOf = (spans: readonly Span[], time: number): Span | null => {
  const all = spans.filter((span) => holds(span, time));
  return all.find(({ isOpen }) => !isOpen) ?? all[0] ?? null;
};
/** Returns the time up to which nonces of a span may have been forgotten: the limiter goes by its latest nonce. */
const forgottenUpTo = (spans: readonly Span[], span: Span) =>
  span.isOpen ? Math.max(...spans.filter(({ isOpen }) => isOpen).map(({ to }) => to)) - rememberedMs : span.to;

const parse = (value: string | undefined) => (value === undefined ? [] : (JSON.parse(value) as readonly Span[]));

export type Nonces = {
  /** Spends the nonce of a request and charges its limits; refuses one that was used, or may have been. */
  spend(visit: Omit<Visit, 'span'>): Promise<Pick<Admission, 'quota'>>;
};

/**
 * Keeps durably, apart from the limiter, which nonces may have been used, so that none is accepted twice when the
 * limiter lost its memory or the clock went forth and back.
 */
export const createNonces = (ports: { limiter: Limiter; state: StateStore; system: System }): Nonces => {
  const { limiter, state, system } = ports;
  let spans: readonly Span[] = [];
  let extending = false;

  /** Applies a change to the stored spans; the change returns null when nothing is to be written. */
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
      if (placeOf(stored, time)) return null;
      const near = stored.find(({ isOpen, to }) => isOpen && to < time && time <= to + gapMs);
      if (near) return stored.map((span) => (span === near ? { ...span, to: time + aheadMs } : span));
      const id = system.uuid();
      // A span that only the limiter knows does no harm; one that it does not know would be closed at once.
      await limiter.openSpan(id);
      return withNew(stored, id, time);
    });
  const close = (id: string) => update(async (stored) => stored.map((span) => (span.id === id ? closed(span) : span)));

  const reserveAhead = (time: number) => {
    if (extending) return;
    extending = true;
    // A request for which nothing could be reserved waits for its own try.
    void reserve(time)
      .catch(() => undefined)
      .finally(() => {
        extending = false;
      });
  };
  const spanOf = async (time: number): Promise<Span> => {
    if (!placeOf(spans, time)) await reserve(time);
    const span = placeOf(spans, time) as Span;
    const forgotten = forgottenUpTo(spans, span);
    if (time > forgotten) return span;
    const until = new Date(forgotten).toISOString();
    return fail('UNAUTHENTICATED', `x-api-nonce is not after ${until}, up to which used nonces were forgotten`);
  };

  return {
    spend: async (visit) => {
      const time = Number(visit.nonce.slice(0, 13));
      for (;;) {
        const { id, to } = await spanOf(time);
        const { replayed, forgotten, quota } = await limiter.admit({ ...visit, span: id });
        if (forgotten) {
          await close(id);
          continue;
        }
        if (replayed) return fail('UNAUTHENTICATED', 'x-api-nonce was used before');
        if (to - time < aheadMs / 2) reserveAhead(time + aheadMs / 2);
        return { quota };
      }
    },
  };
};
