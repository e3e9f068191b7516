import { serveSides } from '../compiled.js';
import { compareMatching } from './matching.js';
import type { Population } from './stores.js';

const [, , population = ''] = process.argv;
const { parsing, matching } = await compareMatching(JSON.parse(population) as Population);

/** Times rather than rates: what was asked for is what it took. */
serveSides({ parsing: async () => parsing, matching: async () => matching });
