/** An error that a test asked for. */
export type Failure = {
  readonly code: number;
  /** Without one the error is labelled as the server would. */
  readonly label?: string | undefined;
  readonly when: 'before' | 'after';
};

export const createFailures = () => {
  const planned = new Map<string, { readonly failure: Failure; left: number }[]>();
  return {
    plan: (name: string, failure: Failure, times: number) =>
      planned.set(name, [...(planned.get(name) ?? []), { failure, left: times }]),
    /** The failure that is due for this command, counted off. */
    take: (name: string): Failure | undefined => {
      const due = planned.get(name)?.find(({ left }) => left > 0);
      if (due) due.left -= 1;
      return due?.failure;
    },
  };
};
