import { writeFileSync } from 'node:fs';
import { eventsPage, eventsPath } from './events-page.js';

writeFileSync(eventsPath, eventsPage());
