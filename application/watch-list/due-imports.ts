import { type Holder, holderKey } from './activities.js';

export type DueImport = Holder & { readonly address: string };

/** Index of addresses registered with a balance import that has not happened yet. */
export const createDueImports = () => {
  const due = new Map<string, DueImport>();
  const keyOf = (holder: Holder, address: string) => `${holderKey(holder)} ${address}`;
  return {
    add: (holder: Holder, address: string) => {
      due.set(keyOf(holder, address), { ...holder, address });
    },
    remove: (holder: Holder, address: string) => {
      due.delete(keyOf(holder, address));
    },
    all: (): readonly DueImport[] => [...due.values()],
  };
};
