import { serveSides } from '../compiled.js';
import { compareMatching } from './matching.js';
import type { Population } from './stores.js';

const [, , population = ''] = process.argv;
const { parsing, matching } = await compareMatching(JSON.parse(population) as Population);

/** Serves times instead of rates; both were measured in turn before. */
serveSides({ parsing: async () => parsing, matching: async () => matching });
