type Answered = { readonly headers: Headers };

/**
 * Creates an object that remembers the position of the client's last write until the read models include the write.
 * Queries send this position as `x-min-position`, so that a client sees its own writes, whichever process responds.
 */
export const createPendingPosition = () => {
  let pending = 0;
  return {
    headers: (): Record<string, string> => (pending > 0 ? { 'x-min-position': String(pending) } : {}),
    update: ({ headers }: Answered): void => {
      const position = Number(headers.get('x-position') ?? 0);
      if (headers.get('x-consistency') === 'pending') pending = Math.max(pending, position);
      else if (position >= pending) pending = 0;
    },
  };
};
