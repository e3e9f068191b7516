/** What a look at one thing found, and what to do about it where it is not as it should be. */
export type Finding = { readonly level: 'ok' | 'warn' | 'fail'; readonly found: string; readonly advice?: string };

/** One thing that is looked at. It changes nothing. */
export type Check = {
  readonly name: string;
  readonly run: () => Promise<readonly Finding[]>;
  /** What to do when not even that can be found out. */
  readonly advice: string;
};

export type Examined = Finding & { readonly check: string };

export const ok = (found: string): Finding => ({ level: 'ok', found });
export const warn = (found: string, advice: string): Finding => ({ level: 'warn', found, advice });
export const fail = (found: string, advice: string): Finding => ({ level: 'fail', found, advice });

const tolerable = { warnMs: 2000, failMs: 60_000 };

/** What the clock of this machine is beside another's; `other` in Unix ms. */
export const clockFinding = (whose: string, other: number, now: number): Finding => {
  const apartMs = Math.abs(now - other);
  const found = `${whose} and this machine are ${(apartMs / 1000).toFixed(1)} s apart`;
  const advice = 'let every machine keep its time by NTP: signed requests are refused when they seem five minutes old';
  if (apartMs > tolerable.failMs) return fail(found, advice);
  return apartMs > tolerable.warnMs ? warn(found, advice) : ok(found);
};

/** The same where the other one only tells when something happened: it must not be in the future. */
export const futureFinding = (what: string, time: number, now: number): Finding =>
  time > now + tolerable.warnMs ? clockFinding(what, time, now) : ok(`${what} is not ahead of this machine`);
