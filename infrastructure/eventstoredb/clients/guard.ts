const clientModules = /[\\/]node_modules[\\/](@eventstore|@kurrent|@grpc)[\\/]/;

/** Returns the first frame of the stack that is not Node's own. */
const thrownAt = ({ stack = '' }: Error) =>
  stack.split('\n').find((line) => /^\s+at .*[\\/]/.test(line) && !/\bnode:/.test(line)) ?? '';

/** Recognizes the errors of a server by their gRPC code, and the errors of the client's own code by the stack. */
const isClientError = (reason: unknown) => {
  const { code, details } = (reason ?? {}) as { code?: unknown; details?: unknown };
  const isAnswer = typeof code === 'number' && typeof details === 'string';
  return isAnswer || (reason instanceof Error && clientModules.test(thrownAt(reason)));
};

const onRejection = (reason: unknown) => {
  if (!isClientError(reason)) throw reason;
};
const onException = (error: unknown) => {
  if (isClientError(error)) process.emitWarning(`Event store client threw outside of a call: ${error}`);
  // Other errors end the process, unless a further listener, for example of a test runner, handles them.
  else if (process.listenerCount('uncaughtException') === 1) throw error;
};

let guards = 0;

/**
 * Keeps the process alive when the client throws or rejects outside of a call, as it does when connections break. The
 * calls themselves have timeouts and are retried. All other errors still end the process. Returns a function that
 * removes the guard.
 */
export const guardProcess = () => {
  if (guards++ === 0) process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--guards === 0) process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
  };
};
