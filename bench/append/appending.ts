import { join } from 'node:path';
import { sqliteEventStore } from '../../infrastructure/sqlite/events/event-store.js';
import { serveSides } from '../measure/compiled.js';
import { perSecond } from '../measure/rounds.js';
import { bareDatabase, write } from './rows.js';

const callers = 64;
const appends = 6400;

const [, , directory = ''] = process.argv;
const store = await sqliteEventStore(join(directory, 'events.db'));
const bare = bareDatabase(join(directory, 'bare.db'));

serveSides({
  ours: () =>
    perSecond(appends, () =>
      Promise.all(
        Array.from({ length: callers }, async () => {
          for (let n = 0; n < appends / callers; n++) await store.append([write()]);
        }),
      ),
    ),
  sqlite: () =>
    perSecond(appends, async () => {
      for (let n = 0; n < appends / callers; n++) bare.commit(Array.from({ length: callers }, write));
    }),
});
