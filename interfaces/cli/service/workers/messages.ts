import type { DevelopmentAddresses } from '../../../../application/ports/chains.js';
import type { MetricValues } from '../../../server/metrics.js';

/** Messages that a worker sends to the primary process. */
export type FromWorker =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'ready' }
  /** Asks for the metrics of all processes. */
  | { readonly kind: 'wanted'; readonly id: number }
  | { readonly kind: 'collected'; readonly id: number; readonly metrics: MetricValues };

/** Messages that the primary process sends to a worker. */
export type FromPrimary =
  /** Lets the worker open the stores. */
  | { readonly kind: 'open'; readonly developments: DevelopmentAddresses }
  /** Asks for the metrics of the worker. */
  | { readonly kind: 'collect'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string };
