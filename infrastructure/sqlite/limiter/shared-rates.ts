import type { Charge } from '../../../application/ports/limiter.js';
import { type Quota, quotaOf, windowAt, windows } from '../../../domain/rate-limit.js';
import type { Database } from '../database.js';

type Window = (typeof windows)[number];
type Row = { readonly window: Window; readonly start: number; readonly used: number };

/**
 * Creates a counter of charges in the file, for processes that serve one port together: the limits are exact across all
 * of them. A charge must run in a write transaction, which the nonce of the request needs anyway.
 */
export const createSharedRates = (db: Database, now: () => number) => {
  const find = db.prepare('SELECT window, start, used FROM rates WHERE id = ?');
  const add = db.prepare(
    `INSERT INTO rates VALUES ${windows.map(() => '(?, ?, ?, ?)').join()} ON CONFLICT (id, window) DO UPDATE SET
       used = CASE WHEN start = excluded.start THEN used + excluded.used ELSE excluded.used END, start = excluded.start
     WHERE excluded.start >= start`,
  );
  return {
    charge: ({ organizationId, chain, limits, cost, overdraws }: Charge): Quota => {
      const [at, id] = [now(), `${organizationId}/${chain}`];
      const rows = find.all(id) as Row[];
      const countOf = (window: Window) => {
        const { start, end } = windowAt(window, at);
        return { start, end, used: rows.find((row) => row.window === window && row.start === start)?.used ?? 0 };
      };
      const counts = Object.fromEntries(windows.map((window) => [window, countOf(window)])) as Record<
        Window,
        ReturnType<typeof countOf>
      >;
      const allowed = overdraws || windows.every((window) => counts[window].used + cost <= limits[window]);
      if (allowed) {
        add.run(...windows.flatMap((window) => [id, window, counts[window].start, cost]));
        for (const window of windows) counts[window].used += cost;
      }
      return quotaOf(limits, counts, { now: at, cost, allowed });
    },
    close: () => undefined,
  };
};
