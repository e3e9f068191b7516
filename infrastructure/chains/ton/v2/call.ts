import type { Raw } from '../../../nodes/raw.js';
import type { Query } from '../http-transport.js';

/** Asks a method of version 2 and returns its result; a body makes it a POST. */
export type Call = (method: string, query?: Query, body?: object) => Promise<Raw>;
