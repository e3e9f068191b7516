import type { Raw } from '../../../nodes/raw.js';
import type { Query } from '../http-transport.js';

/** Calls a method of the v2 API and returns its result. With a body, the request is a POST. */
export type Call = (method: string, query?: Query, body?: object) => Promise<Raw>;
