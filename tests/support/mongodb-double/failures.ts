/** Error that a test injects. */
export type Failure = {
  readonly code: number;
  /** Label of the error; if undefined, the error has the labels that a real server would give it. */
  readonly label?: string | undefined;
  readonly when: 'before' | 'after';
};

export const createFailures = () => {
  const planned = new Map<string, { readonly failure: Failure; left: number }[]>();
  return {
    plan: (name: string, failure: Failure, times: number) =>
      planned.set(name, [...(planned.get(name) ?? []), { failure, left: times }]),
    /** Returns the failure that is planned for a command, and counts it as used; undefined if none is. */
    take: (name: string): Failure | undefined => {
      const due = planned.get(name)?.find(({ left }) => left > 0);
      if (due) due.left -= 1;
      return due?.failure;
    },
  };
};
