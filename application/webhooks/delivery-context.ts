import { findVariant } from '../../domain/variant.js';
import type { Context } from '../commands/handle.js';
import type { Recorded } from '../ports/event-store.js';

/** For what the deliverer does in answer to an event; null when that is of no variant there is. */
export const deliveryContext = ({
  metadata: { variant: tag, organizationId, requestId },
}: Recorded): Context | null => {
  const variant = findVariant(tag);
  return variant ? { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId } : null;
};
