import type { Ports } from '../../../application/composition/service-ports.js';
import { addressCodecs } from '../../../infrastructure/chains/address-codecs.js';
import { transactionCodecs } from '../../../infrastructure/chains/transaction-codecs.js';
import { createNotary } from '../../../infrastructure/keys/notary.js';
import { memoryReadModels } from '../../../infrastructure/memory/read-models.js';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';

/** Ports without request logs, documents, witnesses and gateway nodes, and settings that limit no test. */
export const quietPorts = {
  codecs: addressCodecs,
  transactionCodecs,
  nodes: new Map(),
  documents: { read: async () => null },
  signer: webhookSigner(new Uint8Array(32)),
  notary: createNotary(new Uint8Array(32)),
  scratch: memoryReadModels,
  asOfEvents: 1_000_000,
  foldedEvents: 1_000_000,
  catchUpMs: 2000,
  challengeEndpoints: false,
  webhookConcurrency: 8,
  unreadableBlockSeconds: 600,
  reconcileSeconds: 86_400,
  witnesses: [],
  requestLog: { policy: { kind: 'off' }, write: () => undefined },
  accessLog: { add: async () => undefined, list: async () => [], close: async () => undefined },
  refusedRequests: { add: async () => undefined, find: async () => [], close: async () => undefined },
} satisfies Partial<Ports>;
