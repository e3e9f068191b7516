/** Resolves or rejects like `work`, or rejects after `ms`; `release` then frees resources that the work still holds. */
export const withDeadline = async <T>(
  work: Promise<T>,
  ms: number,
  release: () => void = () => undefined,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      release();
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  // Abandoned work may still reject later, when nobody awaits it any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
