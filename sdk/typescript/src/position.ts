type Answered = { readonly headers: Headers };

/**
 * Remembers the position of the client's last write if the read models did not include it yet. Queries send this
 * position as `x-min-position` until a response includes it, so that a client sees its own writes, whichever process
 * responds.
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
