import type { Position } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';

type Stop = { readonly position: Position; readonly reason: string };
export type StoppedProjections = {
  /** Returns the stops by projection; one that has since passed the position of its stop is running again. */
  read(): Promise<Readonly<Record<string, Stop>>>;
  note(name: string, stop: Stop): Promise<void>;
};

const id = 'projector';

/** Shares stopped projections and the reasons with processes other than the one that ran them. */
export const createStoppedProjections = (state: StateStore): StoppedProjections => {
  const read = async () => {
    const entry = await state.get('processes', id);
    const stops: Record<string, Stop> = entry ? JSON.parse(entry.value) : {};
    return { stops, revision: entry?.revision ?? noEntry };
  };
  return {
    read: async () => (await read()).stops,
    note: async (name, stop) => {
      for (;;) {
        const { stops, revision } = await read();
        if (await state.put('processes', id, JSON.stringify({ ...stops, [name]: stop }), revision)) return;
      }
    },
  };
};
