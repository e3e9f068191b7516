/** Counts actions and faults by name. */
export const createTally = () => {
  const counts = new Map<string, number>();
  return {
    add: (name: string, times = 1) => void counts.set(name, (counts.get(name) ?? 0) + times),
    of: (name: string) => counts.get(name) ?? 0,
    all: () => [...counts].toSorted(([one], [other]) => one.localeCompare(other)),
  };
};
