import { nodeSystem } from '../../infrastructure/system.js';

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const testSystem = nodeSystem({ service: new Uint8Array(32), stores: new Uint8Array(32) }, silent);
