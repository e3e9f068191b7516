import type { RequestRecorder } from '../../application/tracing/record-requests.js';
import { nodeSystem } from '../../infrastructure/system.js';

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const testSystem = nodeSystem({ service: new Uint8Array(32), stores: new Uint8Array(32) }, silent);

/** Request recorder that records nothing, for doubles of the application. */
export const unrecorded: RequestRecorder = {
  logsNext: () => false,
  succeeded: () => undefined,
  refused: () => undefined,
  run: async () => undefined,
};
