import { nodeSystem } from '../../infrastructure/system.js';

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const testSystem = nodeSystem(new Uint8Array(32), silent);
