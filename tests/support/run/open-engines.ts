type Closable = { close(): Promise<void> };

const open: Closable[] = [];

/** Closes the engines when the tests of a file have ended. */
export const closeAtEnd = (...engines: readonly Closable[]) => {
  open.push(...engines);
};

export const closeEngines = async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
};
