import { randomUUID } from 'node:crypto';
import { noStream } from '../../../application/ports/event-store.js';

/**
 * Makes a write with one event, which creates an organization, for tests in which the type of the event does not
 * matter.
 */
export const organizationCreated = (domain: string) => {
  const organizationId = `org_${randomUUID().replaceAll('-', '')}`;
  return {
    stream: `${organizationId}.organization-${organizationId}`,
    expected: noStream,
    events: [
      {
        id: randomUUID(),
        type: 'OrganizationCreated',
        data: { organizationId, name: domain, domain },
        metadata: {
          organizationId,
          variant: 'global',
          actor: { kind: 'process', id: 'test' } as const,
          requestId: 'r',
          causationId: 'r',
          correlationId: 'r',
          occurredAt: '2026-01-01T00:00:00.000Z',
        },
      },
    ],
  };
};
