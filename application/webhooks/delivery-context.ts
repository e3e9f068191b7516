import { findVariant } from '../../domain/variant.js';
import type { Context } from '../commands/handle.js';
import type { Recorded } from '../ports/event-store.js';

/** Builds the context in which the deliverer handles an event; null when this release does not know its variant. */
export const deliveryContext = ({
  metadata: { variant: tag, organizationId, requestId },
}: Recorded): Context | null => {
  const variant = findVariant(tag);
  return variant ? { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId } : null;
};
