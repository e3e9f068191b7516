import { type Holder, holderKey } from './activities.js';

export type DueImport = Holder & { readonly address: string };

/** Keeps the addresses whose balance was asked for with their registration and is not read yet. */
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
