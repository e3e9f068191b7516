/** Delay of a timer from which on the process counts as having stood still. */
const standstillMs = 100;
const maxStandstills = 3;
/** Time to read the answers that came while the process stood still. */
const graceMs = 1000;

/** Resolves or rejects like `work`, or rejects after `ms`; `release` then frees resources that the work still holds. */
export const withDeadline = async <T>(
  work: Promise<T>,
  ms: number,
  release: () => void = () => undefined,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  let standstills = 0;
  const late = new Promise<never>((_, reject) => {
    const lookAfter = (waitMs: number) => {
      const due = performance.now() + waitMs;
      timer = setTimeout(() => look(due), waitMs);
    };
    const look = (due: number) => {
      const stoodStill = performance.now() - due > standstillMs;
      if (stoodStill && standstills++ < maxStandstills) return lookAfter(graceMs);
      release();
      reject(new Error(`no answer within ${ms} ms`));
    };
    lookAfter(ms);
  });
  // Abandoned work may still reject later, when nobody awaits it any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
