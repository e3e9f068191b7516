import { serveSides } from '../measure/compiled.js';
import { compareMatching } from './matching.js';
import type { Population } from './stores.js';

const [, , population = ''] = process.argv;
const { parsing, matching } = await compareMatching(JSON.parse(population) as Population);

// Returns times, not rates. `compareMatching` has already measured both sides in turn.
serveSides({ parsing: async () => parsing, matching: async () => matching });
