import { serveSides } from '../measure/compiled.js';
import { compareMatching } from './matching.js';
import type { Population } from './stores.js';

const [, , population = ''] = process.argv;
const { parsing, matching } = await compareMatching(JSON.parse(population) as Population);

// The sides return times, not rates. Both were measured in turn above.
serveSides({ parsing: async () => parsing, matching: async () => matching });
