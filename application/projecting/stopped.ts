import type { Position } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';

type Stop = { readonly position: Position; readonly reason: string };
/** Stopped projections and parts of projections, by their names in the checkpoint. */
export type Stops = Readonly<Record<string, Stop>>;
export type StoppedProjections = {
  /** Returns the recorded stops. A projection that has passed the position of its stop is running again. */
  read(): Promise<Stops>;
  note(name: string, stop: Stop): Promise<void>;
};

const id = 'projector';

/**
 * Creates the record of stopped projections and their reasons in the state store, where other processes read the
 * record.
 */
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
