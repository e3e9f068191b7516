/** Result of a check, with advice where something is wrong. */
export type Finding = { readonly level: 'ok' | 'warn' | 'fail'; readonly found: string; readonly advice?: string };

/** Health check. Running a check changes nothing. */
export type Check = {
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
  /** Advice shown when `run` rejects or exceeds its timeout. */
  readonly advice: string;
  /** Timeout of the check in milliseconds; present where the default is too short. */
  readonly ms?: number;
};

export type Examined = Finding & { readonly check: string };

export const ok = (found: string): Finding => ({ level: 'ok', found });
export const warn = (found: string, advice: string): Finding => ({ level: 'warn', found, advice });
export const fail = (found: string, advice: string): Finding => ({ level: 'fail', found, advice });

const tolerable = { warnMs: 2000, failMs: 60_000 };

/** Compares the clock of this machine with another clock; `other` and `now` are Unix ms. */
export const clockFinding = (whose: string, other: number, now: number): Finding => {
  const apartMs = Math.abs(now - other);
  const found = `${whose} and this machine are ${(apartMs / 1000).toFixed(1)} s apart`;
  const advice = 'synchronize all machines by NTP: signed requests more than five minutes off are rejected';
  if (apartMs > tolerable.failMs) return fail(found, advice);
  return apartMs > tolerable.warnMs ? warn(found, advice) : ok(found);
};

/** Checks that a time set by another machine (Unix ms) is not in the future. */
export const futureFinding = (what: string, time: number, now: number): Finding =>
  time > now + tolerable.warnMs ? clockFinding(what, time, now) : ok(`${what} is not ahead of this machine`);
