import type { Position } from '../ports/event-store.js';
import { type Holder, holderKey } from './activities.js';

/**
 * Registered address whose balance is still to be read, as its registration requested (`import_asset`). `before` is a
 * position before the event that registered the address.
 */
export type DueImport = Holder & { readonly address: string; readonly before: Position };

/** Index of the registered addresses whose balance is still to be read, as their registration requested. */
export const createDueImports = () => {
  const due = new Map<string, DueImport>();
  const keyOf = (holder: Holder, address: string) => `${holderKey(holder)} ${address}`;
  return {
    add: (holder: Holder, address: string, before: Position) => {
      const key = keyOf(holder, address);
      if (!due.has(key)) due.set(key, { ...holder, address, before });
    },
    remove: (holder: Holder, address: string) => {
      due.delete(keyOf(holder, address));
    },
    all: (): Iterable<DueImport> => due.values(),
    has: (one: DueImport) => due.get(keyOf(one, one.address)) === one,
    /**
     * Returns the position from which a restart must read events to miss no due import: `position` or an earlier
     * position.
     */
    resumePosition: (position: Position): Position => {
      const [oldest] = due.values();
      return Math.min(position, oldest?.before ?? position);
    },
  };
};
