/** Result of a check, with advice where something is wrong. */
export type Finding = { readonly level: 'ok' | 'warn' | 'fail'; readonly found: string; readonly advice?: string };

/** Check that changes nothing. */
export type Check = {
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
  /** Advice for when the check itself fails. */
  readonly advice: string;
  /** Time that it may take, where that is more than what an answer usually takes. */
  readonly ms?: number;
};

export type Examined = Finding & { readonly check: string };

export const ok = (found: string): Finding => ({ level: 'ok', found });
export const warn = (found: string, advice: string): Finding => ({ level: 'warn', found, advice });
export const fail = (found: string, advice: string): Finding => ({ level: 'fail', found, advice });

const tolerable = { warnMs: 2000, failMs: 60_000 };

/** Compares the clock of this machine with another one's; `other` in Unix ms. */
export const clockFinding = (whose: string, other: number, now: number): Finding => {
  const apartMs = Math.abs(now - other);
  const found = `${whose} and this machine are ${(apartMs / 1000).toFixed(1)} s apart`;
  const advice = 'let every machine keep its time by NTP: signed requests are refused when they seem five minutes old';
  if (apartMs > tolerable.failMs) return fail(found, advice);
  return apartMs > tolerable.warnMs ? warn(found, advice) : ok(found);
};

/** Checks that an event which another machine dated does not lie in the future. */
export const futureFinding = (what: string, time: number, now: number): Finding =>
  time > now + tolerable.warnMs ? clockFinding(what, time, now) : ok(`${what} is not ahead of this machine`);
