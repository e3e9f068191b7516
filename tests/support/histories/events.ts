import { randomUUID } from 'node:crypto';
import { noStream } from '../../../application/ports/event-store.js';

/** Makes a write that creates an organization, for tests that need any event. */
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
