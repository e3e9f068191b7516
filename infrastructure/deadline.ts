/** The work's outcome, or an error once it takes too long; `give` lets go of what it holds. */
export const withDeadline = async <T>(work: Promise<T>, ms: number, give: () => void = () => undefined): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      give();
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  // What is given up may still fail later, with nobody waiting for it.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
