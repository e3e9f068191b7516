const ofClient = /[\\/]node_modules[\\/](@eventstore|@kurrent|@grpc)[\\/]/;

/** Finds the code that threw: the first place of the stack that is not Node's own. */
const thrownAt = ({ stack = '' }: Error) =>
  stack.split('\n').find((line) => /^\s+at .*[\\/]/.test(line) && !/\bnode:/.test(line)) ?? '';

/** Tells errors of a server's answer by their codes, and those of the client's own code by the place of the throw. */
const isClients = (reason: unknown) => {
  const { code, details } = (reason ?? {}) as { code?: unknown; details?: unknown };
  const isAnswer = typeof code === 'number' && typeof details === 'string';
  return isAnswer || (reason instanceof Error && ofClient.test(thrownAt(reason)));
};

const onRejection = (reason: unknown) => {
  if (!isClients(reason)) throw reason;
};
const onException = (error: unknown) => {
  if (isClients(error)) process.emitWarning(`the client of the event store failed outside every call: ${error}`);
  // A second listener, as of a test runner, decides over errors that are not the client's.
  else if (process.listenerCount('uncaughtException') === 1) throw error;
};

let guarded = 0;

/**
 * Keeps the process alive when the client throws or rejects outside every call, as it does when connections break: the
 * calls themselves have deadlines and are tried again. Everything else ends the process as ever. Returns a function
 * that ends the guard.
 */
export const guardAgainstClient = () => {
  if (guarded++ === 0) process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--guarded === 0) process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
  };
};
